#include "gateway/fleet/worker_life.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gateway::fleet {
namespace {

using namespace std::chrono_literals;
using backends::ModelState;

class RecordedEffects final : public Effects {
public:
    void start_process() override { done.emplace_back("start"); }
    void terminate_process() override { done.emplace_back("terminate"); }
    void kill_process() override { done.emplace_back("kill"); }
    void ask_health() override { ++questions; }
    ProcessorTime processor_time() override { return processor; }
    void ask_facts() override { done.emplace_back("facts"); }
    void became_ready() override { done.emplace_back("ready"); }
    void became_unready() override { done.emplace_back("unready"); }

    /// What was done since the last call.
    std::vector<std::string> take() { return std::exchange(done, {}); }

    std::vector<std::string> done;
    int questions = 0;
    /// Between any two questions.
    ProcessorTime processor;
};

using Done = std::vector<std::string>;

class WorkerLifeTest : public testing::Test {
protected:
    /// Lets time pass in ticks; each is followed by `answer`, when there is one.
    void pass(base::Duration time, const std::optional<Health>& answer) {
        for (base::Duration passed{}; passed < time; passed += 100ms) {
            clock_.advance(100ms);
            life_.tick();
            if (answer) {
                life_.on_health(*answer);
            }
        }
    }

    void become_ready() {
        life_.on_health({.ready = true});
        life_.on_facts();
        ASSERT_EQ(life_.state(), ModelState::ready);
        effects_.take();
    }

    void start_ready() {
        life_.start();
        become_ready();
    }

    /// How long after its death the successor is started.
    base::Duration backoff() {
        effects_.take();
        for (base::Duration passed{}; passed < 10min; passed += 50ms) {
            life_.tick();
            if (!effects_.take().empty()) {
                return passed;
            }
            clock_.advance(50ms);
        }
        return 10min;
    }

