#include "worker/engine/diffusion/decode_memory.hpp"

#include <gtest/gtest.h>

namespace worker::engine::diffusion {
namespace {

constexpr std::uint64_t gigabyte = 1'000'000'000;
constexpr std::uint64_t small = 512 * 512;
constexpr std::uint64_t large = 1024 * 1024;

Decoding chosen(std::uint64_t pixels, Autoencoder autoencoder, std::uint64_t machine, std::uint64_t free) {
    return choose_decoding(pixels, autoencoder, {.machine_bytes = machine, .free_bytes = free});
}

TEST(ChooseDecoding, ASmallMachineDecodesItsUsualPicturesWhole) {
    EXPECT_EQ(chosen(small, Autoencoder::full, 8 * gigabyte, 6 * gigabyte), Decoding::whole);
    EXPECT_EQ(chosen(large, Autoencoder::full, 8 * gigabyte, 6 * gigabyte), Decoding::tiled);
    EXPECT_EQ(chosen(large, Autoencoder::tiny, 8 * gigabyte, 6 * gigabyte), Decoding::whole);
    EXPECT_EQ(chosen(large, Autoencoder::full, 32 * gigabyte, 30 * gigabyte), Decoding::whole);
}

TEST(ChooseDecoding, _40_APictureThatDoesNotFitIsTiledAndOneWhoseTilesDoNotFitIsRefused) {
    EXPECT_EQ(chosen(small, Autoencoder::full, 32 * gigabyte, gigabyte), Decoding::tiled);
    EXPECT_EQ(chosen(small, Autoencoder::full, 32 * gigabyte, gigabyte / 10), Decoding::impossible);
    EXPECT_EQ(chosen(128 * 128, Autoencoder::full, 32 * gigabyte, 200'000'000), Decoding::whole)
        << "smaller than a tile";
}

TEST(ChooseDecoding, NeverTakesMoreThanIsFree) {
    for (std::uint64_t free = 0; free < 4 * gigabyte; free += gigabyte / 16) {
        for (std::uint64_t side = 64; side <= 2048; side += 64) {
            const auto decoding = chosen(side * side, Autoencoder::full, 64 * gigabyte, free);
            if (decoding == Decoding::whole) {
                EXPECT_LE(decode_bytes(side * side, Autoencoder::full), free);
            }
        }
    }
}

}  // namespace
}  // namespace worker::engine::diffusion
