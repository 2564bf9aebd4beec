// With the real engine and a model of random weights that the build makes (tools/make_tiny_sd.py).

#include "worker/engine/diffusion/diffusion_engine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <latch>

#include "base/clock.hpp"
#include "base/temporary_folder.hpp"
#include "worker/engine/diffusion/generation.hpp"
#include "worker/engine/diffusion/tiny_engine.hpp"
#include "worker/image/image_runner.hpp"

// The engine never frees the backend of an upscaler: some hundred bytes for each that is loaded.
extern "C" const char* __lsan_default_suppressions() {
    return "leak:ggml_backend_cpu_device_init_backend";
}

namespace worker::engine::diffusion {
namespace {

using image::Drawing;
using image::DrawRequest;
using image::Picture;
using testing::ElementsAre;
using testing::HasSubstr;

class Observer final : public image::DrawObserver {
public:
    bool wants_stop() const override { return stop_after_asked != 0 && ++asked >= stop_after_asked; }
    bool on_step(std::uint32_t step, std::uint32_t steps, double) override {
        if (step != 0 && (seen.empty() || seen.back() != step)) {
            seen.push_back(step);
        }
        total = steps;
        return stop_at == 0 || step < stop_at;
    }
    void on_preview(std::uint32_t step, Picture) override { previews.push_back(step); }

    std::vector<std::uint32_t> seen;
    std::vector<std::uint32_t> previews;
    std::uint32_t total = 0;
    std::uint32_t stop_at = 0;
    std::uint32_t stop_after_asked = 0;
    mutable std::uint32_t asked = 0;
};

DrawRequest cat() {
    return {.prompt = "a cat",
            .width = 64,
            .height = 96,
            .steps = 4,
            .cfg_scale = 5,
            .sampler = "euler",
            .scheduler = "discrete",
            .seed = 1};
}

class DiffusionEngineTest : public testing::Test {
protected:
    Picture draw(const DrawRequest& request) {
        Observer observer;
        return engine_->draw(request, observer).value().picture;
    }

