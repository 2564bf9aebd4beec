#pragma once

/// The settings that a PNG keeps beside its pixels, as AUTOMATIC1111 writes them. For files nobody checked. Pure.

#include <map>
#include <string>
#include <string_view>

namespace gateway::api::a1111 {

/// The text chunks of a PNG (tEXt, and iTXt that is not compressed) by keyword; none of what is no PNG. Valid UTF-8.
std::map<std::string, std::string> png_texts(std::string_view file);

/// "a boat\nNegative prompt: people\nSteps: 20, Size: 64x64" -> {"Prompt": "a boat", "Negative prompt": "people",
/// "Steps": "20", "Size": "64x64"}. A value in quotes may have commas.
std::map<std::string, std::string> parse_parameters(std::string_view text);

}  // namespace gateway::api::a1111
