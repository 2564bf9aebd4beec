#include "worker/engine/llama/changed_parse.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace worker::engine::llama {
namespace {

std::string after_common(std::string_view sent, std::string_view final) {
    auto common = static_cast<std::size_t>(std::ranges::mismatch(sent, final).in2 - final.begin());
    // Not from the middle of a UTF-8 character.
    while (common > 0 && common < final.size() && (static_cast<unsigned char>(final[common]) & 0xC0U) == 0x80U) {
        --common;
    }
    return std::string(final.substr(common));
}

}  // namespace

std::vector<Part> rest_of_changed(const common_chat_msg& sent, const common_chat_msg& final) {
    std::vector<Part> parts;
    if (auto reasoning = after_common(sent.reasoning_content, final.reasoning_content); !reasoning.empty()) {
        parts.emplace_back(ReasoningPart{std::move(reasoning)});
    }
    if (auto content = after_common(sent.content, final.content); !content.empty()) {
        parts.emplace_back(ContentPart{std::move(content)});
    }
    return parts;
}

}  // namespace worker::engine::llama
