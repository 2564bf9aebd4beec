#include "schema/limits.hpp"
#include "schema/shapes.hpp"
#include "schema/wording.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace schema {

namespace {

std::string text_of(const Value* constant) {
    return constant && constant->is_string() ? std::string(constant->get_string().c_str()) : std::string();
}

}  // namespace

Kinds OneOfShape::kinds() const {
    int kinds = 0;
    for (const ShapeRef alternative : alternatives_)
        kinds |= alternative().kinds();
    return Kinds(kinds);
}

std::string OneOfShape::tag() const {
    std::vector<const Shape*> objects;
    for (const ShapeRef alternative : alternatives_)
        if (alternative().kinds() == Kinds::object)
            objects.push_back(&alternative());
    if (objects.size() < 2)
        return {};
    for (const std::string& key : objects.front()->constant_keys()) {
        std::vector<std::string> values;
        for (const Shape* shape : objects)
            values.push_back(text_of(shape->constant_at(key)));
        std::ranges::sort(values);
        if (!values.front().empty() && std::ranges::adjacent_find(values) == values.end())
            return key;
    }
    return {};
}

void OneOfShape::read(const Value& value, void* target, const Options& options, const Reading& reading) const {
    std::vector<std::size_t> candidates;
    for (std::size_t i = 0; i < alternatives_.size(); ++i)
        if (alternatives_[i]().kinds() & kind_of(value))
            candidates.push_back(i);
    if (candidates.empty())
        return fault_type(reading, *this, value);
    if (candidates.size() == 1)
        return alternatives_[candidates[0]]().read(value, emplace(target, candidates[0]), options, reading);
    if (const std::string key = tag(); value.is_object() && !key.empty())
        return read_tagged(value, target, options, reading, key);
    read_first_that_fits(value, target, options, reading, candidates);
}

void OneOfShape::read_tagged(const Value& value, void* target, const Options& options, const Reading& reading,
                             const std::string& tag) const {
    const Value* given = value.get_object().if_contains(tag);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < alternatives_.size(); ++i) {
        const Value* constant = alternatives_[i]().constant_at(tag);
        if (!constant)
            continue;
        if (given && *given == *constant)
            return alternatives_[i]().read(value, emplace(target, i), options, reading);
        names.push_back(text_of(constant));
    }
    if (given)
        fault_choice(reading.at(tag), names, *given);
    else
        reading.at(tag).fault(FaultKind::missing, "is required: one of " + alternatives(names));
}

void OneOfShape::read_first_that_fits(const Value& value, void* target, const Options& options, const Reading& reading,
                                      const std::vector<std::size_t>& candidates) const {
    std::optional<Findings> nearest;
    for (const std::size_t i : candidates) {
        Findings attempt{.options = reading.findings().options, .faults = {}, .unknown = {}, .ignored = {}};
        alternatives_[i]().read(value, emplace(target, i), options, reading.with(attempt));
        const bool fits = attempt.faults.empty();
        if (fits || !nearest || attempt.faults.size() < nearest->faults.size())
            nearest = std::move(attempt);
        if (fits)
            break;
    }
    reading.take(std::move(*nearest));
}

Value OneOfShape::write(const void* source) const {
    const auto [index, held] = content(source);
    return alternatives_[index]().write(held);
}

boost::json::object OneOfShape::document(const Options& options, Components& components) const {
    const std::string key = tag();
    boost::json::array schemas;
    boost::json::object mapping;
    bool all_tagged = !key.empty();
    // Alternatives that overlap (an enum beside free strings) are anyOf: a value may fit several.
    bool apart = true;
    int seen = 0;
    for (const ShapeRef alternative : alternatives_) {
        const Shape& shape = alternative();
        schemas.push_back(shape.document(options, components));
        const std::string name = key.empty() ? "" : text_of(shape.constant_at(key));
        all_tagged = all_tagged && !name.empty();
        if (const auto* reference = schemas.back().get_object().if_contains("$ref"); reference && !name.empty())
            mapping[name] = *reference;
        const int overlap = seen & shape.kinds();
        apart = apart && (overlap == 0 || (overlap == Kinds::object && !name.empty()));
        seen |= shape.kinds();
    }
    boost::json::object schema;
    schema[apart ? "oneOf" : "anyOf"] = std::move(schemas);
    if (all_tagged && mapping.size() == alternatives_.size())
        schema["discriminator"] = boost::json::object{{"propertyName", key}, {"mapping", std::move(mapping)}};
    return schema;
}

}  // namespace schema
