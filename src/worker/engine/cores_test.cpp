#include "worker/engine/cores.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace worker::engine {
namespace {

class CoresTest : public testing::Test {
protected:
    CoresTest() {
        std::string pattern = testing::TempDir() + "/coresXXXXXX";
        root = mkdtemp(pattern.data());
    }
    ~CoresTest() override { std::filesystem::remove_all(root); }

    void write(const std::filesystem::path& path, const std::string& text) const {
        std::filesystem::create_directories((root / path).parent_path());
        std::ofstream(root / path) << text;
    }

    Cores cores(unsigned affinity) const {
        return available_cores(
            {.groups = {.cgroups = root / "cgroup", .membership = root / "membership"}, .affinity = affinity});
    }

    std::filesystem::path root;
};

TEST_F(CoresTest, WithoutAQuotaTheAffinityMaskDecides) {
    write("membership", "0::/app\n");
    write("cgroup/app/cpu.max", "max 100000\n");
    EXPECT_EQ(cores(6).threads, 6U);
    EXPECT_NE(cores(6).reason.find("no quota"), std::string::npos);
}

TEST_F(CoresTest, AQuotaBelowTheMaskWinsAndIsRoundedDown) {
    write("membership", "0::/app\n");
    write("cgroup/app/cpu.max", "250000 100000\n");
    EXPECT_EQ(cores(16).threads, 2U);
    EXPECT_NE(cores(16).reason.find("2.50 cores in group /app"), std::string::npos);
}

TEST_F(CoresTest, AQuotaBelowOneCoreStillMeansOneThread) {
    write("membership", "0::/app\n");
    write("cgroup/app/cpu.max", "50000 100000\n");
    EXPECT_EQ(cores(16).threads, 1U);
}

TEST_F(CoresTest, AMaskBelowTheQuotaWins) {
    write("membership", "0::/app\n");
    write("cgroup/app/cpu.max", "800000 100000\n");
    EXPECT_EQ(cores(3).threads, 3U);
}

TEST_F(CoresTest, TheSmallestQuotaAmongTheParentsCounts) {
    write("membership", "0::/slice/pod/app\n");
    write("cgroup/slice/pod/app/cpu.max", "max 100000\n");
    write("cgroup/slice/pod/cpu.max", "200000 100000\n");
    write("cgroup/slice/cpu.max", "600000 100000\n");
    EXPECT_EQ(cores(16).threads, 2U);
}

TEST_F(CoresTest, AContainersOwnRootCountsWhenTheHostsPathIsNotVisible) {
    write("membership", "0::/kubepods/pod7/abc\n");
    write("cgroup/cpu.max", "400000 100000\n");
    EXPECT_EQ(cores(16).threads, 4U);
}

TEST_F(CoresTest, VersionOneIsUnderstood) {
    write("membership", "12:memory:/app\n4:cpu,cpuacct:/app\n");
    write("cgroup/cpu,cpuacct/app/cpu.cfs_quota_us", "300000\n");
    write("cgroup/cpu,cpuacct/app/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(cores(16).threads, 3U);
    write("cgroup/cpu,cpuacct/app/cpu.cfs_quota_us", "-1\n");
    EXPECT_EQ(cores(16).threads, 16U);
}

TEST_F(CoresTest, OddFilesMeanNoQuota) {
    write("membership", "nonsense\n0::/app\n");
    write("cgroup/app/cpu.max", "lots 0\n");
    EXPECT_EQ(cores(5).threads, 5U);
}

TEST_F(CoresTest, ThisProcessMayUseAtLeastOneCore) {
    EXPECT_GE(available_cores().threads, 1U);
}

}  // namespace
}  // namespace worker::engine
