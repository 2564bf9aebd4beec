#include "gateway/dispatch/dispatcher.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "gateway/dispatch/dispatcher_fixture.hpp"

namespace gateway::dispatch {
namespace {

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

TEST_F(DispatcherTest, AJobThatEvaluatesNothingNeedsNoPlace) {
    dispatcher_.on_ready(model_, worker_, 1);
    submit("a");
    submit("b");
    Job light;
    light.set_id("light");
    light.mutable_tokens()->set_text("hello");
    Client& client = submit(dispatcher_, std::move(light));
    EXPECT_EQ(worker_.started, (std::vector<std::string>{"a", "light"}));
    worker_.say("light", finished());
    EXPECT_TRUE(client.has_ended());
    EXPECT_EQ(worker_.started.size(), 2);  // its end makes no room
    worker_.say("a", finished());
    EXPECT_EQ(worker_.started.back(), "b");
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

TEST_F(DispatcherTest, LongJobsMakeTheTimeToComeAgainLonger) {
    const auto job = [](const std::string& id, std::uint32_t max_tokens) {
        Job text;
        text.set_id(id);
        text.mutable_text()->set_text("0123456789");
        text.mutable_text()->set_max_tokens(max_tokens);
        return text;
    };
    const auto answered = [](std::uint32_t tokens) {
        Event event = finished();
        event.mutable_finished()->mutable_usage()->set_prompt_tokens(4);
        event.mutable_finished()->mutable_usage()->set_completion_tokens(tokens);
        return event;
    };
    const auto refused_after = [&] {
        Client& surplus = submit(dispatcher_, job("surplus", 10));
        executor_.run();
        return surplus.events.back().failed().retry_after_seconds();
    };
    dispatcher_.on_ready(model_, worker_, 1);
    for (const char* id : {"a", "b", "c"}) {
        submit(dispatcher_, job(id, 1000));
        clock_.advance(10s);
        worker_.say(id, answered(999));  // 400 units a second, and answers are as long as they may be
    }
    submit(dispatcher_, job("running", 1000));
    submit(dispatcher_, job("short 1", 100));
    submit(dispatcher_, job("short 2", 100));
    EXPECT_EQ(refused_after(), 13) << "10 and twice 1 seconds";
    for (int token = 0; token < 500; ++token) {
        worker_.say("running", text("a"));
    }
    EXPECT_EQ(refused_after(), 8) << "half of the long one is done";
    clients_.clear();
    submit(dispatcher_, job("running again", 100));
    submit(dispatcher_, job("long 1", 1000));
    submit(dispatcher_, job("long 2", 1000));
    EXPECT_EQ(refused_after(), 22);
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

TEST_F(DispatcherTest, ShowsItsLineInTheOrderOfService) {
    using Ids = std::vector<std::string>;
    EXPECT_EQ(dispatcher_.line(model_), Ids{}) << "nobody asked for it yet";
    dispatcher_.on_ready(model_, worker_, 1);
    submit("runs");
    submit("waits");
    submit("is urgent", 5);
    EXPECT_EQ(dispatcher_.line(model_), (Ids{"runs", "is urgent", "waits"}));
    worker_.say("runs", started());
    EXPECT_EQ(dispatcher_.line(model_), (Ids{"runs", "is urgent", "waits"})) << "also when it has begun";
    worker_.say("runs", finished());
    EXPECT_EQ(dispatcher_.line(model_), (Ids{"is urgent", "waits"}));
    EXPECT_EQ(dispatcher_.line(ModelName("nothing")), Ids{});
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
