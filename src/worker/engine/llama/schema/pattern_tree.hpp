#pragma once

/// A regular expression of ECMA-262 as a tree.

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "worker/engine/llama/schema/code_points.hpp"

namespace worker::engine::llama::schema {

struct PatternTree {
    enum class Kind : std::uint8_t { characters, sequence, choice, repeated, begin, end, ahead, not_ahead };

    Kind kind = Kind::sequence;
    CodePoints set;                     ///< of characters
    std::vector<PatternTree> children;  ///< one of what is repeated or looked ahead for
    std::uint32_t least = 0;            ///< of what is repeated
    std::uint32_t most = 0;             ///< Expressions::no_limit: any number
};

/// `invalid` for what is no regular expression, `unsupported` for what has no place in a tree of this kind.
base::Result<PatternTree> pattern_tree(std::string_view pattern);

}  // namespace worker::engine::llama::schema
