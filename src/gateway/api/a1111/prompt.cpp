#include "gateway/api/a1111/prompt.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace gateway::api::a1111 {

std::expected<Prompt, std::string> take_loras(std::string_view prompt) {
    constexpr std::string_view mark = "<lora:";
    Prompt result;
    while (!prompt.empty()) {
        const auto begin = prompt.find(mark);
        result.text += prompt.substr(0, begin);
        if (begin == std::string_view::npos)
            break;
        prompt.remove_prefix(begin);
        const auto end = prompt.find('>');
        if (end == std::string_view::npos)
            return std::unexpected("has a <lora: that does not end with >");
        const std::string_view inside = prompt.substr(mark.size(), end - mark.size());
        const auto colon = inside.find(':');
        images::Lora lora{.name = std::string(inside.substr(0, colon))};
        if (colon != std::string_view::npos) {
            const std::string_view number = inside.substr(colon + 1);
            const auto read = std::from_chars(number.data(), number.data() + number.size(), lora.scale);
            if (read.ec != std::errc{} || read.ptr != number.data() + number.size() || !std::isfinite(lora.scale))
                return std::unexpected(fmt::format("has a LoRA with the scale \"{}\", which is no number", number));
        }
        if (lora.name.empty())
            return std::unexpected("has a LoRA without a name");
        result.loras.push_back(std::move(lora));
        prompt.remove_prefix(end + 1);
    }
    return result;
}

}  // namespace gateway::api::a1111
