#pragma once

/// What a saved state belongs to: the model file, the engine's version and the settings that shape its memory.

#include <filesystem>
#include <string_view>

#include "worker/spill/digest.hpp"

namespace worker::spill {

/// Of the file, its size and both ends are looked at: enough to tell files apart, without reading gigabytes.
Digest model_key(const std::filesystem::path& model, std::string_view engine_version, std::string_view settings);

}  // namespace worker::spill
