#include "worker/engine/llama/llama_answer.hpp"

#include <fmt/format.h>
#include <llama.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <span>

#include "base/log.hpp"
#include "worker/engine/llama/changed_parse.hpp"
#include "worker/engine/llama/sampling.hpp"

namespace worker::engine::llama {
namespace {

constexpr float impossible = -std::numeric_limits<float>::infinity();

// Takes the end-of-generation tokens out of a row of logits, and puts them back.
class WithoutEnds {
public:
    WithoutEnds(std::span<float> logits, const std::vector<Token>& ends) : logits_(logits) {
        for (const Token token : ends) {
            taken_.emplace_back(token, std::exchange(logits_[static_cast<std::size_t>(token)], impossible));
        }
    }
    WithoutEnds(const WithoutEnds&) = delete;
    WithoutEnds& operator=(const WithoutEnds&) = delete;
    ~WithoutEnds() {
        for (const auto& [token, logit] : taken_) {
            logits_[static_cast<std::size_t>(token)] = logit;
        }
    }

private:
    std::span<float> logits_;
    std::vector<std::pair<Token, float>> taken_;
};

std::optional<common_chat_msg> try_parse(const std::string& text, bool partial,
                                         const common_chat_parser_params& parser) {
    try {
        return common_chat_parse(text, partial, parser);
    } catch (const std::exception& problem) {
        base::log::debug("an answer does not follow its chat format", {{"problem", problem.what()}});
        return std::nullopt;
    }
}

std::string random_call_id() {
    static thread_local std::mt19937_64 random{std::random_device{}()};
    return fmt::format("call_{:016x}", random());
}

}  // namespace

LlamaAnswer::LlamaAnswer(const llama_vocab* vocab, const LogitRows& rows, std::vector<Token> ends,
                         const common_params_sampling& params, std::unique_ptr<Constraint> constraint,
                         AnswerFormat format)
    : vocab_(vocab),
      rows_(rows),
      ends_(std::move(ends)),
      chooser_(vocab, params),
      constraint_(std::move(constraint)),
      format_(std::move(format)) {
    if (!format_.unmarked_tools.empty()) {
        unmarked_.emplace(format_.unmarked_tools);
    }
    if (format_.continues && !format_.plain && !format_.json) {
        message_ = try_parse("", true, format_.parser).value_or(common_chat_msg{});
    }
}

std::span<float> LlamaAnswer::logits(std::size_t batch_index) const {
    return {rows_.at(batch_index), static_cast<std::size_t>(llama_vocab_n_tokens(vocab_))};
}

Token LlamaAnswer::sample(std::size_t batch_index, bool may_end) {
    const auto logits = this->logits(batch_index);
    std::optional<Token> chosen;
    try {
        if (!may_end) {
            const WithoutEnds without_ends(logits, ends_);
            try {
                chosen = choose(logits);
            } catch (const FormatDeadEnd&) {
                // The grammar may leave nothing but the end; forbidding that too would leave no token at all.
            }
        }
        if (!chosen) {
            chosen = choose(logits);
        }
        chooser_.accept(*chosen);
        if (constraint_ != nullptr) {
            constraint_->accept(*chosen);
        }
    } catch (const grammar::TooComplex& problem) {
        throw FormatDeadEnd(problem.what());
    }
    return *chosen;
}

// As llama.cpp: first without the grammar, because what the model wants is mostly allowed, and only otherwise once more
// among what the grammar allows.
Token LlamaAnswer::choose(std::span<float> logits) {
    const Token wanted = chooser_.choose(logits, nullptr);
    if (constraint_ == nullptr || !constraint_->applies() || constraint_->allows(wanted)) {
        return wanted;
    }
    return chooser_.choose(logits, constraint_->allowed().get());
}

Forced LlamaAnswer::forced(std::size_t most) {
    try {
        return constraint_ == nullptr ? Forced{} : constraint_->forced(most);
    } catch (const grammar::TooComplex& problem) {
        throw FormatDeadEnd(problem.what());
    }
}

contract::TokenInfo LlamaAnswer::describe(std::size_t batch_index, Token token, std::uint32_t top) {
    const std::span<const float> logits = this->logits(batch_index);
    const float log_sum = log_sum_exp(logits);
    const auto fill = [&](contract::TokenInfo& info, Token id) {
        info.set_id(id);
        info.set_bytes(common_token_to_piece(vocab_, id, true));
        info.set_logprob(logits[static_cast<std::size_t>(id)] - log_sum);
    };
    contract::TokenInfo info;
    fill(info, token);

    if (top > 0) {
        Candidates candidates;
        candidates.look_at(logits, nullptr);
        for (const auto& candidate : candidates.largest(top)) {
            fill(*info.add_top(), candidate.id);
        }
    }
    return info;
}

bool LlamaAnswer::is_end(Token token) const {
    return std::ranges::find(ends_, token) != ends_.end();
}

std::string LlamaAnswer::piece(Token token) const {
    return common_token_to_piece(vocab_, token, format_.all_visible || format_.visible_tokens.contains(token));
}

std::vector<Part> LlamaAnswer::read(std::string_view text) {
    if (format_.plain) {
        return text.empty() ? std::vector<Part>{ContentPart{}} : std::vector<Part>{ContentPart{std::string(text)}};
    }
    if (format_.json) {
        auto json = json_.read(text);
        return json.empty() ? std::vector<Part>{} : std::vector<Part>{ContentPart{std::move(json)}};
    }
    if (unmarked_) {
        said_ += text;
        text_ += unmarked_->read(text);
    } else {
        text_ += text;
    }
    // Parsing starts from the beginning each time; in a long answer it waits until there is something worth it.
    if (text_.size() - parsed_ < text_.size() / 64) {
        return {};
    }
    return parse(true);
}

std::vector<Part> LlamaAnswer::finish() {
    if (format_.plain || format_.json) {
        return {};
    }
    if (unmarked_) {
        text_ += unmarked_->finish();
    }
    return parse(false);
}

std::vector<Part> LlamaAnswer::parse(bool partial) {
    parsed_ = text_.size();
    auto parsed = try_parse(text_, partial, format_.parser);
    if (!parsed && !partial) {
        // An answer cut by max_tokens ends in the middle of its format.
        parsed = try_parse(text_, true, format_.parser);
    }
    if (!parsed && partial) {
        return {};
    }
    common_chat_msg message = parsed ? std::move(*parsed) : message_;
    if (!parsed && message.tool_calls.empty() && message.reasoning_content.empty()) {
        message.content =
            unmarked_ ? said_ : text_;  // does not follow the format: delivered as it is, better than lost
    }
    if (message.empty()) {
        return {};
    }
    message.set_tool_call_ids(call_ids_, random_call_id);
    std::vector<Part> parts;
    std::vector<common_chat_msg_diff> changes;
    try {
        changes = common_chat_msg_diff::compute_diffs(message_, message);
    } catch (const std::exception& problem) {
        // The parser changed its mind about something that was sent already.
        base::log::debug("the parse of an answer changed", {{"problem", problem.what()}});
        if (partial) {
            return {};
        }
        parts = rest_of_changed(message_, message);
    }
    for (auto& change : changes) {
        if (!change.reasoning_content_delta.empty()) {
            parts.emplace_back(ReasoningPart{std::move(change.reasoning_content_delta)});
        }
        if (!change.content_delta.empty()) {
            parts.emplace_back(ContentPart{std::move(change.content_delta)});
        }
        if (change.tool_call_index == std::string::npos) {
            continue;
        }
        const auto index = change.tool_call_index;
        call_announced_.resize(std::max(call_announced_.size(), index + 1));
        auto& call = message.tool_calls[index];
        // A name may still grow while it is parsed; it is final when arguments come.
        const bool complete = !partial || !call.arguments.empty() || index + 1 < message.tool_calls.size();
        if (!complete) {
            continue;
        }
        ToolCallPart part{.index = static_cast<std::uint32_t>(index), .arguments = change.tool_call_delta.arguments};
        if (!call_announced_[index]) {
            call_announced_[index] = true;
            part.id = call.id;
            part.name = call.name;
            part.arguments = call.arguments;
        }
        parts.emplace_back(std::move(part));
    }
    for (std::size_t index = 0; !partial && index < message.tool_calls.size(); ++index) {
        call_announced_.resize(message.tool_calls.size());
        if (!call_announced_[index]) {
            call_announced_[index] = true;
            const auto& call = message.tool_calls[index];
            parts.emplace_back(ToolCallPart{.index = static_cast<std::uint32_t>(index),
                                            .id = call.id,
                                            .name = call.name,
                                            .arguments = call.arguments});
        }
    }
    message_ = std::move(message);
    return parts;
}

}  // namespace worker::engine::llama
