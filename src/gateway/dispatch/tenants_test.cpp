// What clients with keys of their own notice of one another.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "gateway/dispatch/dispatcher_fixture.hpp"

namespace gateway::dispatch {
namespace {

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

}  // namespace
}  // namespace gateway::dispatch
