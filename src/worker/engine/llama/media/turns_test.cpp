#include "worker/engine/llama/media/turns.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>

namespace worker::engine::llama {
namespace {

constexpr base::Duration no_time{};
constexpr base::Duration long_time = std::chrono::hours(1);

/// A worker that does each of its jobs in `parts` parts and counts.
struct Counter {
    explicit Counter(int parts) : parts_(parts), thread_([this] { run(); }) {}
    Counter(const Counter&) = delete;
    Counter& operator=(const Counter&) = delete;
    ~Counter() {
        turns.end();
        thread_.join();
    }

    void run() {
        while (turns.wait()) {
            bool goes_on = true;
            for (int part = 0; goes_on && part < parts_; ++part) {
                ++done;
                goes_on = turns.may_go_on();
            }
            ++jobs;
            turns.hand_back();
        }
    }

    Turns turns;
    std::atomic<bool> abort = false;
    // Of whoever has the turn.
    int done = 0;
    int jobs = 0;

private:
    int parts_;
    std::thread thread_;
};

TEST(Turns, AreAWholeJobWhenThereIsTimeForIt) {
    Counter counter(10);
    counter.turns.give(long_time, counter.abort);
    EXPECT_EQ(counter.done, 10);
    EXPECT_EQ(counter.jobs, 1);
}

TEST(Turns, EndAtTheNextMomentWhenTheTimeIsOver) {
    Counter counter(10);
    for (int turn = 1; turn <= 10; ++turn) {
        counter.turns.give(no_time, counter.abort);
        EXPECT_EQ(counter.done, turn);
        EXPECT_EQ(counter.jobs, 0);
    }
    counter.turns.give(no_time, counter.abort);
    EXPECT_EQ(counter.jobs, 1);
}

TEST(Turns, EndWithTheJobWhenItIsAborted) {
    Counter counter(10);
    counter.abort = true;
    counter.turns.give(long_time, counter.abort);
    EXPECT_EQ(counter.done, 1);
    EXPECT_EQ(counter.jobs, 1);
}

TEST(Turns, AJobThatIsWithdrawnGoesNoFurther) {
    Counter counter(10);
    counter.turns.give(no_time, counter.abort);
    counter.turns.withdraw();
    EXPECT_EQ(counter.done, 1);
    EXPECT_EQ(counter.jobs, 1);
    counter.turns.give(long_time, counter.abort);
    EXPECT_EQ(counter.done, 11) << "the next one is a job like any other";
}

TEST(Turns, BeforeTheFirstOneNobodyIsStopped) {
    Turns turns;
    EXPECT_TRUE(turns.may_go_on());
}

}  // namespace
}  // namespace worker::engine::llama
