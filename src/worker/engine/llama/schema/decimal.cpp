#include "worker/engine/llama/schema/decimal.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace worker::engine::llama::schema {
namespace {

constexpr int most_digits = 40;

std::strong_ordering compared(const Decimal& one, const Decimal& other) {
    if (one.whole.size() != other.whole.size()) {
        return one.whole.size() <=> other.whole.size();
    }
    if (const auto wholes = one.whole.compare(other.whole) <=> 0; wholes != 0) {
        return wholes;
    }
    return one.fraction.compare(other.fraction) <=> 0;  // zeros at the end left out, as in a dictionary
}

}  // namespace

std::string Decimal::text() const {
    return (negative ? "-" : "") + whole + (fraction.empty() ? "" : "." + fraction);
}

std::strong_ordering Decimal::operator<=>(const Decimal& other) const {
    if (negative != other.negative) {
        return negative ? std::strong_ordering::less : std::strong_ordering::greater;
    }
    return negative ? compared(other, *this) : compared(*this, other);
}

std::optional<Decimal> decimal_of(std::string_view number) {
    Decimal decimal{.negative = number.starts_with('-'), .whole = {}, .fraction = {}};
    number.remove_prefix(decimal.negative ? 1 : 0);
    const auto exponent_at = std::min(number.find_first_of("eE"), number.size());
    int exponent = 0;
    if (exponent_at < number.size()) {
        auto digits = number.substr(exponent_at + 1);
        digits.remove_prefix(digits.starts_with('+') ? 1 : 0);
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
        if (error != std::errc() || end != digits.data() + digits.size()) {
            return std::nullopt;
        }
    }
    const auto mantissa = number.substr(0, exponent_at);
    const auto point = std::min(mantissa.find('.'), mantissa.size());
    std::string digits(mantissa.substr(0, point));
    auto places = static_cast<int>(digits.size());
    digits += mantissa.substr(std::min(point + 1, mantissa.size()));
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos) {
        return std::nullopt;
    }
    const auto leading = std::min(digits.find_first_not_of('0'), digits.size());
    digits.erase(0, leading);
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.empty()) {
        return Decimal{.negative = false, .whole = "0", .fraction = {}};
    }
    if (exponent > most_digits || exponent < -most_digits || digits.size() > most_digits) {
        return std::nullopt;
    }
    places += exponent - static_cast<int>(leading);
    if (places > most_digits || places < -most_digits) {
        return std::nullopt;
    }
    if (places <= 0) {
        decimal.whole = "0";
        decimal.fraction = std::string(static_cast<std::size_t>(-places), '0') + digits;
    } else {
        const auto whole = static_cast<std::size_t>(places);
        digits.resize(std::max(digits.size(), whole), '0');
        decimal.whole = digits.substr(0, whole);
        decimal.fraction = digits.substr(whole);
    }
    return decimal;
}

std::optional<bool> is_multiple(const Decimal& value, const Decimal& unit) {
    const auto places = unit.fraction.size();
    if (value.fraction.size() > places) {
        return false;
    }
    const std::string divisor_digits = unit.whole + unit.fraction;
    std::uint64_t divisor = 0;
    [[maybe_unused]] const auto [end, error] =
        std::from_chars(divisor_digits.data(), divisor_digits.data() + divisor_digits.size(), divisor);
    constexpr std::uint64_t largest = 1'000'000'000'000'000'000;
    if (error != std::errc() || divisor == 0 || divisor > largest) {
        return std::nullopt;
    }
    std::uint64_t rest = 0;
    for (const char digit : value.whole + value.fraction + std::string(places - value.fraction.size(), '0')) {
        rest = (rest * 10 + static_cast<std::uint64_t>(digit - '0')) % divisor;
    }
    return rest == 0;
}

}  // namespace worker::engine::llama::schema
