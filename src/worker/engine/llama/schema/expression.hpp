#pragma once

/// Regular expressions over characters, with intersection and complement, and what is left of one after a character
/// (Brzozowski's derivatives). Equal ones have equal numbers.

#include <cstdint>
#include <limits>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "worker/engine/llama/schema/code_points.hpp"

namespace worker::engine::llama::schema {

/// The number of an expression in an `Expressions`.
using Expression = std::uint32_t;

class Expressions {
public:
    static constexpr Expression nothing = 0;   ///< no text
    static constexpr Expression empty = 1;     ///< the empty text
    static constexpr Expression anything = 2;  ///< every text
    static constexpr std::uint32_t no_limit = std::numeric_limits<std::uint32_t>::max();

    Expressions();

    Expression characters(const CodePoints& set);
    Expression any_character() { return characters(CodePoints::all()); }
    Expression text(std::u32string_view text);
    Expression then(Expression first, Expression second);
    Expression either(std::vector<Expression> choices);
    Expression both(std::vector<Expression> demands);
    Expression other_than(Expression expression);
    Expression repeated(Expression expression, std::uint32_t least, std::uint32_t most);

    bool takes_empty(Expression expression) const { return nodes_[expression].takes_empty; }
    Expression after(Expression expression, char32_t character);
    /// The sets of characters in the expression.
    std::vector<CodePoints> sets(Expression expression) const;

    /// They have become so many, or so large, that it is better to give up. From then on results mean nothing.
    bool exhausted() const { return exhausted_; }

private:
    enum class Kind : std::uint8_t { nothing, empty, characters, then, either, both, other_than, repeated };

    struct Node {
        Kind kind = Kind::nothing;
        bool takes_empty = false;
        std::uint32_t set = 0;             // characters: its place in sets_
        std::uint32_t least = 0;           // repeated
        std::uint32_t most = 0;            // repeated
        std::vector<Expression> children;  // in order; of either and both sorted
    };

    Expression known(Node node);
    Expression derived(Expression expression, char32_t character);
    /// Choices that differ in how often they repeat the same are one.
    void join_repetitions(std::vector<Expression>& choices);

    std::vector<Node> nodes_;
    std::map<std::vector<std::uint32_t>, Expression> numbers_;
    std::vector<CodePoints> sets_;
    std::map<CodePoints, std::uint32_t> set_numbers_;
    std::unordered_map<std::uint64_t, Expression> derivatives_;
    std::size_t size_ = 0;
    bool exhausted_ = false;
};

}  // namespace worker::engine::llama::schema
