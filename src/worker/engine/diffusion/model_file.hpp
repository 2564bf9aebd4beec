#pragma once

/// A look at a model file before the engine opens it. The engine takes a cut or foreign file for a strange model and
/// says so in a hundred lines, or asserts; here the usual faults become one sentence, and what a file says of itself is
/// read.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.hpp"

namespace worker::engine::diffusion {

struct ModelFile {
    std::uint64_t bytes = 0;
    /// Numbers in all tensors; 0 when the format does not tell without being read whole.
    std::uint64_t parameters = 0;
    /// It has FLUX's guidance input.
    bool has_guidance_input = false;
    /// From safetensors metadata in the form of the model metadata specification ("modelspec.…").
    std::string title;
    struct Size {
        std::uint32_t width;
        std::uint32_t height;
    };
    std::optional<Size> resolution;
};

/// Checks that the file is there, readable and as long as its own header says (safetensors), or begins like a GGUF file
/// or a PyTorch checkpoint. A folder (diffusers layout) is let through. Errors are sentences with the path.
base::Result<ModelFile> inspect_model_file(const std::filesystem::path& path);

}  // namespace worker::engine::diffusion
