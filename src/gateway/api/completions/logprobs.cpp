#include "gateway/api/completions/logprobs.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "gateway/api/chat/logprobs.hpp"

namespace gateway::api::completions {
namespace {

namespace contract = llm_gateway::engine::v1;

/// JSON has no infinity.
double shown(float value) {
    return std::isfinite(value) ? static_cast<double>(value) : -9999.0;
}

std::int64_t characters_in(std::string_view bytes) {
    return std::ranges::count_if(bytes, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; });
}

template <typename T>
void append(std::vector<T> more, std::vector<T>& all) {
    std::ranges::move(more, std::back_inserter(all));
}

}  // namespace

Logprobs LogprobsWriter::add(std::span<const contract::TokenInfo* const> tokens, bool first_is_unconditioned) {
    Logprobs added;
    for (const contract::TokenInfo* token : tokens) {
        const std::string text = chat::visible_text(token->bytes());
        added.tokens.push_back(text);
        added.text_offset.push_back(characters_);
        characters_ += characters_in(token->bytes());
        if (first_is_unconditioned && added.tokens.size() == 1) {
            added.token_logprobs.emplace_back();
            added.top_logprobs.emplace_back();
            continue;
        }
        added.token_logprobs.emplace_back(shown(token->logprob()));
        auto& top = added.top_logprobs.emplace_back().emplace();
        for (const auto& each : token->top())
            top.emplace(chat::visible_text(each.bytes()), shown(each.logprob()));
        top.emplace(text, shown(token->logprob()));
        sum_ += shown(token->logprob());
        ++count_;
    }
    return added;
}

void append(Logprobs more, Logprobs& all) {
    append(std::move(more.tokens), all.tokens);
    append(std::move(more.token_logprobs), all.token_logprobs);
    append(std::move(more.top_logprobs), all.top_logprobs);
    append(std::move(more.text_offset), all.text_offset);
}

}  // namespace gateway::api::completions
