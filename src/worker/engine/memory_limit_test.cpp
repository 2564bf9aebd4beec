#include "worker/engine/memory_limit.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/temporary_folder.hpp"

namespace worker::engine {
namespace {

class MemoryLimitTest : public testing::Test {
protected:
    MemoryLimitTest() { write("meminfo", "MemTotal:       8388608 kB\nMemFree:  1 kB\n"); }

    void write(const std::filesystem::path& path, const std::string& text) const { root.write(path, text); }

    MemorySources sources() const {
        return {.groups = {.cgroups = root / "cgroup", .membership = root / "membership"}, .meminfo = root / "meminfo"};
    }

    MemoryLimit limit() const { return memory_limit(sources()); }

    base::TemporaryFolder root;
};

TEST_F(MemoryLimitTest, WithoutAGroupsLimitItIsTheHosts) {
    write("membership", "0::/app\n");
    write("cgroup/app/memory.max", "max\n");
    EXPECT_EQ(limit().bytes, std::size_t{8} << 30);
    EXPECT_NE(limit().reason.find("host has 8192 MiB"), std::string::npos);
}

TEST_F(MemoryLimitTest, TheSmallestAmongTheGroupsCounts) {
    write("membership", "0::/pod/app\n");
    write("cgroup/pod/app/memory.max", "6442450944\n");
    write("cgroup/pod/memory.max", "4294967296\n");
    EXPECT_EQ(limit().bytes, std::size_t{4} << 30);
    EXPECT_NE(limit().reason.find("/pod may use 4096 MiB"), std::string::npos);
}

TEST_F(MemoryLimitTest, Version1HasAnotherFileAndALargeNumberForNoLimit) {
    write("membership", "5:memory:/app\n");
    write("cgroup/memory/app/memory.limit_in_bytes", "9223372036854771712\n");
    EXPECT_EQ(limit().bytes, std::size_t{8} << 30);
    write("cgroup/memory/app/memory.limit_in_bytes", "1073741824\n");
    EXPECT_EQ(limit().bytes, std::size_t{1} << 30);
}

TEST_F(MemoryLimitTest, FreeIsWhatTheHostHasAvailable) {
    write("meminfo", "MemTotal:  8388608 kB\nMemFree:  1 kB\nMemAvailable:  2097152 kB\n");
    write("membership", "0::/app\n");
    write("cgroup/app/memory.max", "max\n");
    write("cgroup/app/memory.current", "1000\n");
    EXPECT_EQ(free_memory(sources()).bytes, std::size_t{2} << 30);
}

TEST_F(MemoryLimitTest, FreeIsWhatAGroupHasLeftWithoutTheFilesItKeeps) {
    write("meminfo", "MemTotal:  8388608 kB\nMemAvailable:  8000000 kB\n");
    write("membership", "0::/pod/app\n");
    write("cgroup/pod/memory.max", "1000000000\n");
    write("cgroup/pod/memory.current", "900000000\n");
    write("cgroup/pod/memory.stat", "anon 300000000\ninactive_file 500000000\nactive_file 100000000\n");
    EXPECT_EQ(free_memory(sources()).bytes, 600'000'000U);
    EXPECT_NE(free_memory(sources()).reason.find("group /pod"), std::string::npos);
    write("cgroup/pod/memory.current", "1700000000\n");
    EXPECT_EQ(free_memory(sources()).bytes, 0U) << "a group may be above a limit that was lowered";
}

TEST_F(MemoryLimitTest, FreeInVersion1) {
    write("meminfo", "MemTotal:  8388608 kB\nMemAvailable:  8000000 kB\n");
    write("membership", "5:memory:/app\n");
    write("cgroup/memory/app/memory.limit_in_bytes", "100000000\n");
    write("cgroup/memory/app/memory.usage_in_bytes", "40000000\n");
    EXPECT_EQ(free_memory(sources()).bytes, 60'000'000U);
}

}  // namespace
}  // namespace worker::engine
