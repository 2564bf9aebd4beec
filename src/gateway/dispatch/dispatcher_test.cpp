#include "gateway/dispatch/dispatcher.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace gateway::dispatch {
namespace {

namespace engine = llm_gateway::engine::v1;
using namespace std::chrono_literals;
using backends::Event;
using backends::Job;
using backends::ModelName;
using backends::ModelState;
using backends::ModelStatus;

class LaterExecutor final : public backends::Executor {
public:
    void post(std::move_only_function<void()> work) override { queue_.push_back(std::move(work)); }
    void run() {
        while (!queue_.empty()) {
            auto work = std::move(queue_.front());
            queue_.pop_front();
            work();
        }
    }

private:
    std::deque<std::move_only_function<void()>> queue_;
};

class FixedCatalogue final : public backends::Catalogue {
public:
    std::vector<ModelStatus> models() const override { return {status}; }
    std::optional<ModelStatus> find(const ModelName& name) const override {
        return name == status.name ? std::optional(status) : std::nullopt;
    }
    std::optional<ModelName> default_model(backends::ModelKind) const override { return status.name; }

    ModelStatus status{.name = ModelName("tiny"), .state = ModelState::ready};
};

/// Keeps the jobs it gets until the test says what becomes of them.
class ScriptedBackend final : public backends::Backend {
public:
    std::unique_ptr<backends::Submission> submit(const ModelName&, Job job, backends::EventSink& sink) override {
        class Held final : public backends::Submission {
        public:
            Held(ScriptedBackend& backend, std::string id) : backend_(backend), id_(std::move(id)) {}
            ~Held() override {
                backend_.dropped.push_back(id_);
                std::erase_if(backend_.sinks, [&](const auto& held) { return held.first == id_; });
            }

        private:
            ScriptedBackend& backend_;
            const std::string id_;
        };
        started.push_back(job.id());
        sinks.emplace_back(job.id(), &sink);
        return std::make_unique<Held>(*this, job.id());
    }

    void say(const std::string& id, Event event) {
        const auto held = std::ranges::find(sinks, id, [](const auto& pair) { return pair.first; });
        ASSERT_NE(held, sinks.end()) << id << " does not run here";
        held->second->on_event(std::move(event));
    }

    std::vector<std::string> started;
    std::vector<std::string> dropped;
    std::vector<std::pair<std::string, backends::EventSink*>> sinks;
};

struct Client final : public backends::EventSink {
    void on_event(Event event) override { events.push_back(std::move(event)); }
    bool has_ended() const { return !events.empty() && (events.back().has_finished() || events.back().has_failed()); }
    engine::ErrorCode code() const {
        return events.empty() ? engine::ERROR_CODE_UNSPECIFIED : events.back().failed().code();
    }

    std::vector<Event> events;
    std::unique_ptr<backends::Submission> submission;
};

Event started(double queue_seconds = 0) {
    Event event;
    event.mutable_started()->set_queue_seconds(queue_seconds);
    return event;
}

Event text(const std::string& words) {
    Event event;
    event.mutable_text()->set_text(words);
    return event;
}

Event finished() {
    Event event;
    event.mutable_finished();
    return event;
}

Event broken() {
    Event event;
    event.mutable_failed()->set_code(engine::UNAVAILABLE);
    return event;
}

class DispatcherTest : public testing::Test {
protected:
    Client& submit(const std::string& id, int priority = 0, const std::string& model = "tiny") {
        Job job;
        job.set_id(id);
        job.set_priority(priority);
        return submit(dispatcher_, std::move(job), model);
    }
    Client& submit(Dispatcher& dispatcher, Job job, const std::string& model = "tiny") {
        clients_.push_back(std::make_unique<Client>());
        clients_.back()->submission = dispatcher.submit(ModelName(model), std::move(job), *clients_.back());
        return *clients_.back();
    }

    void set_state(ModelState state) {
        catalogue_.status.state = state;
        if (state != ModelState::ready) {
            dispatcher_.on_not_ready(model_);
        }
    }

