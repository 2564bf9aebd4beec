#pragma once

/// How long the sound of a file is, told without decoding it.

#include <cstddef>
#include <string_view>

#include "base/result.hpp"

namespace worker::engine::llama {

/// Whether a file is a WAV or MP3 of at most so many seconds. Errors are `invalid` without `param`.
base::Result<void> check_sound(std::string_view file, std::size_t most_seconds);

}  // namespace worker::engine::llama
