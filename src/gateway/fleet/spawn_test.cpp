#include "gateway/fleet/spawn.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gateway::fleet {
namespace {

/// All a process writes, and how it ended.
struct Run {
    std::string output;
    int status = 0;
};

Run run_shell(const std::string& script, std::vector<std::string> hidden = {}) {
    const auto spawned =
        spawn({.program = "/bin/sh", .arguments = {"-c", script}, .hidden_environment = std::move(hidden)});
    if (!spawned) {
        return {.output = spawned.error().message, .status = -1};
    }
    Run run;
    char buffer[4096];
    for (ssize_t got = 0; (got = ::read(spawned->standard_error, buffer, sizeof buffer)) > 0;) {
        run.output.append(buffer, static_cast<std::size_t>(got));
    }
    ::waitpid(spawned->pid, &run.status, 0);
    ::close(spawned->standard_error);
    ::close(spawned->pidfd);
    return run;
}

TEST(Spawn, PassesArgumentsAndBothOutputs) {
    const auto spawned = run_shell("echo out; echo err >&2; exit 3");
    EXPECT_EQ(spawned.output, "out\nerr\n");
    EXPECT_EQ(WEXITSTATUS(spawned.status), 3);
}

TEST(Spawn, LeaksNoFileDescriptor) {
    const int open_file = ::open("/dev/null", O_RDONLY);  // without O_CLOEXEC, as libraries open them
    EXPECT_EQ(run_shell("cd /proc/self/fd && echo *").output, "0 1 2 3\n") << "3 is the shell's own look at the folder";
    ::close(open_file);
}

TEST(Spawn, IsNotReachedByTheSignalsOfTheTerminal) {
    EXPECT_EQ(run_shell("read -r _ _ _ _ group _ < /proc/$$/stat; [ $group = $$ ] && echo own").output, "own\n");
}

TEST(Spawn, StartsWithUsualSignalSettings) {
    ::signal(SIGPIPE, SIG_IGN);
    EXPECT_EQ(run_shell("exec grep SigIgn /proc/self/status").output, "SigIgn:\t0000000000000000\n");
    EXPECT_EQ(run_shell("exec grep SigBlk /proc/self/status").output, "SigBlk:\t0000000000000000\n");
    ::signal(SIGPIPE, SIG_DFL);
}

TEST(Spawn, HidesSecretsOfTheEnvironment) {
    ::setenv("SPAWN_TEST_SECRET", "key", 1);
    ::setenv("SPAWN_TEST_PLAIN", "word", 1);
    EXPECT_EQ(run_shell("echo $SPAWN_TEST_SECRET$SPAWN_TEST_PLAIN", {"SPAWN_TEST_SECRET"}).output, "word\n");
}

TEST(Spawn, SaysWhyAProgramCannotBeStarted) {
    const auto spawned = spawn({.program = "/nowhere/worker", .arguments = {}, .hidden_environment = {}});
    ASSERT_FALSE(spawned);
    EXPECT_EQ(spawned.error().message, "cannot start /nowhere/worker: No such file or directory");
}

TEST(Spawn, TheProcessDiesWithItsParent) {
    int pipe_ends[2];
    ASSERT_EQ(::pipe(pipe_ends), 0);
    const pid_t middle = ::fork();
    if (middle == 0) {  // a gateway that is killed
        const auto spawned = spawn({.program = "/bin/sleep", .arguments = {"1000"}, .hidden_environment = {}});
        const pid_t pid = spawned ? spawned->pid : -1;
        const bool told = ::write(pipe_ends[1], &pid, sizeof pid) == sizeof pid;
        ::raise(told ? SIGKILL : SIGTERM);
    }
    pid_t orphan = -1;
    ASSERT_EQ(::read(pipe_ends[0], &orphan, sizeof orphan), static_cast<ssize_t>(sizeof orphan));
    ASSERT_GT(orphan, 0);
    ::waitpid(middle, nullptr, 0);
    // Whoever adopts it reaps it: gone, or a zombie for a moment.
    for (int i = 0; i < 1000 && ::kill(orphan, 0) == 0; ++i) {
        const std::string state = run_shell("grep State: /proc/" + std::to_string(orphan) + "/status").output;
        if (state.empty() || state.find('Z') != std::string::npos) {
            break;
        }
        ASSERT_LT(i, 999) << "still alive: " << state;
    }
    ::close(pipe_ends[0]);
    ::close(pipe_ends[1]);
}

}  // namespace
}  // namespace gateway::fleet