    const ModelName model_{"tiny"};
    base::ManualClock clock_;
    LaterExecutor executor_;
    FixedCatalogue catalogue_;
    ScriptedBackend worker_;
    Dispatcher dispatcher_{
        {.max_waiting = 2, .longest_load_wait = 10s, .longest_wait = 60s}, catalogue_, executor_, clock_};
    std::vector<std::unique_ptr<Client>> clients_;
};

TEST_F(DispatcherTest, GivesAJobToAReadyWorkerAtOnceAndPassesItsEventsOn) {
    dispatcher_.on_ready(model_, worker_, 2);
    Client& client = submit("a");
    EXPECT_EQ(worker_.started, std::vector<std::string>{"a"});
    worker_.say("a", started());
    worker_.say("a", text("hi"));
    worker_.say("a", finished());
    ASSERT_EQ(client.events.size(), 3);
    EXPECT_EQ(client.events[1].text().text(), "hi");
    EXPECT_TRUE(dispatcher_.idle());
}

TEST_F(DispatcherTest, RefusesAModelThatDoesNotExist) {
    Client& client = submit("a", 0, "nothing");
    EXPECT_TRUE(client.events.empty());  // never before submit has returned
    executor_.run();
    ASSERT_TRUE(client.has_ended());
    EXPECT_EQ(client.code(), engine::NOT_FOUND);
    EXPECT_EQ(client.events.back().failed().param(), "model");
    EXPECT_TRUE(dispatcher_.load().empty());
}

TEST_F(DispatcherTest, QueuesWhenTheWorkerHasItsFillAndSaysSo) {
    dispatcher_.on_ready(model_, worker_, 1);
    submit("a");
    Client& second = submit("b");
    executor_.run();
    ASSERT_EQ(second.events.size(), 1);
    EXPECT_EQ(second.events[0].queued().position(), 1);
    EXPECT_EQ(worker_.started.size(), 1);
    worker_.say("a", finished());
    EXPECT_EQ(worker_.started, (std::vector<std::string>{"a", "b"}));
}

TEST_F(DispatcherTest, LargerPriorityRunsFirstThenFirstCome) {
    dispatcher_.on_ready(model_, worker_, 1);
    submit("a");
    submit("low", -1);
    submit("high", 5);
    worker_.say("a", finished());
    worker_.say("high", finished());
    worker_.say("low", finished());
    EXPECT_EQ(worker_.started, (std::vector<std::string>{"a", "high", "low"}));
}

TEST_F(DispatcherTest, AFullQueueIsBusyWithAHintFromTheMeasuredRate) {
    dispatcher_.on_ready(model_, worker_, 1);
    submit("a");
    submit("b");
    worker_.say("a", finished());
    clock_.advance(4s);
    worker_.say("b", finished());  // one job in four seconds
    submit("c");
    submit("d");
    submit("e");
    Client& surplus = submit("f");
    executor_.run();
    ASSERT_TRUE(surplus.has_ended());
    EXPECT_EQ(surplus.code(), engine::BUSY);
    EXPECT_EQ(surplus.events.back().failed().retry_after_seconds(), 12);  // two wait, one runs
}

TEST_F(DispatcherTest, AModelMayHaveALimitOfItsOwn) {
    Dispatcher dispatcher({.max_waiting = 2, .max_waiting_for = {{model_, 0}}}, catalogue_, executor_, clock_);
    dispatcher.on_ready(model_, worker_, 1);
    Client first;
    Client second;
    first.submission = dispatcher.submit(model_, Job(), first);
    second.submission = dispatcher.submit(model_, Job(), second);
    executor_.run();
    EXPECT_EQ(second.code(), engine::BUSY);
    EXPECT_FALSE(first.has_ended());
}

TEST_F(DispatcherTest, AJobWhoseClientLeftWhileItWaitedNeverStarts) {
    dispatcher_.on_ready(model_, worker_, 1);
    submit("a");
    Client& leaver = submit("b");
    submit("c");
    leaver.submission.reset();
    executor_.run();
    worker_.say("a", finished());
    EXPECT_EQ(worker_.started, (std::vector<std::string>{"a", "c"}));
    EXPECT_TRUE(leaver.events.empty());
}

TEST_F(DispatcherTest, AClientThatLeavesARunningJobMakesRoomForTheNext) {
    dispatcher_.on_ready(model_, worker_, 1);
    Client& leaver = submit("a");
    submit("b");
    leaver.submission.reset();
    EXPECT_EQ(worker_.dropped, std::vector<std::string>{"a"});
    EXPECT_EQ(worker_.started, (std::vector<std::string>{"a", "b"}));
}

TEST_F(DispatcherTest, AClientMayLeaveFromWithinAnEvent) {
    struct Leaver final : public backends::EventSink {
        void on_event(Event) override { submission.reset(); }
        std::unique_ptr<backends::Submission> submission;
    };
    dispatcher_.on_ready(model_, worker_, 1);
    Leaver leaver;
    Job job;
    job.set_id("a");
    leaver.submission = dispatcher_.submit(model_, job, leaver);
    worker_.say("a", text("hi"));
    EXPECT_EQ(worker_.dropped, std::vector<std::string>{"a"});
    leaver.submission = dispatcher_.submit(model_, job, leaver);
    worker_.say("a", finished());
    EXPECT_TRUE(dispatcher_.idle());
}

TEST_F(DispatcherTest, WaitsForAModelThatLoads) {
    set_state(ModelState::loading);
    Client& client = submit("a");
    executor_.run();
    EXPECT_FALSE(client.has_ended());
    catalogue_.status.state = ModelState::ready;
    dispatcher_.on_ready(model_, worker_, 1);
    EXPECT_EQ(worker_.started, std::vector<std::string>{"a"});
}

TEST_F(DispatcherTest, StopsWaitingForAModelThatLoadsForTooLong) {
    set_state(ModelState::loading);
    catalogue_.status.retry_after = 7s;
    Client& client = submit("a");
    clock_.advance(9s);
    dispatcher_.tick();
    EXPECT_FALSE(client.has_ended());
    clock_.advance(1s);
    dispatcher_.tick();
    ASSERT_TRUE(client.has_ended());
    EXPECT_EQ(client.code(), engine::UNAVAILABLE);
    EXPECT_EQ(client.events.back().failed().retry_after_seconds(), 7);
}

TEST_F(DispatcherTest, RefusesAtOnceWhileAModelRestarts) {
    set_state(ModelState::restarting);
    catalogue_.status.retry_after = 3s;
    Client& client = submit("a");
    executor_.run();
    ASSERT_TRUE(client.has_ended());
    EXPECT_EQ(client.code(), engine::UNAVAILABLE);
    EXPECT_EQ(client.events.back().failed().retry_after_seconds(), 3);
}

TEST_F(DispatcherTest, SaysWhyAModelCannotBeLoaded) {
    set_state(ModelState::loading);
    Client& waiting = submit("a");
    catalogue_.status.problem = "tensor 'x' is missing";
    set_state(ModelState::failed);
    Client& later = submit("b");
    executor_.run();
    for (const Client* client : {&waiting, &later}) {
        ASSERT_TRUE(client->has_ended());
        EXPECT_EQ(client->code(), engine::UNAVAILABLE);
        EXPECT_NE(client->events.back().failed().message().find("tensor 'x' is missing"), std::string::npos);
    }
}

TEST_F(DispatcherTest, WhenAWorkerDiesJobsThatHadBegunFailAndTheOthersRunOnItsSuccessor) {
    dispatcher_.on_ready(model_, worker_, 2);
    Client& begun = submit("begun");
    Client& placed = submit("placed");
    Client& waiting = submit("waiting");
    worker_.say("begun", started());
    worker_.say("begun", broken());  // the broken streams may be seen before the fleet sees the death
    worker_.say("placed", broken());
    EXPECT_EQ(begun.code(), engine::UNAVAILABLE);
    EXPECT_FALSE(placed.has_ended());
    EXPECT_EQ(worker_.started.size(), 2) << "a worker that broke its streams gets no more jobs";
    set_state(ModelState::restarting);

    ScriptedBackend successor;
    catalogue_.status.state = ModelState::ready;
    dispatcher_.on_ready(model_, successor, 2);
    EXPECT_EQ(successor.started, (std::vector<std::string>{"placed", "waiting"}));
    successor.say("placed", finished());
    successor.say("waiting", finished());
    EXPECT_TRUE(placed.events.back().has_finished());
    EXPECT_TRUE(waiting.events.back().has_finished());
}

TEST_F(DispatcherTest, AJobWithNothingBeforeItHasBegunWhenItsWorkerDies) {
    dispatcher_.on_ready(model_, worker_, 2);
    Client& first = submit("first");
    Client& second = submit("second");
    Event queued;
    queued.mutable_queued()->set_position(0);
    worker_.say("first", queued);
    queued.mutable_queued()->set_position(1);
    worker_.say("second", queued);
    worker_.say("first", broken());
    worker_.say("second", broken());
    EXPECT_EQ(first.code(), engine::UNAVAILABLE);
    EXPECT_FALSE(second.has_ended());
}

TEST_F(DispatcherTest, AJobThatADrainingWorkerRefusesRunsOnItsSuccessor) {
    dispatcher_.on_ready(model_, worker_, 1);
    Client& client = submit("a");
    Event queued;
    queued.mutable_queued()->set_position(1);
    worker_.say("a", queued);
    worker_.say("a", broken());
    EXPECT_FALSE(client.has_ended());
    set_state(ModelState::restarting);
    ScriptedBackend successor;
    catalogue_.status.state = ModelState::ready;
    dispatcher_.on_ready(model_, successor, 1);
    EXPECT_EQ(successor.started, std::vector<std::string>{"a"});
    successor.say("a", finished());
    EXPECT_TRUE(client.events.back().has_finished());
}

TEST_F(DispatcherTest, AJobThatBreaksEveryWorkerBeforeItBeginsIsGivenUp) {
    dispatcher_.on_ready(model_, worker_, 1);
    Client& client = submit("a");
    for (int attempt = 1; attempt <= 2; ++attempt) {
        EXPECT_EQ(worker_.started.size(), attempt);
        worker_.say("a", broken());
        clock_.advance(2s);
        dispatcher_.tick();
    }
    EXPECT_EQ(client.code(), engine::UNAVAILABLE);
    EXPECT_EQ(worker_.started.size(), 2);
}

TEST_F(DispatcherTest, CountsTheTimeInItsOwnQueueAsQueueing) {
    dispatcher_.on_ready(model_, worker_, 1);
    submit("a");
    Client& second = submit("b");
    clock_.advance(5s);
    worker_.say("a", finished());
    worker_.say("b", started(0.5));
    worker_.say("b", finished());
    ASSERT_EQ(second.events.size(), 2);
    EXPECT_DOUBLE_EQ(second.events[0].started().queue_seconds(), 5.5);
    EXPECT_DOUBLE_EQ(second.events[1].finished().timings().queue_seconds(), 5);
}

TEST_F(DispatcherTest, EndsWhatWaitedTooLong) {
    dispatcher_.on_ready(model_, worker_, 1);
    submit("a");
    Client& second = submit("b");
    clock_.advance(60s);
    dispatcher_.tick();
    ASSERT_TRUE(second.has_ended());
    EXPECT_EQ(second.code(), engine::BUSY);
}

TEST_F(DispatcherTest, DrainingRefusesNewJobsAndFinishesTheAcceptedOnes) {
    dispatcher_.on_ready(model_, worker_, 1);
    submit("a");
    Client& accepted = submit("b");
    dispatcher_.drain();
    Client& late = submit("c");
    executor_.run();
    EXPECT_EQ(late.code(), engine::UNAVAILABLE);
    worker_.say("a", finished());
    EXPECT_FALSE(dispatcher_.idle());
    worker_.say("b", finished());
    EXPECT_TRUE(accepted.events.back().has_finished());
    EXPECT_TRUE(dispatcher_.idle());
}

TEST_F(DispatcherTest, ReportsWhatRunsAndWaits) {
    dispatcher_.on_ready(model_, worker_, 1);
    submit("a");
    submit("b");
    submit("c");
    const auto load = dispatcher_.load();
    ASSERT_EQ(load.size(), 1);
    EXPECT_EQ(load[0].running, 1);
    EXPECT_EQ(load[0].waiting, 2);
}

Job job_of(const std::string& tenant, const std::string& id) {
    Job job;
    job.set_id(id);
    job.set_tenant(tenant);
    return job;
}

Event finished_after(std::uint32_t prompt_tokens, std::uint32_t completion_tokens) {
    Event event = finished();
    event.mutable_finished()->mutable_usage()->set_prompt_tokens(prompt_tokens);
    event.mutable_finished()->mutable_usage()->set_completion_tokens(completion_tokens);
    return event;
}

TEST_F(DispatcherTest, AKeyWithOneRequestDoesNotWaitForAHundredOfAnother) {
    Dispatcher dispatcher({.max_waiting = 200}, catalogue_, executor_, clock_);
    dispatcher.on_ready(model_, worker_, 1);
    for (int job = 0; job < 100; ++job) {
        submit(dispatcher, job_of("many", "m" + std::to_string(job)));
    }
    submit(dispatcher, job_of("one", "one"));
    worker_.say("m0", finished_after(100, 10));
    EXPECT_EQ(worker_.started.back(), "one");
    worker_.say("one", finished_after(100, 10));
    EXPECT_EQ(worker_.started.back(), "m1");
    clients_.clear();
}

TEST_F(DispatcherTest, TurnsFollowCostAndWeight) {
    Dispatcher dispatcher({.max_waiting = 200, .tenants = {{"heavy", {.weight = 2}}}}, catalogue_, executor_, clock_);
    dispatcher.on_ready(model_, worker_, 1);
    for (int job = 0; job < 40; ++job) {
        submit(dispatcher, job_of("heavy", "h" + std::to_string(job)));
        submit(dispatcher, job_of("light", "l" + std::to_string(job)));
    }
    for (int job = 0; job < 30; ++job) {
        worker_.say(worker_.started.back(), finished_after(50, 10));
    }
    EXPECT_NEAR(
        static_cast<double>(std::ranges::count_if(worker_.started, [](const auto& id) { return id[0] == 'h'; })), 20,
        2);
    clients_.clear();
}

TEST_F(DispatcherTest, AKeyRunsNoMoreAtATimeThanItMay) {
    Dispatcher dispatcher({.max_waiting = 10, .tenants = {{"batch", {.max_running = 1}}}}, catalogue_, executor_,
                          clock_);
    dispatcher.on_ready(model_, worker_, 3);
    submit(dispatcher, job_of("batch", "b1"));
    submit(dispatcher, job_of("batch", "b2"));
    submit(dispatcher, job_of("other", "o1"));
    EXPECT_EQ(worker_.started, (std::vector<std::string>{"b1", "o1"}));
    worker_.say("b1", finished());
    EXPECT_EQ(worker_.started.back(), "b2");
    clients_.clear();
}

TEST_F(DispatcherTest, AKeysPriorityCountsWithTheRequests) {
    Dispatcher dispatcher({.max_waiting = 10, .tenants = {{"vip", {.priority = 2}}}}, catalogue_, executor_, clock_);
    dispatcher.on_ready(model_, worker_, 1);
    submit(dispatcher, job_of("a", "running"));
    Job urgent = job_of("a", "urgent");
    urgent.set_priority(1);
    submit(dispatcher, std::move(urgent));
    submit(dispatcher, job_of("vip", "vip"));
    worker_.say("running", finished());
    EXPECT_EQ(worker_.started.back(), "vip");
    clients_.clear();
}

TEST_F(DispatcherTest, AFullQueueShutsNoKeyOut) {
    Dispatcher dispatcher({.max_waiting = 2}, catalogue_, executor_, clock_);
    dispatcher.on_ready(model_, worker_, 1);
    for (const char* id : {"m1", "m2", "m3"}) {
        submit(dispatcher, job_of("many", id));
    }
    const Client& one = submit(dispatcher, job_of("one", "o1"));
    const Client& two = submit(dispatcher, job_of("one", "o2"));
    executor_.run();
    EXPECT_FALSE(one.has_ended());
    EXPECT_EQ(two.code(), engine::BUSY);
    clients_.clear();
}

TEST_F(DispatcherTest, AJobThatIsTooLateNeverStarts) {
    dispatcher_.on_ready(model_, worker_, 1);
    submit("running");
    Job job = job_of("", "hurried");
    job.set_seconds_left(3);
    const Client& hurried = submit(dispatcher_, std::move(job));
    clock_.advance(2s);
    dispatcher_.tick();
    EXPECT_FALSE(hurried.has_ended());
    clock_.advance(1s);
    dispatcher_.tick();
    EXPECT_EQ(hurried.code(), engine::DEADLINE);
    worker_.say("running", finished());
    EXPECT_EQ(worker_.started.size(), 1U);
}

TEST_F(DispatcherTest, LosesNoAcceptedJobWhenFiveHundredArriveAtOnce) {
    Dispatcher dispatcher({.max_waiting = 32}, catalogue_, executor_, clock_);
    dispatcher.on_ready(model_, worker_, 4);
    std::vector<std::unique_ptr<Client>> clients;
    for (int i = 0; i < 500; ++i) {
        Job job;
        job.set_id(std::to_string(i));
        clients.push_back(std::make_unique<Client>());
        clients.back()->submission = dispatcher.submit(model_, job, *clients.back());
    }
    executor_.run();
    while (!worker_.sinks.empty()) {
        worker_.say(std::string(worker_.sinks.front().first), finished());
    }
    const auto finished_jobs =
        std::ranges::count_if(clients, [](const auto& c) { return c->events.back().has_finished(); });
    const auto busy_jobs = std::ranges::count_if(clients, [](const auto& c) { return c->code() == engine::BUSY; });
    EXPECT_EQ(finished_jobs, 36);
    EXPECT_EQ(busy_jobs, 464);
}

}  // namespace
}  // namespace gateway::dispatch
