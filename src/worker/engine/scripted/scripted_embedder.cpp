#include <fmt/format.h>

#include <algorithm>

#include "worker/engine/scripted/scripted_engine.hpp"

namespace worker::engine::scripted {

base::Result<std::vector<Token>> ScriptedEmbedder::prepare(const contract::EmbeddingInput& input) const {
    std::string text = input.text() + input.pair().query() + input.pair().document();
    text.append(input.tokens().ids().begin(), input.tokens().ids().end());
    if (text == "fail" || text.empty()) {
        return base::fail(base::ErrorCode::invalid, "The script refuses this input.");
    }
    return std::vector<Token>(text.begin(), text.end());
}

Decoded ScriptedEmbedder::evaluate(std::span<const BatchToken> batch, const std::atomic<bool>& abort) {
    ++evaluations_;
    largest_batch_ = std::max(largest_batch_, batch.size());
    if (batch.empty() || batch.size() > limits_.batch_tokens) {
        complaint_ = fmt::format("a batch of {} tokens", batch.size());
    }
    auto decoded = intervene_ ? intervene_(batch) : Decoded::done;
    decoded = abort ? Decoded::aborted : decoded;
    for (const BatchToken& each : batch.first(decoded == Decoded::done ? batch.size() : batch.size() / 2)) {
        auto& tokens = held_[static_cast<std::size_t>(each.sequence)];
        auto& with = held_with_[static_cast<std::size_t>(each.sequence)];
        if (tokens.empty()) {
            with = adapters_;
        } else if (with != adapters_) {
            complaint_ = "an input that was evaluated with different adapters";
        }
        if (static_cast<std::size_t>(each.position) != tokens.size()) {
            complaint_ = fmt::format("position {} in a sequence of {} tokens", each.position, tokens.size());
        }
        tokens.push_back(each.token);
    }
    std::size_t used = 0;
    for (const auto& tokens : held_) {
        used += tokens.size();
    }
    if (used > limits_.cells) {
        complaint_ = fmt::format("{} cells", used);
    }
    return decoded;
}

std::vector<float> ScriptedEmbedder::vector_of(std::span<const Token> tokens, const std::string& adapters) {
    std::vector<float> values{static_cast<float>(tokens.size() + seed_with(adapters, 0) % 1000 * 1000), 0, 0};
    for (std::size_t index = 0; index < tokens.size(); ++index) {
        values[1] += static_cast<float>(tokens[index]);
        values[2] += static_cast<float>(tokens[index]) * static_cast<float>(index + 1);
    }
    return values;
}

std::vector<float> ScriptedEmbedder::vector_of(Sequence sequence) {
    const auto number = static_cast<std::size_t>(sequence);
    return vector_of(std::span<const Token>(held_[number]), held_with_[number]);
}

}  // namespace worker::engine::scripted
