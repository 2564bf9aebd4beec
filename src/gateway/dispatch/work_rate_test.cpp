#include "gateway/dispatch/work_rate.hpp"

#include <gtest/gtest.h>

namespace gateway::dispatch {
namespace {

using namespace std::chrono_literals;

WorkRate after(std::initializer_list<std::pair<std::chrono::milliseconds, double>> jobs) {
    WorkRate rate;
    for (const auto& [time, work] : jobs) {
        rate.finished(base::TimePoint{} + time, work);
    }
    return rate;
}

TEST(WorkRate, IsOneSecondWhileNothingIsKnown) {
    EXPECT_EQ(WorkRate().time_for(50), 1s);
    EXPECT_EQ(after({{500ms, 10}}).time_for(50), 1s);
    EXPECT_EQ(after({{500ms, 0}, {900ms, 0}}).time_for(50), 1s);
}

TEST(WorkRate, IsTheWorkOfTheLastJobsInTheTimeTheyTook) {
    const auto rate = after({{0ms, 999}, {1000ms, 100}, {4000ms, 300}});  // 100 a second
    EXPECT_EQ(rate.time_for(500), 5s);
    EXPECT_EQ(rate.time_for(1500), 15s);
}

TEST(WorkRate, RoundsUpAndStaysWithinItsLimits) {
    EXPECT_EQ(after({{0ms, 1}, {1ms, 1}}).time_for(3), 1s);
    EXPECT_EQ(after({{0ms, 1}, {1001ms, 1}}).time_for(1), 2s);
    EXPECT_EQ(after({{0ms, 1}, {60'000ms, 1}}).time_for(1000), 120s);
}

TEST(WorkRate, PausesDoNotCount) {
    WorkRate rate;
    base::TimePoint now{};
    rate.begin(now);
    for (int i = 0; i < 3; ++i) {
        rate.finished(now += 2s, 1);
        rate.pause(now);
        rate.begin(now += 1h);
    }
    EXPECT_EQ(rate.time_for(5), 10s);
}

TEST(WorkRate, ForgetsOldJobs) {
    WorkRate rate;
    base::TimePoint now{};
    rate.finished(now, 1);
    now += 1h;
    for (int i = 0; i < 40; ++i) {
        rate.finished(now += 1s, 1);
    }
    EXPECT_EQ(rate.time_for(7), 7s);
}

}  // namespace
}  // namespace gateway::dispatch
