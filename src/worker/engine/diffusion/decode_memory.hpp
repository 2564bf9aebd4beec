#pragma once

/// Decoding a latent to pixels takes more memory than all the sampling before it, in proportion to the pixels. In tiles
/// it takes little, and a little longer. This decides which.

#include <cstdint>

namespace worker::engine::diffusion {

enum class Autoencoder { full, tiny };

enum class Decoding { whole, tiled, impossible };

struct DecodeMemory {
    /// Of the machine, or what the process's control groups allow. The same request is to give the same bytes, so this
    /// decides between whole and tiled: a third of it may be taken by one decode.
    std::uint64_t machine_bytes = 0;
    /// Free now. Where it does not suffice for what the machine's size would allow, the picture is decoded in tiles after
    /// all: it differs in single levels from the whole one.
    std::uint64_t free_bytes = 0;
};

/// `impossible` when not even a tile fits. Pure.
Decoding choose_decoding(std::uint64_t pixels, Autoencoder autoencoder, DecodeMemory memory);

/// About what decoding so many pixels takes. Pure.
std::uint64_t decode_bytes(std::uint64_t pixels, Autoencoder autoencoder);

}  // namespace worker::engine::diffusion
