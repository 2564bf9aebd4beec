#pragma once

/// The marks that AUTOMATIC1111 has in prompts. Pure.

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/api/images/types.hpp"

namespace gateway::api::a1111 {

struct Prompt {
    std::string text;
    std::vector<images::Lora> loras;
};

/// Takes each `<lora:NAME:SCALE>` and `<lora:NAME>` out of the prompt; or says what is wrong with one.
std::expected<Prompt, std::string> take_loras(std::string_view prompt);

}  // namespace gateway::api::a1111
