#include "worker/engine/llama/schema/judge.hpp"

#include <algorithm>

#include "worker/engine/llama/schema/demands.hpp"

namespace worker::engine::llama::schema {
namespace {

constexpr int deepest = 200;
constexpr std::size_t most_steps = 200'000;  // of all questions

Types type_of(const common_json& value) {
    if (value.is_number()) {
        const auto decimal = decimal_of(value.dump());
        return decimal && decimal->fraction.empty() ? Types::whole : Types::fraction;
    }
    return value.is_null()      ? Types::null
           : value.is_boolean() ? Types::boolean
           : value.is_object()  ? Types::object
           : value.is_array()   ? Types::array
                                : Types::string;
}

template <typename Test>
bool any_of(const common_json& list, Test test) {
    for (const auto& each : list) {
        if (test(each)) {
            return true;
        }
    }
    return false;
}

// Equal values have equal texts.
std::string canonical(const common_json& value) {
    if (value.is_number()) {
        const auto decimal = decimal_of(value.dump());
        return decimal ? decimal->text() : value.dump();
    }
    if (value.is_array()) {
        std::string text = "[";
        for (const auto& each : value) {
            text += canonical(each) + ",";
        }
        return text + "]";
    }
    if (value.is_object()) {
        std::map<std::string, std::string> members;
        for (const auto& [name, each] : value.items()) {
            members[common_json::make(std::string(name)).dump()] = canonical(each);
        }
        std::string text = "{";
        for (const auto& [name, each] : members) {
            text.append(name).append(":").append(each).append(",");
        }
        return text + "}";
    }
    return value.dump();
}

std::optional<Expression> expression_of(base::Result<Expression> expression) {
    return expression ? std::optional(*expression) : std::nullopt;
}

}  // namespace

bool Judge::satisfies(const common_json& value, Document::Part part) {
    if (const auto& schema = document_.json(part); schema.is_boolean()) {
        return schema.get<bool>();
    }
    if (depth_ >= deepest || ++steps_ > most_steps || document_.malformed(part)) {
        return false;
    }
    ++depth_;
    const auto inside = [&](const char* keyword) {
        return document_.find(part, keyword) == nullptr || satisfies(value, document_.inside(part, keyword));
    };
    bool fits = fits_type(value, part) && is_listed(value, part);
    if (fits && document_.find(part, "$ref") != nullptr) {
        const auto target = document_.target(part);
        fits = target && satisfies(value, *target);
    }
    if (fits && document_.find(part, "anyOf") != nullptr) {
        fits = count_satisfied(value, part, "anyOf") > 0;
    }
    if (fits && document_.find(part, "oneOf") != nullptr) {
        fits = count_satisfied(value, part, "oneOf") == 1;
    }
    fits = fits && satisfies_all(value, part, "allOf");
    if (fits && document_.find(part, "not") != nullptr) {
        fits = !satisfies(value, document_.inside(part, "not"));
    }
    if (fits && document_.find(part, "if") != nullptr) {
        fits = inside(satisfies(value, document_.inside(part, "if")) ? "then" : "else");
    }
    if (fits && value.is_number()) {
        fits = fits_number(value, part);
    } else if (fits && value.is_string()) {
        fits = fits_string(value.get<std::string>(), part);
    } else if (fits && value.is_array()) {
        fits = fits_array(value, part);
    } else if (fits && value.is_object()) {
        fits = fits_object(value, part);
    }
    --depth_;
    return fits;
}

bool Judge::is_listed(const common_json& value, Document::Part part) {
    const auto* list = document_.find(part, "enum");
    const auto* constant = document_.find(part, "const");
    if (list == nullptr && constant == nullptr) {
        return true;
    }
    const auto [place, added] = listed_.try_emplace(part);
    if (added) {
        for (std::size_t index = 0; list != nullptr && index < list->size(); ++index) {
            place->second.insert(canonical(list->at(index)));
        }
    }
    const auto text = canonical(value);
    return (list == nullptr || place->second.contains(text)) && (constant == nullptr || text == canonical(*constant));
}

bool Judge::satisfies_all(const common_json& value, Document::Part part, const char* keyword) {
    const auto* list = document_.find(part, keyword);
    return list == nullptr || count_satisfied(value, part, keyword) == list->size();
}

std::size_t Judge::count_satisfied(const common_json& value, Document::Part part, const char* keyword) {
    std::size_t count = 0;
    for (std::size_t index = 0; index < document_.find(part, keyword)->size(); ++index) {
        count += satisfies(value, document_.inside(part, keyword, index)) ? 1 : 0;
    }
    return count;
}

bool Judge::fits_type(const common_json& value, Document::Part part) const {
    const Together alone{.members = {{.part = part}}};
    return !(types_allowed(document_, alone) & type_of(value)).empty();
}

bool Judge::fits_number(const common_json& value, Document::Part part) const {
    std::optional<Fault> fault;
    const auto bounds = numbers(document_, {.members = {{.part = part}}}, fault);
    const auto decimal = decimal_of(value.dump());
    if (fault || !decimal) {
        return !fault && !bounds.plain;
    }
    return bounds.spans(*decimal) && std::ranges::all_of(bounds.units, [&](const Decimal& unit) {
               return is_multiple(*decimal, unit).value_or(false);
           });
}

bool Judge::fits_pattern(const std::string& text, const std::string& pattern) {
    const auto expression = expression_of(texts_.with_pattern(pattern));
    const auto* language = expression ? texts_.language(*expression) : nullptr;
    return language != nullptr && language->contains(characters_of(text));
}

bool Judge::fits_string(const std::string& value, Document::Part part) {
    std::optional<Fault> fault;
    const auto length = counts(document_, {.members = {{.part = part}}}, "minLength", "maxLength", fault);
    const auto characters = characters_of(value);
    if (fault || characters.size() < length.least || characters.size() > length.most.value_or(characters.size())) {
        return false;
    }
    if (const auto* pattern = document_.find(part, "pattern");
        pattern != nullptr && !fits_pattern(value, pattern->get<std::string>())) {
        return false;
    }
    const auto* format = document_.find(part, "format");
    const auto expression = format == nullptr ? std::nullopt : texts_.of_format(format->get<std::string>());
    const auto* language = expression ? texts_.language(*expression) : nullptr;
    return language == nullptr || language->contains(characters);
}

bool Judge::fits_array(const common_json& value, Document::Part part) {
    std::optional<Fault> fault;
    const auto size = counts(document_, {.members = {{.part = part}}}, "minItems", "maxItems", fault);
    if (fault || value.size() < size.least || value.size() > size.most.value_or(value.size())) {
        return false;
    }
    const auto* items = document_.find(part, "items");
    const bool listed = items != nullptr && items->is_array();
    const char* first = listed ? "items" : "prefixItems";
    const char* rest = listed ? "additionalItems" : "items";
    const auto* prefix = document_.find(part, first);
    for (std::size_t index = 0; index < value.size(); ++index) {
        if (prefix != nullptr && index < prefix->size()) {
            if (!satisfies(value.at(index), document_.inside(part, first, index))) {
                return false;
            }
        } else if (document_.find(part, rest) != nullptr && !satisfies(value.at(index), document_.inside(part, rest))) {
            return false;
        }
        const auto* unique = document_.find(part, "uniqueItems");
        for (std::size_t other = 0; unique != nullptr && unique->get<bool>() && other < index; ++other) {
            if (canonical(value.at(other)) == canonical(value.at(index))) {
                return false;
            }
        }
    }
    return document_.find(part, "contains") == nullptr ||
           any_of(value, [&](const common_json& each) { return satisfies(each, document_.inside(part, "contains")); });
}

bool Judge::fits_object(const common_json& value, Document::Part part) {
    std::optional<Fault> fault;
    const auto size = counts(document_, {.members = {{.part = part}}}, "minProperties", "maxProperties", fault);
    if (fault || value.size() < size.least || value.size() > size.most.value_or(value.size())) {
        return false;
    }
    if (const auto* required = document_.find(part, "required"); required != nullptr && required->is_array()) {
        for (const auto& name : *required) {
            if (!value.contains(name.get<std::string>())) {
                return false;
            }
        }
    }
    const auto* properties = document_.find(part, "properties");
    const auto* patterns = document_.find(part, "patternProperties");
    for (const auto& [name, each] : value.items()) {
        const std::string key = name;
        bool described = properties != nullptr && properties->contains(key);
        if (described && !satisfies(each, document_.inside(part, "properties", key))) {
            return false;
        }
        if (patterns != nullptr) {
            for (const auto& [pattern, schema] : patterns->items()) {
                if (fits_pattern(key, pattern)) {
                    described = true;
                    if (!satisfies(each, document_.inside(part, "patternProperties", pattern))) {
                        return false;
                    }
                }
            }
        }
        if (!described && document_.find(part, "additionalProperties") != nullptr &&
            !satisfies(each, document_.inside(part, "additionalProperties"))) {
            return false;
        }
        if (document_.find(part, "propertyNames") != nullptr &&
            !satisfies(common_json::make(key), document_.inside(part, "propertyNames"))) {
            return false;
        }
    }
    return true;
}

}  // namespace worker::engine::llama::schema
