#include "worker/engine/diffusion/decode_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace worker::engine::diffusion {

// Measured with SD 1.5 at 512x512: 1.7 GB above the weights, 6.5 kB for each pixel; most of it unfolds 256 channels for
// a 3x3 convolution in half precision. The tiny autoencoder has 64 channels.
std::uint64_t untiled_pixels(std::uint64_t memory_bytes, Autoencoder autoencoder) {
    const std::uint64_t bytes_per_pixel = autoencoder == Autoencoder::full ? 6600 : 1800;
    return memory_bytes / 3 / bytes_per_pixel;
}

std::uint64_t memory_limit(const ControlGroupSources& sources) {
    const auto machine =
        static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
    std::uint64_t limit = machine;
    for (const ControlGroup& group : groups_of_this_process("memory", sources)) {
        std::uint64_t allowed = 0;
        // "max" is no number, and no limit.
        if (std::ifstream in(group.folder / (group.version_2 ? "memory.max" : "memory.limit_in_bytes"));
            in >> allowed && allowed > 0) {
            limit = std::min(limit, allowed);
        }
    }
    return limit;
}

}  // namespace worker::engine::diffusion
