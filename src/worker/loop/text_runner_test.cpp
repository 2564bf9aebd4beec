// The runner with its threads, over the scripted engine. Tests wait for events, never for time.

#include "worker/loop/text_runner.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <future>

#include "base/temporary_folder.hpp"
#include "worker/loop/loop_fixture.hpp"

namespace worker::loop {
namespace {

namespace contract = rpc::contract;
using engine::Decoded;

class WaitingSink final : public rpc::EventSink {
public:
    void on_event(rpc::Event event) override {
        const std::lock_guard lock(mutex_);
        recorded_.on_event(std::move(event));
        changed_.notify_all();
    }

    RecordingSink wait_for_end() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return recorded_.last() != nullptr; });
        return recorded_;
    }

    void wait_for_text(std::size_t letters = 1) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this, letters] { return recorded_.text[0].size() >= letters; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    RecordingSink recorded_;
};

rpc::Job text_job(const std::string& id, const std::string& prompt, std::optional<std::uint32_t> max_tokens = 20) {
    rpc::Job job;
    job.set_id(id);
    job.mutable_text()->set_text(prompt);
    if (max_tokens) {
        job.mutable_text()->set_max_tokens(*max_tokens);
    }
    return job;
}

std::unique_ptr<engine::TextEngine> scripted(engine::scripted::Settings settings = {}) {
    return std::make_unique<engine::scripted::ScriptedEngine>(std::move(settings));
}

TEST(TextRunner, RunsJobsFromQueuedToFinished) {
    TextRunner runner(scripted());
    const auto sink = std::make_shared<WaitingSink>();
    runner.start(text_job("1", "hello"), sink);
    const auto heard = sink->wait_for_end();
    EXPECT_TRUE(heard.events.front().has_queued());
    EXPECT_TRUE(heard.finished());
    EXPECT_FALSE(runner.cancel("1"));
}

// Nothing else is to do while the file is read: the loop sleeps, and is woken.
TEST(TextRunner, WakesWhenAFileIsRead) {
    const base::TemporaryFolder folder;
    const std::string prompt = "a prompt that is found again in a file after a restart";
    for (const bool restarted : {false, true}) {
        auto files = spill::StateFolder::open(folder / "states", spill::digest_of("model"));
        ASSERT_TRUE(files);
        TextRunner runner(scripted(), {.archive = {.disk_bytes = 1 << 20, .folder = std::move(*files)}});
        const auto sink = std::make_shared<WaitingSink>();
        runner.start(text_job("1", prompt), sink);
        const auto heard = sink->wait_for_end();
        ASSERT_TRUE(heard.finished());
        EXPECT_EQ(heard.last()->finished().usage().cached_tokens(), restarted ? prompt.size() - 1 : 0);
    }
}

TEST(TextRunner, RefusesBadJobsAndOtherKinds) {
    TextRunner runner(scripted());
    const auto bad = std::make_shared<WaitingSink>();
    runner.start(text_job("1", "fail"), bad);
    EXPECT_EQ(bad->wait_for_end().failure(), contract::INVALID);
    const auto image = std::make_shared<WaitingSink>();
    rpc::Job job;
    job.set_id("2");
    job.mutable_image()->set_prompt("a cat");
    runner.start(job, image);
    EXPECT_EQ(image->wait_for_end().failure(), contract::UNSUPPORTED);
    EXPECT_EQ(runner.statistics().failed_jobs(), 2U);
}

TEST(TextRunner, AnEngineThatThrowsWhilePreparingCostsThatJobOnly) {
    TextRunner runner(scripted());
    const auto thrown = std::make_shared<WaitingSink>();
    runner.start(text_job("1", "throw"), thrown);
    EXPECT_EQ(thrown->wait_for_end().failure(), contract::INTERNAL);
    const auto fine = std::make_shared<WaitingSink>();
    runner.start(text_job("2", "hello"), fine);
    EXPECT_TRUE(fine->wait_for_end().finished());
    EXPECT_EQ(runner.statistics().failed_jobs(), 1U);
}

