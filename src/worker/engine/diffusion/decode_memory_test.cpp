#include "worker/engine/diffusion/decode_memory.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

using namespace worker::engine::diffusion;

constexpr std::uint64_t gigabyte = 1'000'000'000;

TEST(UntiledPixels, ASmallMachineDecodesItsUsualPicturesWhole) {
    EXPECT_GE(untiled_pixels(8 * gigabyte, Autoencoder::full), 512U * 512U);
    EXPECT_LT(untiled_pixels(8 * gigabyte, Autoencoder::full), 1024U * 1024U);
    EXPECT_GE(untiled_pixels(8 * gigabyte, Autoencoder::tiny), 1024U * 1024U);
    EXPECT_GE(untiled_pixels(32 * gigabyte, Autoencoder::full), 1024U * 1024U);
}

TEST(MemoryLimit, IsThatOfTheControlGroupWhenItIsLess) {
    std::string pattern = (std::filesystem::temp_directory_path() / "cgroup-XXXXXX").string();
    const std::filesystem::path folder = mkdtemp(pattern.data());
    const auto machine = memory_limit(folder);
    EXPECT_GT(machine, 100'000'000U);
    std::ofstream(folder / "memory.max") << "max\n";
    EXPECT_EQ(memory_limit(folder), machine);
    std::ofstream(folder / "memory.max") << "67108864\n";
    EXPECT_EQ(memory_limit(folder), 67'108'864U);
    std::filesystem::remove_all(folder);
}
