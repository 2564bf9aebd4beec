#pragma once

/// Chooses the CPU kernels. The engine libraries come with one module for each family of processors
/// (libggml-cpu-haswell.so, libggml-cpu-sapphirerapids.so, …); each says how well it suits the processor it runs on,
/// and the best one is loaded. Both workers use this before anything else of their engine.

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace worker::engine {

/// What one module says of itself. 0: this processor cannot run it.
struct KernelScore {
    std::string name;  ///< "haswell", "armv8.2_2", …
    int score = 0;
};

struct Kernels {
    std::string name;
    /// For the log and the model's facts, e.g. "best of the 6 variants (of 14) this processor can run; uses AVX2 FMA
    /// F16C".
    std::string reason;
};

/// The highest score wins, equal ones by name; nullptr when no variant runs here. Pure.
const KernelScore* best_kernels(std::span<const KernelScore> scores);

/// Loads the best module of `folder` and registers it with ggml. Call once, from one thread. `unavailable` when no
/// module is there or none runs on this processor. Environment variable LLM_GATEWAY_KERNELS names a variant to use
/// instead, for comparisons; naming one that this processor cannot run is an error, not a crash.
base::Result<Kernels> load_kernels(const std::filesystem::path& folder);

/// The folder of the engine libraries for the running program: <its folder>/../lib.
std::filesystem::path kernel_folder();

}  // namespace worker::engine
