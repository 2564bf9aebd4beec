#include "gateway/drawing/step_times.hpp"

#include <gtest/gtest.h>

namespace gateway::drawing {
namespace {

namespace engine = llm_gateway::engine::v1;

engine::Timings timings(double encode, double decode) {
    engine::Timings result;
    result.set_encode_seconds(encode);
    result.set_decode_seconds(decode);
    return result;
}

TEST(ShapeOf, TakesTheModelsDefaultsWhereTheJobSaysNothing) {
    engine::ImageFacts facts;
    facts.set_default_width(512);
    facts.set_default_height(768);
    facts.set_default_steps(20);
    facts.set_default_cfg_scale(7);
    EXPECT_EQ(shape_of({}, &facts), (PictureShape{.width = 512, .height = 768, .steps = 20, .guided = true}));
    engine::ImageJob job;
    job.set_width(64);
    job.set_height(128);
    job.set_steps(4);
    job.set_cfg_scale(1);
    job.set_control_image("x");
    EXPECT_EQ(shape_of(job, &facts), (PictureShape{.width = 64, .height = 128, .steps = 4, .controlled = true}));
    EXPECT_EQ(shape_of({}, nullptr), PictureShape{});
}

TEST(ShapeOf, ImageToImageLeavesOutTheFirstSteps) {
    engine::ImageJob job;
    job.set_steps(20);
    job.set_init_image("x");
    job.set_strength(0.5);
    EXPECT_EQ(shape_of(job, nullptr).steps, 10U);
    job.set_strength(0);
    EXPECT_EQ(shape_of(job, nullptr).steps, 1U);
}

TEST(StepTimes, AreUnknownBeforeTheFirstStep) {
    EXPECT_FALSE(StepTimes().step_seconds({.width = 64, .height = 64}));
}

TEST(StepTimes, AreThoseOfTheSameShapeWhateverItsSteps) {
    StepTimes times;
    times.add_step({.width = 64, .height = 64, .steps = 4}, 2);
    times.add_step({.width = 128, .height = 64, .steps = 4}, 9);
    EXPECT_DOUBLE_EQ(times.step_seconds({.width = 64, .height = 64, .steps = 30}).value(), 2);
    EXPECT_DOUBLE_EQ(times.step_seconds({.width = 128, .height = 64}).value(), 9);
}

TEST(StepTimes, OfAnotherSizeAreInProportionToTheNearest) {
    StepTimes times;
    times.add_step({.width = 64, .height = 64}, 1);
    times.add_step({.width = 512, .height = 512}, 100);
    EXPECT_DOUBLE_EQ(times.step_seconds({.width = 128, .height = 64}).value(), 2);
    EXPECT_DOUBLE_EQ(times.step_seconds({.width = 1024, .height = 512}).value(), 200);
    EXPECT_DOUBLE_EQ(times.step_seconds({.width = 64, .height = 64, .guided = true}).value(), 2);
}

TEST(StepTimes, FollowAChangeAndForgetASingleSlowStep) {
    StepTimes times;
    const PictureShape shape{.width = 64, .height = 64};
    for (int i = 0; i < 20; ++i)
        times.add_step(shape, 1);
    times.add_step(shape, 2);
    EXPECT_LT(times.step_seconds(shape).value(), 1.5);
    for (int i = 0; i < 20; ++i)
        times.add_step(shape, 3);
    EXPECT_NEAR(times.step_seconds(shape).value(), 3, 0.01);
}

TEST(StepTimes, OfTwoPassesAreTheMeanOfBoth) {
    engine::ImageJob job;
    job.set_width(64);
    job.set_height(64);
    job.set_steps(10);
    job.mutable_hires()->set_scale(2);
    job.mutable_hires()->set_strength(0.5);
    const PictureShape shape = shape_of(job, nullptr);
    EXPECT_EQ(shape.steps, 15U);
    EXPECT_EQ(shape.second_pixels, 128U * 128U);
    StepTimes times;
    times.add_step({.width = 64, .height = 64}, 1);
    EXPECT_DOUBLE_EQ(times.step_seconds(shape).value(), 2.5);
    times.add_step(shape, 1);
    EXPECT_DOUBLE_EQ(times.step_seconds(shape).value(), 2.5) << "a step of the first pass is none of the second";
    engine::Timings measured;
    measured.set_sampling_seconds(30);
    times.add_job(shape, measured, 1);
    EXPECT_DOUBLE_EQ(times.step_seconds(shape).value(), 2);
}

TEST(StepTimes, AreApartForEachStepCache) {
    StepTimes times;
    times.add_step({.width = 64, .height = 64}, 4);
    times.add_step({.width = 64, .height = 64, .step_cache = "ucache"}, 1);
    EXPECT_DOUBLE_EQ(times.step_seconds({.width = 64, .height = 64}).value(), 4);
    EXPECT_DOUBLE_EQ(times.step_seconds({.width = 64, .height = 64, .step_cache = "ucache"}).value(), 1);
}

TEST(StepTimes, KnowWhatIsAroundTheSteps) {
    StepTimes times;
    const PictureShape shape{.width = 64, .height = 64};
    EXPECT_EQ(times.before_steps(shape), 0);
    times.add_job(shape, timings(4, 6), 2);
    EXPECT_DOUBLE_EQ(times.before_steps(shape), 2);
    EXPECT_DOUBLE_EQ(times.after_steps(shape), 3);
    const PictureShape larger{.width = 128, .height = 128};
    EXPECT_DOUBLE_EQ(times.before_steps(larger), 2) << "the prompt is the same";
    EXPECT_DOUBLE_EQ(times.after_steps(larger), 12);
}

TEST(StepTimes, StayFewWhateverClientsAskFor) {
    StepTimes times;
    for (std::uint32_t side = 1; side <= 2000; ++side)
        times.add_step({.width = side, .height = 64}, side);
    EXPECT_DOUBLE_EQ(times.step_seconds({.width = 2000, .height = 64}).value(), 2000);
}

}  // namespace
}  // namespace gateway::drawing
