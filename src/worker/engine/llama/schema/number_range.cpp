#include "worker/engine/llama/schema/number_range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <vector>

namespace worker::engine::llama::schema {
namespace {

constexpr std::string_view mark = "number within ";
constexpr std::int64_t largest = 999'999'999'999'999;
constexpr const char* fraction = "(\".\" [0-9]{1,8})?";
constexpr const char* no_fraction = "(\".\" \"0\"{1,8})?";
constexpr const char* some_fraction = "\".\" [0-9]{0,7} [1-9]";

struct Bound {
    std::int64_t value = 0;
    bool excluded = false;
};

struct Range {
    std::optional<Bound> least;
    std::optional<Bound> most;
};

std::string digits(std::size_t count) {
    return count == 0 ? "" : count == 1 ? "[0-9]" : fmt::format("[0-9]{{{}}}", count);
}

std::string between(char low, char high) {
    return low == high ? fmt::format("\"{}\"", low) : fmt::format("[{}-{}]", low, high);
}

std::string either_of(const std::vector<std::string>& alternatives) {
    std::string joined;
    for (const auto& each : alternatives) {
        joined += (joined.empty() ? "" : " | ") + each;
    }
    return alternatives.size() == 1 ? joined : "(" + joined + ")";
}

// Numbers of as many digits as both bounds have.
std::string of_one_length(std::string_view low, std::string_view high) {
    if (low.empty()) {
        return "";
    }
    const auto rest = low.size() - 1;
    const std::string zeros(rest, '0');
    const std::string nines(rest, '9');
    if (low.substr(1) == zeros && high.substr(1) == nines) {
        return between(low[0], high[0]) + " " + digits(rest);
    }
    if (low[0] == high[0]) {
        return between(low[0], low[0]) + " " + of_one_length(low.substr(1), high.substr(1));
    }
    std::vector<std::string> alternatives{between(low[0], low[0]) + " " + of_one_length(low.substr(1), nines)};
    if (low[0] + 1 < high[0]) {
        alternatives.push_back(between(static_cast<char>(low[0] + 1), static_cast<char>(high[0] - 1)) + " " +
                               digits(rest));
    }
    alternatives.push_back(between(high[0], high[0]) + " " + of_one_length(zeros, high.substr(1)));
    return either_of(alternatives);
}

// Whole numbers from `low` to `high`, neither below 0.
std::string whole(std::int64_t low, std::int64_t high) {
    std::vector<std::string> alternatives;
    for (std::int64_t first = 0, last = 9; first <= high; first = last + 1, last = last * 10 + 9) {
        const auto from = std::max(low, first);
        const auto to = std::min(high, last);
        if (from <= to) {
            alternatives.push_back(of_one_length(std::to_string(from), std::to_string(to)));
        }
    }
    return either_of(alternatives);
}

// Numbers from `least`, which is not below 0, to `most`.
void add(const Bound& least, const std::optional<Bound>& most, const char* sign,
         std::vector<std::string>& alternatives) {
    const auto low = least.excluded ? least.value + 1 : least.value;
    const auto high = most ? most->value - 1 : largest;
    if (low <= high) {
        alternatives.push_back(sign + whole(low, high) + " " + fraction);
    }
    if (least.excluded && (!most || least.value < most->value)) {
        alternatives.push_back(sign + fmt::format("\"{}\" ", least.value) + some_fraction);
    }
    if (most && !most->excluded && most->value >= low) {
        alternatives.push_back(sign + fmt::format("\"{}\" ", most->value) + no_fraction);
    }
}

std::string expression(const Range& range) {
    constexpr Bound zero{.value = 0, .excluded = false};
    constexpr Bound above_zero{.value = 0, .excluded = true};
    std::vector<std::string> alternatives;
    if (!range.most || range.most->value >= 0) {
        const bool from_zero = !range.least || range.least->value < 0;
        add(from_zero ? zero : *range.least, range.most, "", alternatives);
    }
    if (!range.least || range.least->value < 0) {
        const auto mirrored = [](const Bound& bound) {
            return Bound{.value = -bound.value, .excluded = bound.excluded};
        };
        const bool to_zero = !range.most || range.most->value >= 0;
        add(to_zero ? above_zero : mirrored(*range.most),
            range.least ? std::optional(mirrored(*range.least)) : std::nullopt, "\"-\" ", alternatives);
    }
    return alternatives.empty() ? "" : "(" + either_of(alternatives) + ")";
}

// False when there is a bound that is no whole number of moderate size.
bool read_bound(const common_json& schema, const char* key, bool excluded, std::optional<Bound>& bound) {
    if (!schema.contains(key)) {
        return true;
    }
    const auto& value = schema.at(key);
    if (!value.is_number() || bound) {
        return false;
    }
    const auto number = value.get<double>();
    if (number != std::floor(number) || std::abs(number) > static_cast<double>(largest)) {
        return false;
    }
    bound = Bound{.value = static_cast<std::int64_t>(number), .excluded = excluded};
    return true;
}

std::string text_of(const std::optional<Bound>& bound) {
    return bound ? fmt::format("{}{}", bound->excluded ? "!" : "", bound->value) : "-";
}

std::optional<Bound> bound_of(std::string_view text) {
    Bound bound;
    bound.excluded = text.starts_with('!');
    text.remove_prefix(bound.excluded ? 1 : 0);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bound.value);
    return error == std::errc() ? std::optional(bound) : std::nullopt;
}

}  // namespace

std::optional<std::string> number_constant(const common_json& schema) {
    if (!schema.contains("type") || schema.at("type") != "number") {
        return std::nullopt;
    }
    Range range;
    const bool readable = read_bound(schema, "minimum", false, range.least) &&
                          read_bound(schema, "exclusiveMinimum", true, range.least) &&
                          read_bound(schema, "maximum", false, range.most) &&
                          read_bound(schema, "exclusiveMaximum", true, range.most);
    if (!readable || (!range.least && !range.most) || expression(range).empty()) {
        return std::nullopt;
    }
    return fmt::format("{}{} {}", mark, text_of(range.least), text_of(range.most));
}

std::string with_numbers(std::string grammar) {
    const std::string begin = "\"\\\"" + std::string(mark);
    constexpr std::string_view end = "\\\"\"";
    for (auto found = grammar.find(begin); found != std::string::npos; found = grammar.find(begin, found)) {
        const auto stop = grammar.find(end, found + begin.size());
        if (stop == std::string::npos) {
            break;
        }
        const std::string bounds = grammar.substr(found + begin.size(), stop - found - begin.size());
        const auto space = std::min(bounds.find(' '), bounds.size());
        const Range range{.least = bound_of(std::string_view(bounds).substr(0, space)),
                          .most = bound_of(std::string_view(bounds).substr(std::min(space + 1, bounds.size())))};
        const std::string numbers = expression(range);
        grammar.replace(found, stop + end.size() - found, numbers);
        found += numbers.size();
    }
    return grammar;
}

}  // namespace worker::engine::llama::schema
