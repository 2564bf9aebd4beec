#pragma once

/// The texts of numbers within bounds, and of multiples.

#include <optional>
#include <vector>

#include "worker/engine/llama/schema/decimal.hpp"
#include "worker/engine/llama/schema/language.hpp"

namespace worker::engine::llama::schema {

struct Bound {
    Decimal value;
    bool excluded = false;
};

struct Numbers {
    bool whole_only = false;
    bool plain = false;  ///< to be written without an exponent
    std::optional<Bound> least;
    std::optional<Bound> most;
    std::vector<Decimal> units;  ///< the number is a multiple of each; they are above zero

    /// What both allow.
    Numbers shared(const Numbers& other) const;
    /// Whether a number lies between the bounds, units aside.
    bool spans(const Decimal& value) const;
    bool bounds_meet() const;
};

/// In plain notation, without exponents, and with at most as many digits as the bounds need and people use. Nothing
/// when the automaton would be too large. `states_left` is how many states may be looked at; those that were are
/// taken off.
std::optional<Language> language_of(const Numbers& numbers, std::size_t& states_left);

}  // namespace worker::engine::llama::schema
