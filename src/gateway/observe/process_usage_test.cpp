#include "gateway/observe/process_usage.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace gateway::observe {
namespace {

class ProcessUsageTest : public testing::Test {
protected:
    ProcessUsageTest() {
        std::string pattern = std::filesystem::temp_directory_path() / "process-usage-XXXXXX";
        folder_ = ::mkdtemp(pattern.data());
    }
    ~ProcessUsageTest() override { std::filesystem::remove_all(folder_); }

    void write(const std::string& name, const std::string& text) {
        std::filesystem::create_directories((folder_ / name).parent_path());
        std::ofstream(folder_ / name) << text;
    }

    std::filesystem::path folder_;
};

TEST_F(ProcessUsageTest, TellsMappedWeightsFromTheWorkersOwnMemory) {
    write("42/status",
          "Name:\tworker\nVmRSS:\t 900 kB\nRssAnon:\t     100 kB\nRssFile:\t  700 kB\nRssShmem:\t 8 kB\nVmSwap:\t  3 "
          "kB\n");
    write("42/stat", "42 (a (strange) name) S 1 42 42 0 -1 4194560 5 0 17 0 150 50 0 0 20 0 4 0 9 1 1\n");
    const auto usage = read_process_usage(42, folder_);
    ASSERT_TRUE(usage);
    EXPECT_EQ(usage->anonymous_bytes, 100U * 1024);
    EXPECT_EQ(usage->mapped_bytes, 708U * 1024);
    EXPECT_EQ(usage->swap_bytes, 3U * 1024);
    EXPECT_EQ(usage->major_page_faults, 17);
    EXPECT_DOUBLE_EQ(usage->cpu_seconds, 200.0 / static_cast<double>(::sysconf(_SC_CLK_TCK)));
}

TEST_F(ProcessUsageTest, ReadsThisVeryProcess) {
    const auto usage = read_process_usage(::getpid());
    ASSERT_TRUE(usage);
    EXPECT_GT(usage->anonymous_bytes, 100U << 10U);
    EXPECT_GT(usage->mapped_bytes, 0);
}

TEST_F(ProcessUsageTest, AProcessThatIsGoneHasNone) {
    EXPECT_FALSE(read_process_usage(42, folder_));
}

TEST_F(ProcessUsageTest, ReadsThrottlingOfControlGroupsVersion2) {
    write("cgroup", "0::/system.slice/gateway.service\n");
    write("sys/system.slice/gateway.service/cpu.stat",
          "usage_usec 5\nnr_periods 9\nnr_throttled 4\nthrottled_usec 2500000\n");
    const auto throttling = read_throttling(folder_ / "cgroup", folder_ / "sys");
    ASSERT_TRUE(throttling);
    EXPECT_EQ(throttling->periods, 4);
    EXPECT_DOUBLE_EQ(throttling->seconds, 2.5);
}

TEST_F(ProcessUsageTest, ReadsThrottlingOfControlGroupsVersion1) {
    write("cgroup", "9:memory:/\n3:cpu,cpuacct:/docker/abc\n");
    write("sys/cpu/cpu.stat", "nr_periods 9\nnr_throttled 4\nthrottled_time 1500000000\n");
    const auto throttling = read_throttling(folder_ / "cgroup", folder_ / "sys");
    ASSERT_TRUE(throttling);
    EXPECT_DOUBLE_EQ(throttling->seconds, 1.5);
}

TEST_F(ProcessUsageTest, WithoutAQuotaThereIsNoThrottling) {
    write("cgroup", "0::/\n");
    write("sys/cpu.stat", "usage_usec 5\n");
    EXPECT_FALSE(read_throttling(folder_ / "cgroup", folder_ / "sys"));
}

}  // namespace
}  // namespace gateway::observe