TEST(TextRunner, AJobWhoseAnswersTakeAllSlotsHasTheNextOneWait) {
    TextRunner runner(scripted(
        {.limits = {.context_tokens = 1 << 20, .cells = 1 << 20, .sequences = 4, .slots = 2, .batch_tokens = 32},
         .end_every = 0}));
    auto two_answers = text_job("two answers", "go", std::nullopt);
    two_answers.mutable_text()->set_choices(2);
    const auto both = std::make_shared<WaitingSink>();
    runner.start(two_answers, both);
    both->wait_for_text(2);  // the runner learns of a step's slots before the next step
    const auto next = std::make_shared<WaitingSink>();
    runner.start(text_job("next", "hello"), next);
    EXPECT_TRUE(runner.cancel("two answers"));
    EXPECT_EQ(next->wait_for_end().events.front().queued().position(), 1U);
}

TEST(TextRunner, CancelsARunningJob) {
    TextRunner runner(scripted(
        {.limits = {.context_tokens = 1 << 20, .cells = 1 << 20, .sequences = 4, .slots = 2, .batch_tokens = 32},
         .end_every = 0}));
    const auto sink = std::make_shared<WaitingSink>();
    runner.start(text_job("endless", "go", std::nullopt), sink);
    sink->wait_for_text();
    EXPECT_TRUE(runner.health().busy());
    EXPECT_TRUE(runner.cancel("endless"));
    EXPECT_EQ(sink->wait_for_end().failure(), contract::CANCELLED);
    EXPECT_FALSE(runner.cancel("endless"));
}

TEST(TextRunner, ACancelInterruptsALongStep) {
    std::atomic<bool> abort_seen = false;
    TextRunner* cancelling = nullptr;
    auto settings = engine::scripted::Settings{};
    settings.intervene = [&](auto) {
        // The engine would compute for long now; the cancel comes meanwhile, and the step is given up.
        EXPECT_TRUE(cancelling->cancel("long"));
        abort_seen = true;
        return Decoded::aborted;
    };
    TextRunner runner(scripted(std::move(settings)));
    cancelling = &runner;
    const auto sink = std::make_shared<WaitingSink>();
    runner.start(text_job("long", "a long prompt"), sink);
    EXPECT_EQ(sink->wait_for_end().failure(), contract::CANCELLED);
    EXPECT_TRUE(abort_seen);
}

TEST(TextRunner, EndsWithJobsUnderWay) {
    const auto sink = std::make_shared<WaitingSink>();
    {
        TextRunner runner(scripted(
            {.limits = {.context_tokens = 1 << 20, .cells = 1 << 20, .sequences = 4, .slots = 2, .batch_tokens = 32},
             .end_every = 0}));
        runner.start(text_job("endless", "go", std::nullopt), sink);
        sink->wait_for_text();
    }
    SUCCEED();
}

TEST(TextRunner, ManyThreadsMayStartAndCancelAtOnce) {
    TextRunner runner(scripted({.end_every = 0}));
    std::vector<std::future<void>> callers;
    for (int caller = 0; caller < 4; ++caller) {
        callers.push_back(std::async(std::launch::async, [&runner, caller] {
            for (int number = 0; number < 50; ++number) {
                const auto id = std::to_string(caller) + "-" + std::to_string(number);
                const auto sink = std::make_shared<WaitingSink>();
                runner.start(text_job(id, "prompt " + id, 10), sink);
                if (number % 3 == 0) {
                    runner.cancel(id);
                }
                const auto heard = sink->wait_for_end();
                EXPECT_EQ(heard.after_the_end, 0);
                if (heard.finished()) {
                    EXPECT_EQ(heard.text.at(0),
                              text_of(engine::scripted::expected_answer(tokens_of("prompt " + id), 0, 10, 0)));
                }
            }
        }));
    }
    for (auto& caller : callers) {
        caller.get();
    }
    EXPECT_FALSE(runner.health().busy());
}

}  // namespace
}  // namespace worker::loop
