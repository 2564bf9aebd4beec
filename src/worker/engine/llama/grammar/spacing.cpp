#include "worker/engine/llama/grammar/spacing.hpp"

#include <algorithm>

namespace worker::engine::llama::grammar {
namespace {

// Longer space is no habit worth repeating, and no JSON worth following is as deep.
constexpr std::size_t most_space = 32;
constexpr std::size_t deepest = 64;

bool opens(char letter) {
    return letter == '{' || letter == '[';
}
bool closes(char letter) {
    return letter == '}' || letter == ']';
}

}  // namespace

void Spacing::follow(char letter) {
    if (in_string_) {
        in_string_ = escaped_ || letter != '"';
        escaped_ = !escaped_ && letter == '\\';
        last_ = letter;
        return;
    }
    if (letter == ' ' || letter == '\t' || letter == '\n') {
        space_ += letter;
        return;
    }
    if (const auto here = where(letter); here && space_.size() < most_space) {
        learn(*here);
    } else if (last_ == ':') {
        after_colon_ = space_;
    }
    if (closes(letter) && !open_.empty()) {
        open_.pop_back();
    } else if (opens(letter) && open_.size() < deepest) {
        open_.push_back(letter);
    }
    in_string_ = letter == '"';
    last_ = letter;
    space_.clear();
}

// Before `next` is followed.
std::optional<Spacing::Where> Spacing::where(std::optional<char> next) const {
    if (open_.empty()) {
        return std::nullopt;
    }
    if (next && closes(*next)) {
        return opens(last_) ? std::nullopt : std::optional(Where(open_.back(), open_.size(), Side::closing));
    }
    if (opens(last_)) {
        return Where(open_.back(), open_.size(), Side::opening);
    }
    return last_ == ',' ? std::optional(Where(open_.back(), open_.size(), Side::comma)) : std::nullopt;
}

void Spacing::learn(const Where& where) {
    const auto line = space_.rfind('\n');
    const auto& [opened, depth, side] = where;
    const auto steps = side == Side::closing ? depth - 1 : depth;
    if (line != std::string::npos && steps > 0 && (space_.size() - line - 1) % steps == 0) {
        indentation_ = (space_.size() - line - 1) / steps;
    }
    styles_[where] = {.new_line = line != std::string::npos, .space = space_};
}

// Otherwise as it was when this was opened, and otherwise as around it.
std::optional<Spacing::Style> Spacing::style_of(Where where) const {
    const auto [opened, depth, side] = where;
    if (const auto known = styles_.find(where); known != styles_.end()) {
        return known->second;
    }
    const auto opening = styles_.find(Where(opened, depth, Side::opening));
    if (side != Side::opening && opening != styles_.end()) {
        const bool comma = side == Side::comma;
        return opening->second.new_line ? opening->second : Style{.space = comma ? " " : opening->second.space};
    }
    if (depth < 2) {
        return std::nullopt;
    }
    return style_of(Where(open_[depth - 2], depth - 1, side));
}

std::string Spacing::text_of(const Style& style, const Where& where) const {
    const auto& [opened, depth, side] = where;
    return style.new_line ? "\n" + std::string((side == Side::closing ? depth - 1 : depth) * indentation_, ' ')
                          : style.space;
}

void Spacing::begin_like(const Spacing& other) {
    styles_ = other.styles_;
    after_colon_ = other.after_colon_;
    indentation_ = other.indentation_;
}

std::optional<Spacing::Guess> Spacing::guess(std::optional<char> next) const {
    auto whole = whole_guess(next);
    if (space_.empty()) {
        return whole;
    }
    std::string space = whole ? whole->space : std::string();
    if (const auto here = where(next); here && space_.starts_with('\n') && !space.starts_with('\n')) {
        space = text_of({.new_line = true}, *here);
    }
    if (space.size() <= space_.size() || !space.starts_with(space_)) {
        return std::nullopt;
    }
    return Guess{.space = space.substr(space_.size())};
}

std::optional<Spacing::Guess> Spacing::whole_guess(std::optional<char> next) const {
    if (last_ == ':') {
        return Guess{.space = after_colon_, .sure = true};
    }
    if (next == ',' || next == ':') {
        return Guess{.sure = true};
    }
    const auto here = where(next);
    if (!here) {
        return std::nullopt;
    }
    const auto style = style_of(*here);
    return Guess{.space = style ? text_of(*style, *here) : std::string(last_ == ',' ? " " : "")};
}

}  // namespace worker::engine::llama::grammar
