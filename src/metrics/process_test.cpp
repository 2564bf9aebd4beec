#include "metrics/process.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "base/temporary_folder.hpp"

namespace metrics {
namespace {

/// A /proc and a /sys/fs/cgroup of our own.
class FakeKernel : public testing::Test {
protected:
    void write(const std::string& path, const std::string& text) const { root_.write(path, text); }

    base::TemporaryFolder root_;
    SystemFolders folders_ = {.proc = root_ / "proc", .cgroup = root_ / "cgroup"};
};

constexpr auto stat_line =
    "42 (llm (x) worker) S 1 42 42 0 -1 4194560 9000 0 17 0 250 50 0 0 20 0 6 0 100 123456 789 18446744073709551615\n";

TEST_F(FakeKernel, TellsAnonymousMemoryFromMappedFilesAndSwap) {
    write("proc/42/stat", stat_line);
    write("proc/42/status",
          "Name:\tllm\nVmRSS:\t  700 kB\nRssAnon:\t  100 kB\nRssFile:\t  590 kB\nRssShmem:\t   10 kB\nVmSwap:\t    8 "
          "kB\n");
    const auto usage = process_usage(42, folders_);
    ASSERT_TRUE(usage.has_value());
    EXPECT_EQ(usage->anonymous_bytes, 100U * 1024);
    EXPECT_EQ(usage->mapped_bytes, 590U * 1024);
    EXPECT_EQ(usage->shared_bytes, 10U * 1024);
    EXPECT_EQ(usage->swapped_bytes, 8U * 1024);
}

TEST_F(FakeKernel, ReadsFaultsTimeAndThreadsPastANameWithParentheses) {
    write("proc/42/stat", stat_line);
    const auto usage = process_usage(42, folders_);
    ASSERT_TRUE(usage.has_value());
    EXPECT_EQ(usage->major_faults, 17U);
    EXPECT_DOUBLE_EQ(usage->cpu_seconds, 300.0 / static_cast<double>(sysconf(_SC_CLK_TCK)));
}

TEST_F(FakeKernel, UsesTheRollupWhereStatusDoesNotTellMemoryApart) {
    write("proc/42/stat", stat_line);
    write("proc/42/status", "VmRSS:\t  700 kB\n");
    write("proc/42/smaps_rollup", "00400000-7fff---p\nRss:       720 kB\nPss:  700 kB\nAnonymous:   120 kB\n");
    const auto usage = process_usage(42, folders_);
    ASSERT_TRUE(usage.has_value());
    EXPECT_EQ(usage->anonymous_bytes, 120U * 1024);
    EXPECT_EQ(usage->mapped_bytes, 600U * 1024);
}

TEST_F(FakeKernel, KnowsNothingOfAProcessThatEnded) {
    EXPECT_FALSE(process_usage(43, folders_).has_value());
    write("proc/44/stat", "44 (half");
    EXPECT_FALSE(process_usage(44, folders_).has_value());
    EXPECT_FALSE(throttling(43, folders_).has_value());
}

TEST_F(FakeKernel, ReadsThrottlingOfVersionTwo) {
    write("proc/42/cgroup", "0::/system.slice/gateway.service\n");
    write("cgroup/system.slice/gateway.service/cpu.stat",
          "usage_usec 5\nnr_periods 100\nnr_throttled 40\nthrottled_usec 2500000\n");
    const auto found = throttling(42, folders_);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->periods, 100U);
    EXPECT_EQ(found->throttled_periods, 40U);
    EXPECT_DOUBLE_EQ(found->throttled_seconds, 2.5);
}

TEST_F(FakeKernel, ReadsThrottlingOfVersionOneBesideVersionTwo) {
    write("proc/42/cgroup", "4:cpuset:/x\n3:cpu,cpuacct:/docker/abc\n0::/docker/abc\n");
    write("cgroup/cpu,cpuacct/docker/abc/cpu.stat", "nr_periods 10\nnr_throttled 4\nthrottled_time 1500000000\n");
    const auto found = throttling(42, folders_);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->throttled_periods, 4U);
    EXPECT_DOUBLE_EQ(found->throttled_seconds, 1.5);
}

TEST_F(FakeKernel, LooksUpwardsForTheQuota) {
    // Inside a container the path is the host's, and the container's cgroup is mounted as the root.
    write("proc/42/cgroup", "0::/kubepods/pod1/abc\n");
    write("cgroup/cpu.stat", "nr_periods 3\nnr_throttled 1\nthrottled_usec 10\n");
    const auto found = throttling(42, folders_);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->throttled_periods, 1U);
}

TEST_F(FakeKernel, SaysNothingWhereThereIsNoQuota) {
    write("proc/42/cgroup", "0::/user.slice\n");
    write("cgroup/user.slice/cpu.stat", "usage_usec 5\nuser_usec 3\n");
    EXPECT_FALSE(throttling(42, folders_).has_value());
}

TEST(ProcessUsage, SeesThisProcess) {
    const auto usage = process_usage(getpid());
    ASSERT_TRUE(usage.has_value());
    EXPECT_GT(usage->anonymous_bytes + usage->mapped_bytes, 1U << 20U);
}

}  // namespace
}  // namespace metrics
