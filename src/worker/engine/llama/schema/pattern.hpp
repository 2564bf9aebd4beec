#pragma once

/// Regular expressions of JSON Schemas, as llama.cpp's grammars can take them.

#include <string>
#include <string_view>

namespace worker::engine::llama::schema {

/// The same pattern in the part of the language that llama.cpp converts: anchored at both ends, without \d, \w and \s.
/// What it matches needs no escape in JSON: `.` and negated classes leave out quotes, backslashes and control characters.
/// What has no equivalent (lookaround, references back) stays as it is.
std::string plain_pattern(std::string_view pattern);

/// A pattern for strings of a format that llama.cpp does not know: email, hostname, ipv4, ipv6, uri, duration. Empty for
/// others. Narrower than the format where that is simpler.
std::string_view pattern_of_format(std::string_view format);

}  // namespace worker::engine::llama::schema
