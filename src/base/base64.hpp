#pragma once

/// Base64 with the standard alphabet (RFC 4648 section 4), for pictures and sound inside JSON.

#include <optional>
#include <string>
#include <string_view>

namespace base {

/// With padding. About 1 GB/s: a picture costs the gateway's thread a millisecond or two.
std::string encode_base64(std::string_view bytes);

/// Accepts missing padding and the URL-safe alphabet, since clients send both; anything else is nullopt.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace base
