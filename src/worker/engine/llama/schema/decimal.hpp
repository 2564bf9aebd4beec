#pragma once

/// Decimal numbers as JSON writes them, exact.

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace worker::engine::llama::schema {

struct Decimal {
    bool negative = false;  ///< never of zero
    std::string whole;      ///< without leading zeros, but "0"
    std::string fraction;   ///< without zeros at its end

    bool is_zero() const { return whole == "0" && fraction.empty(); }
    Decimal magnitude() const { return {.negative = false, .whole = whole, .fraction = fraction}; }
    std::string text() const;

    bool operator==(const Decimal&) const = default;
    std::strong_ordering operator<=>(const Decimal& other) const;
};

/// From a number of JSON. Nothing for one with more digits than anybody counts in.
std::optional<Decimal> decimal_of(std::string_view number);

/// Whether `value` is a whole number of times `unit`, which is above zero. Nothing when the digits are too many.
std::optional<bool> is_multiple(const Decimal& value, const Decimal& unit);

}  // namespace worker::engine::llama::schema
