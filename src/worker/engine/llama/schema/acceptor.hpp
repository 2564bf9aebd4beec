#pragma once

/// For tests: what the text engine's own automaton makes of a grammar, character by character.

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.hpp"
#include "worker/engine/llama/grammar/automaton.hpp"
#include "worker/engine/llama/schema/code_points.hpp"

namespace worker::engine::llama::schema {

class Acceptor {
public:
    /// The grammar must be one.
    explicit Acceptor(const std::string& grammar)
        : automaton_(std::make_shared<const grammar::Rules>(grammar::parse_rules(nullptr, grammar).value())) {}

    bool accepts(std::string_view text) {
        auto state = automaton_.start();
        for (const char32_t character : characters_of(text)) {
            state = automaton_.next(state, character);
        }
        return automaton_.may_end(state);
    }

    /// A text that the grammar accepts, drawn by chance. Nothing when it had not come to an end after `longest`
    /// characters; `dead_end` is set when none of many characters could have followed.
    std::optional<std::string> drawn(std::mt19937& random, int longest, bool& dead_end) {
        static const std::u32string letters = every_letter();
        auto state = automaton_.start();
        std::string text;
        for (int length = 0; length < longest; ++length) {
            if (automaton_.may_end(state) && random() % 3 == 0) {
                return text;
            }
            std::vector<char32_t> possible;
            std::vector<char32_t> closing;  // preferred: most texts would not end without
            for (const char32_t letter : letters) {
                if (automaton_.next(state, letter) != grammar::Automaton::dead) {
                    possible.push_back(letter);
                    const bool closes = letter == '"' || letter == ']' || letter == '}';
                    if (closes) {
                        closing.push_back(letter);
                    }
                }
            }
            if (possible.empty()) {
                dead_end = !automaton_.may_end(state);
                return dead_end ? std::nullopt : std::optional(text);
            }
            const auto& chosen = !closing.empty() && random() % 3 == 0 ? closing : possible;
            const char32_t letter = chosen[random() % chosen.size()];
            base::append_utf8(text, letter);
            state = automaton_.next(state, letter);
        }
        return automaton_.may_end(state) ? std::optional(text) : std::nullopt;
    }

private:
    static std::u32string every_letter() {
        std::u32string letters = U"\n\tÄßé\u4E2D\U0001F600";
        for (char32_t letter = ' '; letter < 0x7F; ++letter) {
            letters.push_back(letter);
        }
        return letters;
    }

    grammar::Automaton automaton_;
};

}  // namespace worker::engine::llama::schema
