#pragma once

#include <string>
#include <string_view>

namespace base {

/// `text` with every byte that is not part of a well-formed character replaced by U+FFFD.
std::string valid_utf8(std::string_view text);

}  // namespace base
