#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace base {

/// Length of the well-formed character at the start of `text`; 0 when there is none. Overlong forms, surrogates and
/// what is beyond U+10FFFF are none.
std::size_t character_length(std::string_view text);

/// `text` with every byte that is not part of a well-formed character replaced by U+FFFD.
std::string valid_utf8(std::string_view text);

/// Appends the encoding of `character`, which is at most U+10FFFF.
void append_utf8(std::string& text, char32_t character);

}  // namespace base
