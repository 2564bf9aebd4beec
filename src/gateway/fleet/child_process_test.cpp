#include "gateway/fleet/child_process.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <optional>

namespace gateway::fleet {
namespace {

using namespace std::chrono_literals;

struct Ended final : public ChildProcess::Listener {
    void on_exit(const Death& the_death) override { death = the_death; }
    std::optional<Death> death;
};

class ChildProcessTest : public testing::Test {
protected:
    std::unique_ptr<ChildProcess> start(const std::string& script) {
        auto child = ChildProcess::start(
            io_, {.program = "/bin/sh", .arguments = {"-c", script}, .hidden_environment = {}}, ended_);
        return child ? std::move(*child) : nullptr;
    }

    void run_until_ended() {
        while (!ended_.death && io_.run_one_for(10s) > 0) {
        }
        ASSERT_TRUE(ended_.death);
    }

    boost::asio::io_context io_;
    Ended ended_;
};

TEST_F(ChildProcessTest, HearsTheExitStatusAndTheLastLine) {
    testing::internal::CaptureStderr();
    const auto child = start("echo loading >&2; echo 'the file is truncated' >&2; exit 3");
    run_until_ended();
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "loading\nthe file is truncated\n");
    EXPECT_EQ(ended_.death->exit_status, 3);
    EXPECT_FALSE(ended_.death->signal);
    EXPECT_EQ(ended_.death->last_line, "the file is truncated");
}

TEST_F(ChildProcessTest, HearsTheSignal) {
    const auto child = start("sleep 1000");
    child->signal(SIGKILL);
    run_until_ended();
    EXPECT_EQ(ended_.death->signal, SIGKILL);
}

TEST_F(ChildProcessTest, ALastLineWithoutItsEndCounts) {
    testing::internal::CaptureStderr();
    const auto child = start("printf 'no newline' >&2; kill -9 $$");
    run_until_ended();
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "no newline\n");
    EXPECT_EQ(ended_.death->last_line, "no newline");
}

TEST_F(ChildProcessTest, EndsItsProcessWithItself) {
    auto child = start("sleep 1000");
    const pid_t pid = child->pid();
    child.reset();
    EXPECT_EQ(::kill(pid, 0), -1);
    io_.run_for(10s);  // returns at once: nothing is waited for any more
    EXPECT_FALSE(ended_.death);
}

}  // namespace
}  // namespace gateway::fleet