    base::ManualClock clock_;
    RecordedEffects effects_;
    WorkerLife life_{{.watchdog_timeout = 10s, .failed_pause = 60s, .stop_grace = 3s}, clock_, effects_};
};

TEST_F(WorkerLifeTest, IsReadyWhenTheWorkerSaysSoAndHasToldItsFacts) {
    life_.start();
    EXPECT_EQ(effects_.take(), Done{"start"});
    EXPECT_EQ(life_.state(), ModelState::loading);
    pass(1s, Health{.load_progress = 0.5});
    EXPECT_EQ(effects_.take(), Done{});
    life_.on_health({.ready = true});
    EXPECT_EQ(effects_.take(), Done{"facts"});
    EXPECT_EQ(life_.state(), ModelState::loading);
    life_.on_facts();
    EXPECT_EQ(effects_.take(), Done{"ready"});
    EXPECT_EQ(life_.state(), ModelState::ready);
    EXPECT_FALSE(life_.retry_after());
}

TEST_F(WorkerLifeTest, AsksOftenWhileLoadingAndSeldomAfterwards) {
    life_.start();
    pass(1s, Health{});
    EXPECT_EQ(effects_.questions, 10);
    become_ready();
    effects_.questions = 0;
    pass(10s, Health{.ready = true});
    EXPECT_EQ(effects_.questions, 10);
}

TEST_F(WorkerLifeTest, GuessesTheRestOfTheLoadFromItsProgress) {
    life_.start();
    pass(10s, Health{.load_progress = 0.25});
    EXPECT_EQ(life_.retry_after(), 30s);
}

TEST_F(WorkerLifeTest, ADeadWorkerIsReplacedAfterABackoff) {
    start_ready();
    life_.on_died({.signal = 9});
    EXPECT_EQ(effects_.take(), Done{"unready"});
    EXPECT_EQ(life_.state(), ModelState::restarting);
    EXPECT_GE(life_.retry_after().value(), 1s);
    EXPECT_EQ(backoff(), 250ms);
    EXPECT_EQ(life_.state(), ModelState::restarting) << "until the successor is ready";
    EXPECT_EQ(life_.restarts(), 1);
    become_ready();
}

TEST_F(WorkerLifeTest, TheBackoffDoublesUpToALimitAndStartsAnewAfterAStableTime) {
    life_.start();
    for (const auto expected : {250ms, 500ms, 1000ms, 2000ms, 4000ms, 8000ms, 16'000ms, 30'000ms, 30'000ms}) {
        life_.on_died({.signal = 11});
        EXPECT_EQ(backoff(), expected);
    }
    become_ready();
    pass(59s, Health{.ready = true});
    life_.on_died({.signal = 11});
    EXPECT_EQ(backoff(), 30s);
    become_ready();
    pass(60s, Health{.ready = true});
    life_.on_died({.signal = 11});
    EXPECT_EQ(backoff(), 250ms);
}

TEST_F(WorkerLifeTest, AModelThatCannotBeLoadedIsFailedAndTriedAgainMuchLater) {
    life_.start();
    life_.on_died({.exit_status = 3, .last_line = "tiny.gguf is truncated"});
    EXPECT_EQ(life_.state(), ModelState::failed);
    EXPECT_EQ(life_.problem(), "tiny.gguf is truncated");
    EXPECT_EQ(backoff(), 60s);
    EXPECT_EQ(life_.state(), ModelState::loading);
}

TEST_F(WorkerLifeTest, AFailedModelIsTriedAgainWhenItsFileChanges) {
    life_.start();
    life_.on_died({.exit_status = 3});
    pass(1s, std::nullopt);
    life_.on_file_changed();
    EXPECT_EQ(backoff(), 0s);
    become_ready();
    EXPECT_EQ(life_.problem(), "");
}

TEST_F(WorkerLifeTest, AProgramThatCannotBeStartedIsAFailedModel) {
    life_.start();
    life_.on_start_failed("no such program");
    EXPECT_EQ(life_.state(), ModelState::failed);
    EXPECT_EQ(life_.problem(), "no such program");
}

TEST_F(WorkerLifeTest, AWorkerThatDoesNotAnswerIsKilledAndReplaced) {
    start_ready();
    pass(9900ms, std::nullopt);
    EXPECT_EQ(effects_.take(), Done{});
    pass(100ms, std::nullopt);
    EXPECT_EQ(effects_.take(), (Done{"unready", "kill"}));
    EXPECT_EQ(life_.state(), ModelState::restarting);
    pass(20s, std::nullopt);
    EXPECT_EQ(effects_.take(), Done{}) << "killed once, and no successor beside a living one";
    life_.on_died({.signal = 9});
    EXPECT_EQ(life_.problem(), "The worker did not answer.");
    EXPECT_EQ(backoff(), 250ms);
}

TEST_F(WorkerLifeTest, AWorkerThatIsBusyWithoutFinishingStepsIsKilled) {
    start_ready();
    pass(5s, Health{.ready = true, .busy = true, .steps = 7});
    pass(9900ms, Health{.ready = true, .busy = true, .steps = 8});
    EXPECT_EQ(effects_.take(), Done{});
    pass(200ms, Health{.ready = true, .busy = true, .steps = 8});
    EXPECT_EQ(effects_.take(), (Done{"unready", "kill"}));
}

TEST_F(WorkerLifeTest, AWorkerThatGetsNoProcessorIsGivenTheTimeItDidNotHave) {
    start_ready();
    effects_.processor.starved = 900ms;  // of every second
    pass(90s, Health{.ready = true, .busy = true, .steps = 8});
    EXPECT_EQ(effects_.take(), Done{});
    pass(15s, Health{.ready = true, .busy = true, .steps = 8});
    EXPECT_EQ(effects_.take(), (Done{"unready", "kill"}));
}

TEST_F(WorkerLifeTest, ComputingIsNoProgressWhereStepsAreShort) {
    start_ready();
    effects_.processor.computed = true;
    pass(15s, Health{.ready = true, .busy = true, .steps = 8});
    EXPECT_EQ(effects_.take(), (Done{"unready", "kill"}));
}

TEST(WorkerLife, AStepMayTakeLongWhileTheWorkerComputes) {
    base::ManualClock clock;
    RecordedEffects effects;
    WorkerLife life({.watchdog_timeout = 10s, .long_steps = true}, clock, effects);
    const auto draw = [&](base::Duration time) {
        for (base::Duration passed{}; passed < time; passed += 1s) {
            clock.advance(1s);
            life.tick();
            life.on_health({.ready = true, .busy = true, .steps = 1});
        }
    };
    life.start();
    life.on_health({.ready = true});
    life.on_facts();
    effects.take();
    effects.processor.computed = true;
    draw(10min);
    EXPECT_EQ(effects.take(), Done{});
    effects.processor.computed = false;
    draw(9s);
    EXPECT_EQ(effects.take(), Done{});
    draw(3s);
    EXPECT_EQ(effects.take(), (Done{"unready", "kill"}));
}

TEST_F(WorkerLifeTest, AnIdleWorkerMayRestForEver) {
    start_ready();
    pass(60s, Health{.ready = true, .busy = false, .steps = 8});
    EXPECT_EQ(effects_.take(), Done{});
}

TEST_F(WorkerLifeTest, AWorkerThatNeverAnswersWhileLoadingIsKilledToo) {
    life_.start();
    effects_.take();
    pass(10s, std::nullopt);
    EXPECT_EQ(effects_.take(), (Done{"unready", "kill"}));
}

TEST_F(WorkerLifeTest, ALoadThatTakesForEverIsGivenUp) {
    life_.start();
    effects_.take();
    pass(9min + 59s, Health{.load_progress = 0.5});
    EXPECT_EQ(effects_.take(), Done{});
    pass(1s, Health{.load_progress = 0.5});
    EXPECT_EQ(effects_.take(), (Done{"unready", "kill"}));
}

TEST_F(WorkerLifeTest, AGatewayThatStoodStillDoesNotBlameItsWorkers) {
    start_ready();
    clock_.advance(1h);
    life_.tick();
    EXPECT_EQ(effects_.take(), Done{});
}

TEST_F(WorkerLifeTest, AWorkerThatDrainsByItselfGetsNoJobsAndIsReplaced) {
    start_ready();
    life_.on_health({.draining = true});
    EXPECT_EQ(effects_.take(), Done{"unready"});
    life_.on_died({.exit_status = 0});
    EXPECT_EQ(backoff(), 250ms);
}

TEST_F(WorkerLifeTest, StopTerminatesAndKillsOnlyWhoDoesNotEnd) {
    start_ready();
    life_.stop();
    EXPECT_EQ(effects_.take(), (Done{"unready", "terminate"}));
    EXPECT_EQ(life_.state(), ModelState::draining);
    pass(2900ms, std::nullopt);
    EXPECT_FALSE(life_.stopped());
    EXPECT_EQ(effects_.take(), Done{});
    pass(100ms, std::nullopt);
    EXPECT_EQ(effects_.take(), Done{"kill"});
    life_.on_died({.signal = 9});
    EXPECT_TRUE(life_.stopped());
    pass(10min, std::nullopt);
    EXPECT_EQ(effects_.take(), Done{});
}

TEST_F(WorkerLifeTest, StopDuringABackoffStartsNothing) {
    start_ready();
    life_.on_died({.signal = 9});
    life_.stop();
    effects_.take();
    pass(1min, std::nullopt);
    EXPECT_EQ(effects_.take(), Done{});
    EXPECT_TRUE(life_.stopped());
}

}  // namespace
}  // namespace gateway::fleet
