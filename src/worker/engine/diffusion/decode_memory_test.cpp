#include "worker/engine/diffusion/decode_memory.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/temporary_folder.hpp"

using namespace worker::engine::diffusion;

constexpr std::uint64_t gigabyte = 1'000'000'000;

TEST(UntiledPixels, ASmallMachineDecodesItsUsualPicturesWhole) {
    EXPECT_GE(untiled_pixels(8 * gigabyte, Autoencoder::full), 512U * 512U);
    EXPECT_LT(untiled_pixels(8 * gigabyte, Autoencoder::full), 1024U * 1024U);
    EXPECT_GE(untiled_pixels(8 * gigabyte, Autoencoder::tiny), 1024U * 1024U);
    EXPECT_GE(untiled_pixels(32 * gigabyte, Autoencoder::full), 1024U * 1024U);
}

class MemoryLimitTest : public testing::Test {
protected:
    void write(const std::filesystem::path& path, const std::string& text) const { root.write(path, text); }

    std::uint64_t limit() const {
        return memory_limit({.cgroups = root / "cgroup", .membership = root / "membership"});
    }

    base::TemporaryFolder root;
};

TEST_F(MemoryLimitTest, IsTheMachinesWithoutALimit) {
    const auto machine = limit();
    EXPECT_GT(machine, 100'000'000U);
    write("membership", "0::/app\n");
    write("cgroup/app/memory.max", "max\n");
    EXPECT_EQ(limit(), machine);
}

TEST_F(MemoryLimitTest, IsThatOfAContainersOwnRoot) {
    write("membership", "0::/kubepods/pod7/abc\n");
    write("cgroup/memory.max", "67108864\n");
    EXPECT_EQ(limit(), 67'108'864U);
}

TEST_F(MemoryLimitTest, IsTheSmallestAmongTheParents) {
    write("membership", "0::/slice/pod/app\n");
    write("cgroup/slice/pod/app/memory.max", "max\n");
    write("cgroup/slice/pod/memory.max", "50000000\n");
    write("cgroup/slice/memory.max", "70000000\n");
    EXPECT_EQ(limit(), 50'000'000U);
}

TEST_F(MemoryLimitTest, UnderstandsVersionOne) {
    write("membership", "12:memory:/app\n4:cpu,cpuacct:/app\n");
    write("cgroup/memory/app/memory.limit_in_bytes", "60000000\n");
    write("cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    EXPECT_EQ(limit(), 60'000'000U);
}
