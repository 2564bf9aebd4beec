#pragma once

/// Decoding a latent to pixels takes more memory than all the sampling before it, in proportion to the pixels. In tiles
/// it takes little, and a little longer. This decides which, from the size of the machine and not from what is free at
/// the moment, so that the same request gives the same bytes.

#include <cstdint>

#include "worker/engine/control_groups.hpp"

namespace worker::engine::diffusion {

enum class Autoencoder { full, tiny };

/// The pixels of the largest picture that is decoded whole: a third of `memory_bytes`. Pure.
std::uint64_t untiled_pixels(std::uint64_t memory_bytes, Autoencoder autoencoder);

/// Memory of the machine, or less where a control group of this process allows less.
std::uint64_t memory_limit(const ControlGroupSources& sources = {});

}  // namespace worker::engine::diffusion
