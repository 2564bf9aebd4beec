#pragma once

/// Where a grammar of JSON leaves nothing to choose but space, guesses it as the text before has it: on one line or on
/// several, indented by the depth.

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace worker::engine::llama::grammar {

class Spacing {
public:
    struct Guess {
        std::string space;
        bool sure = false;  ///< writers hardly differ here
    };

    void follow(char letter);
    /// The space to expect before `next`, or before a character that is not known; after some of it, the rest. Nothing
    /// where there is nothing to go by, or none to come.
    std::optional<Guess> guess(std::optional<char> next) const;

    /// To begin with the habits of another text of the same kind.
    void begin_like(const Spacing& other);
    bool has_habits() const { return !styles_.empty(); }

private:
    enum class Side { opening, comma, closing };
    struct Style {
        bool new_line = false;
        std::string space;  // where there is no new line
    };
    /// What is opened, how deep, and where in it.
    using Where = std::tuple<char, std::size_t, Side>;

    std::optional<Guess> whole_guess(std::optional<char> next) const;
    std::optional<Where> where(std::optional<char> next) const;
    void learn(const Where& where);
    std::optional<Style> style_of(Where where) const;
    std::string text_of(const Style& style, const Where& where) const;

    std::vector<char> open_;
    std::map<Where, Style> styles_;
    std::string after_colon_ = " ";
    std::size_t indentation_ = 2;
    char last_ = 0;  // that is no space
    std::string space_;
    bool in_string_ = false;
    bool escaped_ = false;
};

}  // namespace worker::engine::llama::grammar
