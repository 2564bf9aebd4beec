#include "schema/wording.hpp"

#include "schema/json.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cmath>
#include <numeric>
#include <vector>

namespace schema {

namespace {

std::string_view name_of(Kinds kind) {
    switch (kind) {
        case Kinds::null: return "null";
        case Kinds::boolean: return "a boolean";
        case Kinds::number: return "a number";
        case Kinds::string: return "a string";
        case Kinds::array: return "an array";
        case Kinds::object: return "an object";
        default: return "a value";
    }
}

/// The number of insertions, removals, changes and swaps of neighbours that lead from `a` to `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    std::iota(last.begin(), last.end(), 0);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before.swap(last);
        last.swap(row);
    }
    return last[b.size()];
}

}  // namespace

std::string quoted(std::string_view text, std::size_t longest) {
    std::size_t end = 0, characters = 0;
    while (end < text.size() && characters < longest) {
        ++end;
        while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
            ++end;
        ++characters;
    }
    std::string result = write_json(Value(boost::json::string_view(text.data(), end)));
    if (end < text.size())
        result.insert(result.size() - 1, "…");
    return result;
}

std::string shown(const Value& value) {
    if (value.is_string())
        return quoted(std::string_view(value.get_string().data(), value.get_string().size()));
    if (value.is_array() || value.is_object())
        return std::string(name_of(kind_of(value)));
    if (value.is_double() && !std::isfinite(value.get_double()))
        return "a number that is too large";
    return write_json(value);
}

std::string describe(Kinds kinds) {
    std::vector<std::string> names;
    for (auto kind : {Kinds::boolean, Kinds::number, Kinds::string, Kinds::array, Kinds::object, Kinds::null})
        if (kinds & kind)
            names.emplace_back(name_of(kind));
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i)
        text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
    return text;
}

Kinds kind_of(const Value& value) {
    switch (value.kind()) {
        case boost::json::kind::null: return Kinds::null;
        case boost::json::kind::bool_: return Kinds::boolean;
        case boost::json::kind::int64:
        case boost::json::kind::uint64:
        case boost::json::kind::double_: return Kinds::number;
        case boost::json::kind::string: return Kinds::string;
        case boost::json::kind::array: return Kinds::array;
        case boost::json::kind::object: return Kinds::object;
    }
    return Kinds::null;
}

std::string alternatives(std::span<const std::string> names) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i)
        text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + quoted(names[i]);
    return text;
}

std::optional<std::string> nearest(std::string_view given, std::span<const std::string> names) {
    if (given.size() > 64)
        return std::nullopt;
    std::optional<std::string> best;
    std::size_t best_distance = std::max<std::size_t>(1, given.size() / 3) + 1;
    for (const std::string& name : names) {
        const std::size_t distance = edit_distance(given, name);
        if (distance < best_distance) {
            best = name;
            best_distance = distance;
        }
    }
    return best;
}

void fault_type(const Reading& reading, const Shape& wanted, const Value& given) {
    const Kinds kind = kind_of(given);
    const bool show = !wanted.secret() && (kind & (Kinds::boolean | Kinds::number | Kinds::string));
    reading.fault(FaultKind::wrong_type, fmt::format("must be {}, not {}{}", describe(wanted.kinds()), name_of(kind),
                                                     show ? " (" + shown(given) + ")" : ""));
}

void fault_choice(const Reading& reading, std::span<const std::string> names, const Value& given) {
    reading.fault(FaultKind::not_allowed,
                  names.size() == 1 ? fmt::format("must be {}, not {}", quoted(names[0]), shown(given))
                                    : fmt::format("must be one of {}, not {}", alternatives(names), shown(given)));
}

}  // namespace schema
