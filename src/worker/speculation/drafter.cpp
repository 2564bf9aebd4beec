#include "worker/speculation/drafter.hpp"

#include <algorithm>
#include <utility>

namespace worker::speculation {
namespace {

// What a source is sure of is learned with its longest agreements, the rest by the place behind that.
std::size_t agreement(const Draft& draft, std::size_t place) {
    constexpr std::size_t longest = 32;
    return place < draft.certain ? longest : place - draft.certain;
}

}  // namespace

Drafter::Drafter(std::span<const Token> prediction, std::size_t prompt_tokens, Acceptance* usual)
    : usual_(usual), prompt_tokens_(prompt_tokens) {
    if (usual_ != nullptr) {
        acceptance_.begin_like(*usual_, Source::format);
    }
    if (!prediction.empty()) {
        reading_ = LookupIndex::Match{.position = index_.text().size(), .length = 0};
        std::ranges::for_each(prediction, [this](Token token) { index_.append(token); });
        index_.append(divider);
    }
    own_text_ = index_.text().size();
}

void Drafter::follow(std::span<const Token> text) {
    for (; followed_ < std::min(text.size(), prompt_tokens_); ++followed_) {
        index_.append(text[followed_]);
    }
    for (; followed_ < text.size(); ++followed_) {
        take(text[followed_]);
    }
    if (!reading_) {
        reading_ = index_.find();
    }
}

void Drafter::take(Token token) {
    learn_of_others(token);
    if (!reading_) {
        reading_ = index_.find();
    }
    if (reading_) {
        const Token guess = index_.text()[reading_->position];
        if (guess != divider) {
            acceptance_.observe(source_of(reading_->position), reading_->length, guess == token);
        }
        if (guess == token) {
            ++reading_->position;
            ++reading_->length;
        } else {
            reading_.reset();
        }
    }
    index_.append(token);
}

void Drafter::learn_of_others(Token token) {
    if (others_right_ >= others_.tokens.size()) {
        return;
    }
    const bool right = others_.tokens[others_right_] == token;
    acceptance_.observe(others_.source, agreement(others_, others_right_), right);
    if (usual_ != nullptr && others_.source == Source::format) {
        usual_->observe(others_.source, agreement(others_, others_right_), right);
    }
    others_right_ = right ? others_right_ + 1 : others_.tokens.size();
}

Draft Drafter::draft(std::size_t most) const {
    Draft draft;
    if (!reading_) {
        return draft;
    }
    const auto& text = index_.text();
    draft.source = source_of(reading_->position);
    for (std::size_t count = 0; count < most; ++count) {
        const std::size_t position = reading_->position + count;
        // A text that repeats itself goes on with what was just guessed.
        const Token token = position < text.size() ? text[position] : draft.tokens[position - text.size()];
        if (token == divider) {
            break;
        }
        draft.tokens.push_back(token);
        draft.chances.push_back(acceptance_.chance(draft.source, reading_->length + count));
    }
    return draft;
}

Draft Drafter::planned(Source source, std::size_t tokens, double making_seconds) const {
    Draft draft{.source = source, .tokens = std::vector<Token>(tokens), .making_seconds = making_seconds};
    for (std::size_t count = 0; count < tokens; ++count) {
        draft.chances.push_back(acceptance_.chance(source, count));
    }
    return draft;
}

Draft Drafter::draft_of(Source source, std::vector<Token> tokens, std::size_t certain) {
    Draft draft{.source = source, .tokens = std::move(tokens), .certain = certain};
    for (std::size_t count = 0; count < draft.tokens.size(); ++count) {
        draft.chances.push_back(acceptance_.chance(source, agreement(draft, count)));
    }
    others_ = draft;
    others_right_ = 0;
    return draft;
}

Source Drafter::source_of(std::size_t position) const {
    return position < own_text_ ? Source::prediction : Source::lookup;
}

}  // namespace worker::speculation
