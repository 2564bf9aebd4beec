#pragma once

/// SHA-256.

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string_view>

namespace worker::spill {

using Digest = std::array<std::byte, 32>;

/// Of the parts one behind the other.
Digest digest_of(std::initializer_list<std::span<const std::byte>> parts);
Digest digest_of(std::string_view text);

}  // namespace worker::spill
