#include "amx_tile.hpp"

#include <immintrin.h>

namespace canary {

[[gnu::noinline, gnu::target("amx-tile,amx-int8")]] void configure_tiles() {
    TileConfiguration configuration;
    configuration.palette = 1;
    for (int tile = 0; tile < 8; ++tile) {
        configuration.rows[tile] = tile_rows;
        configuration.row_bytes[tile] = tile_row_bytes;
    }
    _tile_loadconfig(&configuration);
}

[[gnu::target("amx-tile,amx-int8")]] void multiply_tile(const std::int8_t* left, const std::int8_t* right,
                                                        std::int32_t* sums) {
    configure_tiles();
    _tile_zero(0);
    _tile_loadd(1, left, tile_row_bytes);
    _tile_loadd(2, right, tile_row_bytes);
    _tile_dpbssd(0, 1, 2);
    _tile_stored(0, sums, tile_row_bytes);
    _tile_release();
}

}  // namespace canary
