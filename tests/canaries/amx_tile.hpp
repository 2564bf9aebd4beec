#pragma once

#include <cstdint>

namespace canary {

constexpr int tile_rows = 16;
constexpr int tile_row_bytes = 64;

/// What the instruction `ldtilecfg` reads.
struct alignas(64) TileConfiguration {
    std::uint8_t palette = 0;
    std::uint8_t start_row = 0;
    std::uint8_t reserved[14] = {};
    std::uint16_t row_bytes[16] = {};
    std::uint8_t rows[16] = {};
};

// Compiled like the engines: optimised, no sanitizers.

/// Configures eight tiles of 16 rows of 64 bytes. A function of its own, as in ggml: it is there that g++ goes wrong.
void configure_tiles();

/// sums[row][column] = sum over k of left[row][k] * right[k][column] for one AMX tile; `right` lies in groups of four
/// k. Compiled like the engines: optimised, no sanitizers.
void multiply_tile(const std::int8_t* left, const std::int8_t* right, std::int32_t* sums);

}  // namespace canary
