#include "worker/engine/llama/schema/demands.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "worker/engine/llama/schema/format.hpp"

namespace worker::engine::llama::schema {
namespace {

// More than fits into any context.
constexpr std::uint64_t most_demanded = 1'000'000;
constexpr std::uint64_t no_limit = 1'000'000'000;

std::uint64_t count_of(const common_json& json) {
    const auto decimal = decimal_of(json.dump());
    std::uint64_t count = no_limit;
    if (decimal && decimal->whole.size() < 10) {
        std::from_chars(decimal->whole.data(), decimal->whole.data() + decimal->whole.size(), count);
    }
    return std::min(count, no_limit);
}

std::optional<std::vector<const common_json*>> values_of(const Document& document, Document::Part part) {
    if (const auto* value = document.find(part, "const")) {
        return std::vector{value};
    }
    const auto* list = document.find(part, "enum");
    if (list == nullptr) {
        return std::nullopt;
    }
    std::vector<const common_json*> values;
    for (std::size_t index = 0; index < list->size(); ++index) {
        values.push_back(&list->at(index));
    }
    return values;
}

bool is_below_zero(const common_json& number) {
    return number.dump().starts_with('-');
}

struct BoundKeyword {
    const char* inclusive;
    const char* exclusive;
    bool is_least;
};

constexpr BoundKeyword bound_keywords[] = {{"minimum", "exclusiveMinimum", true},
                                           {"maximum", "exclusiveMaximum", false}};

// A bound that is too large to be written out is met by every number that is, or by none.
void add_bound(Numbers& numbers, const common_json& json, bool excluded, bool is_least, const std::string& path,
               std::optional<Fault>& fault) {
    Numbers one;
    auto& bound = is_least ? one.least : one.most;
    if (auto decimal = decimal_of(json.dump())) {
        bound = Bound{.value = std::move(*decimal), .excluded = excluded};
    } else {
        const auto text = json.dump();
        const bool is_huge = text.find("e-") == std::string::npos;
        if (!is_huge || is_below_zero(json) != is_least) {
            fault = fault ? fault : Fault{.path = path, .complaint = "it has too many digits"};
            return;
        }
        one.plain = true;
    }
    one.plain = true;
    numbers = numbers.shared(one);
}

}  // namespace

Types Types::named(const std::string& name) {
    if (name == "number") {
        return Types(whole) | Types(fraction);
    }
    constexpr std::array<std::pair<const char*, Type>, 6> others{{{"null", null},
                                                                  {"boolean", boolean},
                                                                  {"object", object},
                                                                  {"array", array},
                                                                  {"string", string},
                                                                  {"integer", whole}}};
    const auto* found = std::ranges::find(others, name, [](const auto& each) { return std::string(each.first); });
    return found == others.end() ? Types() : Types(found->second);
}

Types types_of_schema(const common_json& type) {
    if (type.is_string()) {
        return Types::named(type.get<std::string>());
    }
    Types types;
    for (const auto& name : type) {
        types = types | Types::named(name.get<std::string>());
    }
    return types;
}

Types types_allowed(const Document& document, const Together& together) {
    Types types = together.impossible ? Types() : Types::all();
    for (const auto& member : together.members) {
        if (const auto* type = document.find(member.part, "type")) {
            const auto* nullable = document.find(member.part, "nullable");
            const bool may_be_null = nullable != nullptr && nullable->get<bool>();
            types = types & (types_of_schema(*type) | (may_be_null ? Types(Types::null) : Types()));
        }
    }
    return types;
}

Types types_meant(const Document& document, const Together& together) {
    const auto has = [&](const char* keyword) {
        return std::ranges::any_of(
            together.members, [&](const Member& member) { return document.find(member.part, keyword) != nullptr; });
    };
    const Types allowed = types_allowed(document, together);
    if (has("type")) {
        return allowed;
    }
    Types meant;
    const auto mean = [&](std::initializer_list<const char*> keywords, Types types) {
        if (std::ranges::any_of(keywords, has)) {
            meant = meant | types;
        }
    };
    mean({"properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties",
          "maxProperties"},
         Types::object);
    mean({"items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"}, Types::array);
    mean({"pattern", "format", "minLength", "maxLength"}, Types::string);
    mean({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}, Types::named("number"));
    return meant.empty() ? allowed : allowed & meant;
}

std::optional<std::vector<const common_json*>> values_listed(const Document& document, const Together& together) {
    for (const auto& member : together.members) {
        if (auto values = values_of(document, member.part)) {
            return values;
        }
    }
    return std::nullopt;
}

std::vector<std::string> names_required(const Document& document, const Together& together) {
    std::vector<std::string> names;
    for (const auto& member : together.members) {
        const auto* required = document.find(member.part, "required");
        if (required != nullptr && required->is_array()) {
            for (const auto& name : *required) {
                names.push_back(name.get<std::string>());
            }
        }
    }
    return names;
}

Counts counts(const Document& document, const Together& together, const char* least, const char* most,
              std::optional<Fault>& fault) {
    Counts counts;
    for (const auto& member : together.members) {
        if (const auto* json = document.find(member.part, least)) {
            counts.least = std::max(counts.least, count_of(*json));
            if (counts.least > most_demanded && !fault) {
                fault =
                    Fault{.path = document.path(member.part) + in_path(least), .complaint = "no answer can be as long"};
            }
        }
        if (const auto* json = document.find(member.part, most)) {
            const auto count = count_of(*json);
            if (count < no_limit) {
                counts.most = std::min(counts.most.value_or(count), count);
            }
        }
    }
    return counts;
}

Numbers numbers(const Document& document, const Together& together, std::optional<Fault>& fault) {
    Numbers numbers;
    for (const auto& member : together.members) {
        const auto path = [&](const char* keyword) { return document.path(member.part) + in_path(keyword); };
        for (const auto& [inclusive, exclusive, is_least] : bound_keywords) {
            const auto* bound = document.find(member.part, inclusive);
            const auto* other = document.find(member.part, exclusive);
            const bool excluded = other != nullptr && other->is_boolean() && other->get<bool>();  // as in draft 4
            if (bound != nullptr) {
                add_bound(numbers, *bound, excluded, is_least, path(inclusive), fault);
            }
            if (other != nullptr && other->is_number()) {
                add_bound(numbers, *other, true, is_least, path(exclusive), fault);
            }
        }
        if (const auto* unit = document.find(member.part, "multipleOf")) {
            numbers = numbers.shared({.plain = true, .units = {*decimal_of(unit->dump())}});
        }
        if (const auto* format = document.find(member.part, "format")) {
            numbers = numbers.shared(numbers_of_format(format->get<std::string>()).value_or(Numbers{}));
        }
    }
    return numbers;
}

}  // namespace worker::engine::llama::schema
