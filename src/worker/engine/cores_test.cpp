#include "worker/engine/cores.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>

#include "base/temporary_folder.hpp"
#include "worker/engine/topology.hpp"

namespace worker::engine {
namespace {

class CoresTest : public testing::Test {
protected:
    void write(const std::filesystem::path& path, const std::string& text) const { root.write(path, text); }

    Cores cores(unsigned cpus) const {
        CoreSources sources{.groups = {.cgroups = root / "cgroup", .membership = root / "membership"},
                            .system = root / "system"};
        sources.cpus.resize(cpus);
        std::iota(sources.cpus.begin(), sources.cpus.end(), 0U);
        return available_cores(sources);
    }

    /// `cpus` CPUs, of which n and n + cpus/2 are threads of one core, in nodes of equal size.
    void write_smt_machine(unsigned cpus, unsigned nodes, const std::string& name = "core_cpus_list") const {
        for (unsigned cpu = 0; cpu < cpus; ++cpu) {
            const unsigned first = cpu % (cpus / 2);
            write("system/cpu/cpu" + std::to_string(cpu) + "/topology/" + name,
                  std::to_string(first) + "," + std::to_string(first + cpus / 2) + "\n");
        }
        write("system/node/online", "0-" + std::to_string(nodes - 1) + "\n");
        const unsigned each = cpus / 2 / nodes;
        for (unsigned node = 0; node < nodes; ++node) {
            const auto range = [&](unsigned from) {
                return std::to_string(from + node * each) + "-" + std::to_string(from + (node + 1) * each - 1);
            };
            write("system/node/node" + std::to_string(node) + "/cpulist", range(0) + "," + range(cpus / 2) + "\n");
        }
    }

    base::TemporaryFolder root;
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

TEST_F(CoresTest, ThreadsOfOneCoreCountOnce) {
    write("membership", "0::/app\n");
    write_smt_machine(16, 1);
    EXPECT_EQ(cores(16).threads, 8U);
    EXPECT_NE(cores(16).reason.find("8 cores of 16 CPUs"), std::string::npos);
    EXPECT_EQ(cores(8).threads, 8U) << "the first thread of each core";
    EXPECT_EQ(cores(10).threads, 8U);
    write("cgroup/app/cpu.max", "300000 100000\n");
    EXPECT_EQ(cores(16).threads, 3U);
}

TEST_F(CoresTest, OlderKernelsNameTheSiblingsOtherwise) {
    write_smt_machine(8, 1, "thread_siblings_list");
    EXPECT_EQ(cores(8).threads, 4U);
}

TEST_F(CoresTest, NodesAreThoseOfTheMask) {
    write_smt_machine(16, 2);
    EXPECT_EQ(cores(16).nodes, 2U);
    EXPECT_NE(cores(16).reason.find("on 2 NUMA nodes"), std::string::npos);
    EXPECT_EQ(cores(4).nodes, 1U);
}

TEST(CpuList, IsReadAsTheKernelWritesIt) {
    using Cpus = std::vector<unsigned>;
    EXPECT_EQ(parse_cpu_list("0-3,8,10-11"), (Cpus{0, 1, 2, 3, 8, 10, 11}));
    EXPECT_EQ(parse_cpu_list("5\n"), (Cpus{5}));
    EXPECT_EQ(parse_cpu_list(""), Cpus{});
    EXPECT_EQ(parse_cpu_list("\n"), Cpus{});
    EXPECT_EQ(parse_cpu_list("1,x"), (Cpus{1}));
    EXPECT_EQ(parse_cpu_list("0-4000000000"), Cpus{});
    EXPECT_EQ(parse_cpu_list("3-1"), Cpus{});
}

TEST_F(CoresTest, ThisProcessMayUseAtLeastOneCore) {
    EXPECT_GE(available_cores().threads, 1U);
}

}  // namespace
}  // namespace worker::engine
