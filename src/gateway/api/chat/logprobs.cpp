#include "gateway/api/chat/logprobs.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/utf8.hpp"

namespace gateway::api::chat {
namespace {

namespace contract = llm_gateway::engine::v1;

double to_logprob(float value) {
    return std::isfinite(value) ? static_cast<double>(value) : -9999.0;
}

std::vector<std::int32_t> to_numbers(std::string_view bytes) {
    std::vector<std::int32_t> numbers;
    numbers.reserve(bytes.size());
    for (const char byte : bytes)
        numbers.push_back(static_cast<unsigned char>(byte));
    return numbers;
}

}  // namespace

std::string visible_text(std::string_view bytes) {
    std::string text;
    text.reserve(bytes.size());
    while (!bytes.empty()) {
        const std::size_t length = base::character_length(bytes);
        if (length == 0) {
            text += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes.front()));
            bytes.remove_prefix(1);
        } else {
            text += bytes.substr(0, length);
            bytes.remove_prefix(length);
        }
    }
    return text;
}

std::vector<TokenLogprob> to_logprobs(const google::protobuf::RepeatedPtrField<contract::TokenInfo>& tokens) {
    std::vector<TokenLogprob> logprobs;
    logprobs.reserve(static_cast<std::size_t>(tokens.size()));
    for (const auto& token : tokens) {
        auto& added = logprobs.emplace_back(TokenLogprob{.token = visible_text(token.bytes()),
                                                         .logprob = to_logprob(token.logprob()),
                                                         .bytes = to_numbers(token.bytes()),
                                                         .top_logprobs = {}});
        for (const auto& top : token.top())
            added.top_logprobs.push_back({.token = visible_text(top.bytes()),
                                          .logprob = to_logprob(top.logprob()),
                                          .bytes = to_numbers(top.bytes())});
    }
    return logprobs;
}

}  // namespace gateway::api::chat
