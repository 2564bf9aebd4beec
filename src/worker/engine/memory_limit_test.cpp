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

    MemoryLimit limit() const {
        return memory_limit(
            {.groups = {.cgroups = root / "cgroup", .membership = root / "membership"}, .meminfo = root / "meminfo"});
    }

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

}  // namespace
}  // namespace worker::engine