    std::unique_ptr<image::PictureEngine> engine_ = load(nano()).value();
};

bool has_colours(const Picture& picture) {
    return std::ranges::adjacent_find(picture.pixels, std::ranges::not_equal_to{}) != picture.pixels.end();
}

// Mean difference between two pictures in the columns [from, to).
double difference(const Picture& a, const Picture& b, std::uint32_t from, std::uint32_t to) {
    double sum = 0;
    for (std::uint32_t y = 0; y < a.height; ++y) {
        for (std::size_t i = (std::size_t{y} * a.width + from) * 3; i < (std::size_t{y} * a.width + to) * 3; ++i) {
            sum += std::abs(a.pixels[i] - b.pixels[i]);
        }
    }
    return sum / (3.0 * a.height * (to - from));
}

TEST_F(DiffusionEngineTest, SameRequestGivesTheSamePixelsOthersDoNot) {
    const auto first = draw(cat());
    EXPECT_EQ(first.width, 64U);
    EXPECT_EQ(first.height, 96U);
    EXPECT_TRUE(has_colours(first));
    EXPECT_EQ(draw(cat()), first);
    auto other_seed = cat();
    other_seed.seed = 2;
    EXPECT_NE(draw(other_seed), first);
    auto other_prompt = cat();
    other_prompt.prompt = "a dog";
    EXPECT_NE(draw(other_prompt), first);
    EXPECT_EQ(draw(cat()), first) << "nothing of the drawings between is left";
}

TEST_F(DiffusionEngineTest, StopsWithinOneStepAndDrawsTheSameAfterwards) {
    const auto undisturbed = draw(cat());
    auto longer = cat();
    longer.steps = 20;
    Observer observer;
    observer.stop_at = 3;
    const auto stopped = engine_->draw(longer, observer);
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().code, base::ErrorCode::cancelled);
    EXPECT_THAT(observer.seen, ElementsAre(1, 2, 3));
    EXPECT_EQ(draw(cat()), undisturbed);
}

TEST_F(DiffusionEngineTest, StopsInsideAStepWhereverItIsAndDrawsTheSameAfterwards) {
    const auto undisturbed = draw(cat());
    Observer counting;
    counting.stop_after_asked = 1'000'000'000;
    ASSERT_TRUE(engine_->draw(cat(), counting));
    ASSERT_GT(counting.asked, 100U);
    // From the encoder to the decoder. Another prompt each time, so that there is something to encode.
    std::vector<std::size_t> steps;
    for (std::uint32_t tenth = 0; tenth < 10; ++tenth) {
        auto request = cat();
        request.prompt = "a cat number " + std::to_string(tenth);
        Observer observer;
        observer.stop_after_asked = 1 + counting.asked * tenth / 10;
        const auto stopped = engine_->draw(request, observer);
        ASSERT_FALSE(stopped) << tenth;
        EXPECT_EQ(stopped.error().code, base::ErrorCode::cancelled);
        EXPECT_EQ(observer.asked, observer.stop_after_asked) << "nothing more is computed";
        steps.push_back(observer.seen.size());
    }
    EXPECT_EQ(steps.front(), 0U) << "while the prompt was encoded";
    EXPECT_EQ(steps.back(), 4U) << "while the picture was decoded";
    EXPECT_EQ(draw(cat()), undisturbed);
}

TEST_F(DiffusionEngineTest, APromptIsEncodedOnce) {
    const auto first = draw(cat());
    EXPECT_EQ(engine_->prompt_cache().misses, 2U) << "the prompt and the empty negative prompt";
    auto other = cat();
    other.seed = 2;
    other.steps = 3;
    other.width = 128;
    other.sampler = "euler_a";
    const auto second = draw(other);
    EXPECT_EQ(engine_->prompt_cache().hits, 2U);
    EXPECT_EQ(engine_->prompt_cache().misses, 2U);
    EXPECT_EQ(draw(cat()), first);
    other.negative_prompt = "a dog";
    draw(other);
    EXPECT_EQ(engine_->prompt_cache().misses, 3U);
    other.cache_salt = "theirs";
    draw(other);
    EXPECT_EQ(engine_->prompt_cache().misses, 5U) << "nothing of another salt is used";
    EXPECT_GT(engine_->prompt_cache().bytes, 0U);
    EXPECT_LE(engine_->prompt_cache().bytes, engine_->prompt_cache().limit_bytes);
    engine_.reset();
    engine_ =
        load_diffusion_engine({.paths = nano(), .kernels = kernels(), .threads = 1, .prompt_cache_bytes = 0}).value();
    EXPECT_EQ(draw(cat()), first) << "the same pixels as without";
    other.negative_prompt.clear();
    EXPECT_EQ(draw(other), second);
    EXPECT_EQ(engine_->prompt_cache().hits, 0U);
}

TEST_F(DiffusionEngineTest, PromptsThatDoNotFitAreEncodedAgain) {
    engine_.reset();
    engine_ = load_diffusion_engine({.paths = nano(), .kernels = kernels(), .threads = 1, .prompt_cache_bytes = 40'000})
                  .value();
    auto request = cat();
    request.cfg_scale = 1;
    request.steps = 1;
    for (int i = 0; i < 4; ++i) {
        request.prompt = "a cat number " + std::to_string(i);
        draw(request);
        EXPECT_LE(engine_->prompt_cache().bytes, 40'000U);
    }
    draw(request);
    EXPECT_EQ(engine_->prompt_cache().hits, 1U);
    request.prompt = "a cat number 0";
    draw(request);
    EXPECT_EQ(engine_->prompt_cache().hits, 1U);
}

TEST_F(DiffusionEngineTest, TwoPassesGiveTheLargerPictureAndCountTogether) {
    ASSERT_THAT(engine_->model().second_pass_upscalers, testing::Contains("lanczos"));
    for (const auto& upscaler : engine_->model().second_pass_upscalers) {
        auto request = cat();
        request.second_pass = {.width = 128, .height = 192, .upscaler = upscaler, .steps = 3, .strength = 0.6F};
        request.preview_interval = 6;
        request.preview_kind = image::PreviewKind::projection;
        Observer observer;
        const auto drawing = engine_->draw(request, observer).value();
        EXPECT_EQ(drawing.picture.width, 128U) << upscaler;
        EXPECT_EQ(drawing.picture.height, 192U) << upscaler;
        EXPECT_TRUE(has_colours(drawing.picture)) << upscaler;
        EXPECT_EQ(observer.total, 7U) << upscaler;
        EXPECT_THAT(observer.seen, ElementsAre(1, 2, 3, 4, 5, 6, 7)) << upscaler;
        EXPECT_THAT(observer.previews, ElementsAre(6)) << upscaler;
        EXPECT_EQ(draw(request), drawing.picture) << upscaler;
        Observer stopping;
        stopping.stop_at = 5;
        EXPECT_EQ(engine_->draw(request, stopping).error().code, base::ErrorCode::cancelled);
    }
    EXPECT_NE(draw(cat()).width, 128U);
}

TEST(ExactStrength, IsWhatWasAskedOrNextToIt) {
    for (std::uint32_t steps = 1; steps <= 200; ++steps) {
        for (int hundredths = 5; hundredths <= 100; ++hundredths) {
            const float strength = static_cast<float>(hundredths) / 100;
            EXPECT_NEAR(exact_strength({.steps = steps, .strength = strength}), strength, 0.001) << steps;
        }
    }
}

TEST_F(DiffusionEngineTest, EveryStepCacheDrawsTheSameEachTime) {
    ASSERT_GE(engine_->model().step_caches.size(), 5U);
    for (const auto& cache : engine_->model().step_caches) {
        for (const std::uint32_t steps : {1U, 2U, 14U}) {
            auto request = cat();
            request.height = 64;
            request.steps = steps;
            request.step_cache = cache;
            Observer observer;
            const auto drawing = engine_->draw(request, observer);
            ASSERT_TRUE(drawing && has_colours(drawing->picture)) << cache << ' ' << steps;
            EXPECT_EQ(observer.seen.size(), steps) << cache;
            EXPECT_EQ(draw(request), drawing->picture) << cache;
        }
    }
}

// A step that is left out computes nothing, so the engine asks less often whether to go on.
TEST_F(DiffusionEngineTest, AStepCacheLeavesStepsOut) {
    const auto work = [this](const std::string& cache) {
        auto request = cat();
        request.steps = 20;
        request.step_cache = cache;
        Observer observer;
        observer.stop_after_asked = 1'000'000'000;
        EXPECT_TRUE(engine_->draw(request, observer));
        return observer.asked;
    };
    work("");
    const auto all = work("");
    EXPECT_LT(work("spectrum"), all * 9 / 10);
    EXPECT_EQ(work(""), all);
}

TEST_F(DiffusionEngineTest, _40_APictureThatDoesNotFitIsRefusedBeforeItsFirstStep) {
    const base::TemporaryFolder folder;
    const auto with_free = [&](std::size_t mebibytes) {
        folder.write("meminfo", "MemTotal: 16777216 kB\nMemAvailable: " + std::to_string(mebibytes << 10) + " kB\n");
        folder.write("membership", "");
        engine_.reset();
        engine_ = load_diffusion_engine(
                      {.paths = nano(),
                       .kernels = kernels(),
                       .threads = 1,
                       .memory = {.groups = {.cgroups = folder / "cgroup", .membership = folder / "membership"},
                                  .meminfo = folder / "meminfo"}})
                      .value();
    };
    const auto outcome = [this](std::uint32_t side) {
        auto request = cat();
        request.width = request.height = side;
        request.steps = 1;
        Observer observer;
        const auto drawing = engine_->draw(request, observer);
        EXPECT_EQ(observer.seen.empty(), !drawing.has_value());
        return drawing ? "drawn" : std::string(base::to_string(drawing.error().code));
    };
    const auto too_large = std::string(base::to_string(base::ErrorCode::too_large));
    with_free(1);
    EXPECT_EQ(outcome(256), too_large) << "not even a tile can be decoded";
    with_free(140);
    EXPECT_EQ(outcome(256), "drawn");
    EXPECT_EQ(outcome(512), "drawn") << "in tiles";
    EXPECT_EQ(outcome(2048), too_large) << "the network's own memory grows too";
    EXPECT_EQ(outcome(256), "drawn") << "a refusal leaves the engine as it was";
}

TEST_F(DiffusionEngineTest, ReportsStepsPreviewsAndTimings) {
    auto request = cat();
    request.preview_interval = 2;
    for (const auto kind : {image::PreviewKind::projection, image::PreviewKind::taesd}) {
        request.preview_kind = kind;
        Observer observer;
        const auto drawing = engine_->draw(request, observer).value();
        EXPECT_THAT(observer.seen, ElementsAre(1, 2, 3, 4));
        EXPECT_THAT(observer.previews, ElementsAre(2)) << "the last step gives the picture itself";
        EXPECT_EQ(observer.total, 4U);
        EXPECT_GT(drawing.timings.encode_seconds, 0);
        EXPECT_GT(drawing.timings.sampling_seconds, 0);
        EXPECT_GT(drawing.timings.decode_seconds, 0);
        EXPECT_EQ(drawing.picture, draw(cat())) << "previews change nothing";
    }
}

TEST_F(DiffusionEngineTest, TilesAreNoSteps) {
    auto request = cat();
    request.width = request.height = 384;
    request.steps = 1;
    request.tile_decode = true;
    Observer observer;
    EXPECT_TRUE(engine_->draw(request, observer));
    EXPECT_THAT(observer.seen, ElementsAre(1));
    EXPECT_EQ(observer.total, 1U);
}

TEST_F(DiffusionEngineTest, InpaintingKeepsWhatTheMaskLeavesOut) {
    Picture init{.width = 128, .height = 128, .channels = 3, .pixels = {}};
    Picture mask{.width = 128, .height = 128, .channels = 1, .pixels = {}};
    for (std::uint32_t i = 0; i < 128 * 128; ++i) {
        init.pixels.insert(init.pixels.end(), {40, 60, 220});
        mask.pixels.push_back(i % 128 < 64 ? 0 : 255);
    }
    auto request = cat();
    request.width = request.height = 128;
    request.init_image = init;
    request.mask = mask;
    request.strength = 0.9F;
    const auto picture = draw(request);
    EXPECT_LT(difference(init, picture, 0, 56), 12);
    EXPECT_GT(difference(init, picture, 72, 128), 25);
}

TEST_F(DiffusionEngineTest, StrengthSaysHowMuchOfTheImageStays) {
    Picture init{.width = 64, .height = 96, .channels = 3, .pixels = std::vector<std::uint8_t>(64 * 96 * 3, 60)};
    auto request = cat();
    request.init_image = init;
    request.strength = 0;
    const auto kept = difference(init, draw(request), 0, 64);
    request.strength = 1;
    EXPECT_LT(kept, difference(init, draw(request), 0, 64) / 2);
}

TEST_F(DiffusionEngineTest, EverySamplerAndSchedulerDrawsEvenInFewSteps) {
    const auto& model = engine_->model();
    EXPECT_GE(model.samplers.size(), 15U);
    const auto draws = [&](const std::string& sampler, const std::string& scheduler, std::uint32_t steps) {
        auto request = cat();
        request.height = 64;
        request.sampler = sampler;
        request.scheduler = scheduler;
        request.steps = steps;
        Observer observer;
        const auto drawing = engine_->draw(request, observer);
        EXPECT_TRUE(drawing && has_colours(drawing->picture)) << sampler << ' ' << scheduler << ' ' << steps;
    };
    for (const auto& sampler : model.samplers) {
        draws(sampler, "discrete", 1);
        draws(sampler, "discrete", 3);
    }
    for (const auto& scheduler : model.schedulers) {
        draws("euler", scheduler, 2);
        draws("euler", scheduler, 3);
    }
}

TEST_F(DiffusionEngineTest, StrangePromptsAreOnlyPrompts) {
    for (const std::string& prompt : {std::string(), std::string(16'000, 'a'), std::string(16'000, '('),
                                      std::string("((((a:9)))), [b], (c:-3.5), \\(, <lora:x:1>"),
                                      std::string("(a:99999999999999999999999999999999999999999999999999)"),
                                      std::string("\xe7\x8c\xab \xf0\x9f\x90\x88\n\t%s%n")}) {
        auto request = cat();
        request.prompt = prompt;
        request.steps = 1;
        Observer observer;
        const auto drawing = engine_->draw(request, observer);
        if (!drawing) {
            EXPECT_EQ(drawing.error().code, base::ErrorCode::invalid) << prompt.substr(0, 60);
            EXPECT_EQ(drawing.error().param, "prompt");
        }
    }
}

TEST_F(DiffusionEngineTest, ModelSaysWhatItIs) {
    const auto& model = engine_->model();
    EXPECT_EQ(model.family, "Ovis Image");
    EXPECT_THAT(model.description, HasSubstr("not a trained model"));
    EXPECT_EQ(model.default_width, 256U);
    EXPECT_GT(model.parameters, 6'000'000U);
    EXPECT_EQ(model.file_bytes, std::filesystem::file_size(nano().model) + std::filesystem::file_size(nano().taesd));
    EXPECT_THAT(model.default_sampler, "euler");
    EXPECT_TRUE(model.encodes_images);
    EXPECT_THAT(model.schedulers, testing::Not(testing::Contains("ays"))) << "the engine has no table for this family";
}

TEST_F(DiffusionEngineTest, ALoraChangesThePictureByItsScaleAndLeavesNothingBehind) {
    const auto without = draw(cat());
    auto request = cat();
    request.loras = {{.path = models / "lora.safetensors", .scale = 1}};
    const auto with = draw(request);
    EXPECT_NE(with, without);
    EXPECT_EQ(draw(request), with);
    request.loras[0].scale = 0.5F;
    EXPECT_NE(draw(request), with);
    EXPECT_EQ(draw(cat()), without);
}

TEST_F(DiffusionEngineTest, ALoraOfAnotherModelIsAnErrorAndNotIgnored) {
    auto request = cat();
    request.steps = 1;
    request.loras = {{.path = models / "foreign-lora.safetensors", .scale = 1}};
    Observer observer;
    const auto drawing = engine_->draw(request, observer);
    ASSERT_FALSE(drawing);
    EXPECT_EQ(drawing.error().code, base::ErrorCode::invalid);
    EXPECT_EQ(drawing.error().param, "loras[0].name");
    EXPECT_THAT(drawing.error().message, HasSubstr("LoRA 'foreign-lora' is not for a Ovis Image model"));
}

TEST_F(DiffusionEngineTest, ALoraThatCannotBeReadIsAnError) {
    auto request = cat();
    request.loras = {{.path = "/dev/null", .scale = 1}};
    Observer observer;
    const auto drawing = engine_->draw(request, observer);
    ASSERT_FALSE(drawing);
    EXPECT_EQ(drawing.error().param, "loras");
    EXPECT_TRUE(engine_->draw(cat(), observer));
}

// The queue over the real engine: image i of a count is the single image with seed + i, to the byte.
TEST_F(DiffusionEngineTest, ACountEqualsSingleJobsWithTheFollowingSeeds) {
    struct Files final : rpc::EventSink {
        void on_event(rpc::Event event) override {
            if (event.has_image_done()) {
                files.push_back(event.image_done().data());
            }
            if (event.has_finished() || event.has_failed()) {
                ended.count_down();
            }
        }
        std::vector<std::string> files;
        std::latch ended{1};
    };
    const base::SteadyClock clock;
    image::ImageRunner runner(std::move(engine_), clock, {.draw_seed = [] { return 0U; }});
    const auto files = [&](std::int64_t seed, std::uint32_t count) {
        rpc::Job job;
        job.set_id("a");
        auto& picture = *job.mutable_image();
        picture.set_prompt("a cat");
        picture.set_width(64);
        picture.set_height(64);
        picture.set_steps(2);
        picture.set_seed(seed);
        picture.set_count(count);
        auto sink = std::make_shared<Files>();
        runner.start(std::move(job), sink);
        sink->ended.wait();
        return sink->files;
    };
    const auto both = files(5, 2);
    ASSERT_EQ(both.size(), 2U);
    EXPECT_NE(both[0], both[1]);
    EXPECT_THAT(files(5, 1), ElementsAre(both[0]));
    EXPECT_THAT(files(6, 1), ElementsAre(both[1]));
}

TEST(LoadDiffusionEngine, AnUpscalerAloneEnlargesAndDoesNotDraw) {
    const auto engine = load({.upscaler = models / "random-esrgan.safetensors"}).value();
    EXPECT_FALSE(engine->model().can_draw);
    EXPECT_EQ(engine->model().upscale_factor, 4U);
    Observer observer;
    const Picture grey{.width = 40, .height = 24, .channels = 3, .pixels = std::vector<std::uint8_t>(40 * 24 * 3, 90)};
    const auto large = engine->upscale(grey, observer).value();
    EXPECT_EQ(large.width, 160U);
    EXPECT_EQ(large.height, 96U);
    EXPECT_NEAR(large.pixels[large.pixels.size() / 2], 90, 3);
}

TEST(LoadDiffusionEngine, WithoutAnEncoderThereIsOnlyTextToImage) {
    auto paths = nano();
    paths.taesd = models / "decoder-only-tae.safetensors";
    const auto engine = load(paths).value();
    EXPECT_FALSE(engine->model().encodes_images);
    Observer observer;
    EXPECT_TRUE(engine->draw(cat(), observer));
}

}  // namespace
}  // namespace worker::engine::diffusion
