#include "worker/engine/diffusion/decode_memory.hpp"

#include <algorithm>

namespace worker::engine::diffusion {
namespace {

// The engine's default: 32x32 of the latent.
constexpr std::uint64_t tile_pixels = 256 * 256;

}  // namespace

// Measured with SD 1.5 at 512x512: 1.7 GB above the weights, 6.5 kB for each pixel; most of it unfolds 256 channels for
// a 3x3 convolution in half precision. The tiny autoencoder has 64 channels.
std::uint64_t decode_bytes(std::uint64_t pixels, Autoencoder autoencoder) {
    return pixels * (autoencoder == Autoencoder::full ? 6600 : 1800);
}

Decoding choose_decoding(std::uint64_t pixels, Autoencoder autoencoder, DecodeMemory memory) {
    const std::uint64_t whole = decode_bytes(pixels, autoencoder);
    if (whole <= memory.machine_bytes / 3 && whole <= memory.free_bytes) {
        return Decoding::whole;
    }
    const std::uint64_t tile = decode_bytes(std::min(pixels, tile_pixels), autoencoder);
    return tile <= memory.free_bytes ? Decoding::tiled : Decoding::impossible;
}

}  // namespace worker::engine::diffusion
