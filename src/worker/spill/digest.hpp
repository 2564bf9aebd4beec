#pragma once

/// SHA-256.

#include <array>
#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace worker::spill {

using Digest = std::array<std::byte, 32>;

/// Of the parts one behind the other.
Digest digest_of(std::initializer_list<std::span<const std::byte>> parts);
Digest digest_of(std::string_view text);
/// Reads all of it. Errors: `not_found` when it cannot be read.
base::Result<Digest> digest_of_file(const std::filesystem::path& file);

/// As people write it: 64 small letters and figures.
std::string hexadecimal(const Digest& digest);

}  // namespace worker::spill
