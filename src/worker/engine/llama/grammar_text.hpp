#pragma once

/// What is changed in the text of the grammars that llama.cpp writes for chat formats.

#include <string>
#include <string_view>

namespace worker::engine::llama {

/// Takes out the free text before a required call: a small model may talk for as long as it likes and never come to it.
std::string without_free_text(const std::string& grammar);

/// Where a format repeats its calls without asking whether several are allowed: one call only.
std::string with_one_call(const std::string& grammar);

/// The grammar with `prefix` before the names of all its rules.
std::string with_prefix(std::string_view grammar, std::string_view prefix);

/// A grammar for `begin` and then what one of two grammars allows.
std::string either(std::string_view begin, std::string_view one, std::string_view other);

}  // namespace worker::engine::llama
