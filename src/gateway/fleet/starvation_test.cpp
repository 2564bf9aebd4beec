#include "gateway/fleet/starvation.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "base/temporary_folder.hpp"

namespace gateway::fleet {
namespace {

using namespace std::chrono_literals;

class StarvationTest : public testing::Test {
protected:
    void set_thread(int number, char state, base::Duration used) {
        const auto ticks = static_cast<long>(base::seconds(used) * static_cast<double>(::sysconf(_SC_CLK_TCK)));
        proc_.write("42/task/" + std::to_string(number) + "/stat",
                    std::string("42 (a (worker)) ") + state + " 1 42 42 0 -1 4194560 5 0 17 0 " +
                        std::to_string(ticks) + " 0 0 0 20 0 4 0 9 1 1\n");
    }

    base::TemporaryFolder proc_;
    base::TimePoint now_{};
};

TEST_F(StarvationTest, ARunnableProcessThatGetsNoProcessorStarves) {
    StarvationMeter meter(42, proc_.path());
    set_thread(1, 'S', 0s);
    set_thread(2, 'R', 10s);
    EXPECT_EQ(meter.look(now_).starved, 0s);
    set_thread(2, 'R', 11s);
    EXPECT_EQ(meter.look(now_ + 10s).starved, 9s);
    set_thread(2, 'R', 11s);
    EXPECT_EQ(meter.look(now_ + 11s).starved, 1s);
}

TEST_F(StarvationTest, ASleepingProcessDoesNotStarve) {
    StarvationMeter meter(42, proc_.path());
    set_thread(1, 'S', 0s);
    meter.look(now_);
    EXPECT_EQ(meter.look(now_ + 10s).starved, 0s);
}

TEST_F(StarvationTest, AProcessThatSpinsDoesNotStarve) {
    StarvationMeter meter(42, proc_.path());
    set_thread(1, 'R', 0s);
    set_thread(2, 'R', 0s);
    meter.look(now_);
    set_thread(1, 'R', 10s);
    set_thread(2, 'R', 10s);
    EXPECT_EQ(meter.look(now_ + 10s).starved, 0s);
}

TEST_F(StarvationTest, AnsweringHealthIsNotComputing) {
    StarvationMeter meter(42, proc_.path());
    set_thread(1, 'S', 0s);
    EXPECT_FALSE(meter.look(now_).computed);
    set_thread(1, 'S', 10ms);
    EXPECT_FALSE(meter.look(now_ + 1s).computed);
    set_thread(1, 'S', 110ms);
    EXPECT_TRUE(meter.look(now_ + 2s).computed);
    EXPECT_FALSE(meter.look(now_ + 3s).computed);
}

TEST_F(StarvationTest, AProcessThatIsGoneDoesNotStarve) {
    StarvationMeter meter(42, proc_.path());
    meter.look(now_);
    EXPECT_EQ(meter.look(now_ + 10s).starved, 0s);
    EXPECT_FALSE(meter.look(now_ + 20s).computed);
}

}  // namespace
}  // namespace gateway::fleet
