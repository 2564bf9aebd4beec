#include "gateway/dispatch/finish_rate.hpp"

#include <gtest/gtest.h>

namespace gateway::dispatch {
namespace {

using namespace std::chrono_literals;

FinishRate after(std::initializer_list<std::chrono::milliseconds> times) {
    FinishRate rate;
    for (const auto time : times) {
        rate.finished(base::TimePoint{} + time);
    }
    return rate;
}

TEST(FinishRate, IsOneSecondWhileNothingIsKnown) {
    EXPECT_EQ(FinishRate().time_for(50), 1s);
    EXPECT_EQ(after({500ms}).time_for(50), 1s);
}

TEST(FinishRate, MultipliesTheMeanTimeBetweenFinishedJobs) {
    EXPECT_EQ(after({0ms, 1000ms, 4000ms}).time_for(5), 10s);
}

TEST(FinishRate, RoundsUpAndStaysWithinItsLimits) {
    EXPECT_EQ(after({0ms, 1ms}).time_for(3), 1s);
    EXPECT_EQ(after({0ms, 1001ms}).time_for(1), 2s);
    EXPECT_EQ(after({0ms, 60'000ms}).time_for(1000), 120s);
}

TEST(FinishRate, PausesDoNotCount) {
    FinishRate rate;
    base::TimePoint now{};
    rate.begin(now);
    for (int i = 0; i < 3; ++i) {
        rate.finished(now += 2s);
        rate.pause(now);
        rate.begin(now += 1h);
    }
    EXPECT_EQ(rate.time_for(5), 10s);
}

TEST(FinishRate, ForgetsOldJobs) {
    FinishRate rate;
    base::TimePoint now{};
    rate.finished(now);
    now += 1h;
    for (int i = 0; i < 40; ++i) {
        rate.finished(now += 1s);
    }
    EXPECT_EQ(rate.time_for(7), 7s);
}

}  // namespace
}  // namespace gateway::dispatch
