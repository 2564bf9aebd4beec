#include "worker/engine/llama/constraint.hpp"

#include <llama.h>
#include <reasoning-budget.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <utility>

namespace worker::engine::llama {
namespace {

// No token that a draft is worth making for is longer.
constexpr std::size_t bytes_of_forced_token = 12;

// The tokens of the answer that the template has put into the prompt.
std::vector<Token> begun(const llama_vocab* vocab, const std::string& text) {
    auto tokens = common_tokenize(vocab, text, false, true);
    const auto is_space = [](char letter) { return std::isspace(static_cast<unsigned char>(letter)) != 0; };
    // Some tokenisers put a space before the first token.
    if (!tokens.empty() && is_space(common_token_to_piece(vocab, tokens.front(), true)[0]) && !is_space(text[0])) {
        tokens.erase(tokens.begin());
    }
    return tokens;
}

// From the first group that is not empty on, or from the beginning of the match.
std::size_t begin_of(const std::smatch& match) {
    for (std::size_t group = 1; group < match.size(); ++group) {
        if (match.length(group) > 0) {
            return static_cast<std::size_t>(match.position(group));
        }
    }
    return static_cast<std::size_t>(match.position(0));
}

// Whether every alternative of the pattern is tied to the beginning.
bool begins_text(std::string_view pattern) {
    int depth = 0;
    for (std::size_t position = 0; position < pattern.size(); ++position) {
        switch (pattern[position]) {
            case '\\': ++position; break;
            case '[': position = std::min(pattern.find(']', position + 2), pattern.size()); break;
            case '(': ++depth; break;
            case ')': --depth; break;
            case '|':
                if (depth == 0) {
                    return false;
                }
                break;
            default: break;
        }
    }
    return pattern.starts_with('^');
}

}  // namespace

Constraint::Constraint(const llama_vocab* vocab, std::shared_ptr<grammar::Grammar> grammar,
                       const common_params_sampling& params)
    : vocab_(vocab), matcher_(std::move(grammar)) {
    const auto tokens = begun(vocab, params.generation_prompt);
    if (!params.grammar_lazy) {
        if (common_grammar_needs_prefill(params.grammar)) {
            std::ranges::for_each(tokens, [this](Token token) { follow(token); });
        }
        return;
    }
    trigger_ = std::make_unique<Trigger>();
    std::ranges::for_each(params.grammar_triggers, [this](const auto& trigger) { trigger_->add(trigger); });
    if (!params.reasoning_budget_start.empty() && !params.reasoning_budget_end.empty()) {
        reasoning_.reset(common_reasoning_budget_init(vocab, {params.reasoning_budget_start},
                                                      params.reasoning_budget_end, params.reasoning_budget_forced,
                                                      std::numeric_limits<std::int32_t>::max()));
        std::ranges::for_each(tokens, [this](Token token) { llama_sampler_accept(reasoning_.get(), token); });
    }
}

bool Constraint::reasons() const {
    if (reasoning_ == nullptr) {
        return false;
    }
    const auto state = common_reasoning_budget_get_state(reasoning_.get());
    return state != REASONING_BUDGET_IDLE && state != REASONING_BUDGET_DONE;
}

bool Constraint::applies() const {
    return trigger_ == nullptr && !reasons();
}

void Constraint::accept(Token token) {
    const bool reasoned = reasons();
    if (reasoning_ != nullptr) {
        llama_sampler_accept(reasoning_.get(), token);
        // What ends the reasoning may be what triggers the grammar.
        const auto* ending = common_reasoning_budget_get_end_match(reasoning_.get());
        if (reasoned && !reasons() && ending != nullptr) {
            std::ranges::for_each(*ending, [this](Token each) { follow(each); });
        }
    }
    if (!reasoned) {
        follow(token);
    }
}

void Constraint::follow(Token token) {
    const std::string piece = common_token_to_piece(vocab_, token, true);
    if (trigger_ == nullptr) {
        follow(token, piece);
        return;
    }
    if (std::ranges::find(trigger_->tokens, token) != trigger_->tokens.end()) {
        trigger_.reset();
        follow(token, piece);
        return;
    }
    trigger_->pieces.push_back({.token = token, .begin = trigger_->text.size()});
    trigger_->text += piece;
    const auto begin = trigger_->find(piece.size());
    if (begin == std::string::npos) {
        return;
    }
    auto matcher = matcher_;
    for (std::size_t index = 0; index < trigger_->pieces.size(); ++index) {
        const auto& [each, piece_begin] = trigger_->pieces[index];
        const bool last = index + 1 == trigger_->pieces.size();
        const auto piece_end = last ? trigger_->text.size() : trigger_->pieces[index + 1].begin;
        if (piece_end <= begin) {
            continue;
        }
        const auto from = std::max(begin, piece_begin);
        if (!matcher.accept(each, std::string_view(trigger_->text).substr(from, piece_end - from))) {
            return;  // the token that ends the trigger goes on as the grammar does not: text that looks like it
        }
    }
    matcher_ = matcher;
    trigger_.reset();
}

void Constraint::follow(Token token, std::string_view piece) {
    const bool followed = llama_vocab_is_eog(vocab_, token) ? matcher_.allows(token) : matcher_.accept(token, piece);
    if (!followed) {
        throw FormatDeadEnd("the grammar does not allow this token");
    }
}

Forced Constraint::forced(std::size_t most) {
    if (!applies() || most == 0) {
        return {};
    }
    const auto [text, certain, next] = matcher_.forced((most + 1) * bytes_of_forced_token);
    if (text.empty()) {
        return {};
    }
    auto tokens = common_tokenize(vocab_, text, false, false);
    if (!next && !tokens.empty()) {
        tokens.pop_back();  // it could become one with what follows
    } else if (next && !next->empty()) {
        const auto longer = common_tokenize(vocab_, text + *next, false, false);
        tokens.erase(std::ranges::mismatch(tokens, longer).in1, tokens.end());
    }
    // Tokenisers that begin a text in their own way would give another one.
    Forced forced;
    std::string covered;
    for (const Token token : tokens) {
        covered += common_token_to_piece(vocab_, token, false);
        if (forced.tokens.size() == most || !text.starts_with(covered)) {
            break;
        }
        forced.tokens.push_back(token);
        forced.certain += covered.size() <= certain ? 1 : 0;
    }
    return forced;
}

// One that can only begin a text need not be looked for at every place of a long one.
Constraint::Trigger::Pattern Constraint::Trigger::pattern_of(const std::string& text) {
    return {.expression = std::regex(text),
            .from = begins_text(text) ? std::regex_constants::match_continuous : std::regex_constants::match_default};
}

void Constraint::Trigger::add(const common_grammar_trigger& trigger) {
    switch (trigger.type) {
        case COMMON_GRAMMAR_TRIGGER_TYPE_TOKEN: tokens.push_back(trigger.token); break;
        case COMMON_GRAMMAR_TRIGGER_TYPE_WORD: words.push_back(trigger.value); break;
        case COMMON_GRAMMAR_TRIGGER_TYPE_PATTERN: patterns.push_back(pattern_of(trigger.value)); break;
        case COMMON_GRAMMAR_TRIGGER_TYPE_PATTERN_FULL:
            // `find` searches, so both ends are tied down; with ^ and $ of its own the pattern means the same.
            patterns.push_back(pattern_of("^(?:" + trigger.value + ")$"));
            break;
    }
}

std::size_t Constraint::Trigger::find(std::size_t added) const {
    for (const std::string& word : words) {
        const auto new_from = text.size() - std::min(text.size(), added + word.size());
        if (const auto begin = text.find(word, new_from); begin != std::string::npos) {
            return begin;
        }
    }
    for (const Pattern& pattern : patterns) {
        if (std::smatch match; std::regex_search(text, match, pattern.expression, pattern.from)) {
            return begin_of(match);
        }
    }
    return std::string::npos;
}

}  // namespace worker::engine::llama
