#include "gateway/dispatch/job_work.hpp"

#include <gtest/gtest.h>

namespace gateway::dispatch {
namespace {

namespace engine = llm_gateway::engine::v1;

engine::Job chat(std::size_t bytes, std::optional<std::uint32_t> max_tokens = {}, std::uint32_t choices = 1) {
    engine::Job job;
    auto& text = *job.mutable_text();
    text.mutable_chat()->add_messages()->add_content()->set_text(std::string(bytes, 'a'));
    text.set_choices(choices);
    if (max_tokens) {
        text.set_max_tokens(*max_tokens);
    }
    return job;
}

engine::Finished finished(std::uint32_t prompt, std::uint32_t cached, std::uint32_t completion) {
    engine::Finished done;
    done.mutable_usage()->set_prompt_tokens(prompt);
    done.mutable_usage()->set_cached_tokens(cached);
    done.mutable_usage()->set_completion_tokens(completion);
    return done;
}

TEST(JobWork, CountsWhatIsComputed) {
    EXPECT_EQ(work_of(finished(100, 60, 20)), 40 + 4 * 20);
}

TEST(JobWork, AnAnswerIsNoLongerThanItMayBe) {
    const JobWork work;
    EXPECT_LT(work.expected(size_of(chat(400, 10))).total(), work.expected(size_of(chat(400))).total());
    EXPECT_EQ(work.expected(size_of(chat(400, 10, 3))).answer, 4 * 30);
}

TEST(JobWork, LearnsHowLongAnswersAreAndHowManyTokensATextHas) {
    JobWork work;
    for (int job = 0; job < 50; ++job) {
        work.learn(size_of(chat(1000)), finished(500, 100, 30));
    }
    const auto expected = work.expected(size_of(chat(2000)));
    EXPECT_NEAR(expected.before_the_answer, 800, 1);
    EXPECT_NEAR(expected.answer, 4 * 30, 1);
    EXPECT_NEAR(work.expected(size_of(chat(2000, 12))).answer, 4 * 12, 1e-9);
}

TEST(JobWork, TokensNeedNoGuess) {
    engine::Job job;
    for (int id = 0; id < 70; ++id) {
        job.mutable_text()->mutable_tokens()->add_ids(id);
    }
    EXPECT_EQ(JobWork().expected(size_of(job)).before_the_answer, 70);
}

TEST(JobWork, ImagesTakeTimeInProportionToPixelsAndSteps) {
    engine::Job small;
    small.mutable_image()->set_width(256);
    small.mutable_image()->set_height(256);
    small.mutable_image()->set_steps(10);
    engine::Finished done;
    done.mutable_timings()->set_total_seconds(5);
    done.mutable_timings()->set_queue_seconds(3);
    JobWork work;
    work.learn(size_of(small), done);
    engine::Job large = small;
    large.mutable_image()->set_steps(40);
    EXPECT_NEAR(work.expected(size_of(large)).total(), 8, 1e-9);
    engine::Job unknown;
    unknown.mutable_upscale();
    EXPECT_NEAR(work.expected(size_of(unknown)).total(), 2, 1e-9) << "what a job was on average";
}

}  // namespace
}  // namespace gateway::dispatch
