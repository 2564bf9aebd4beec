#include "schema/object.hpp"

#include "schema/limits.hpp"
#include "schema/wording.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace schema {

void ObjectShape::read(const Value& value, void* target, const Options&, const Reading& reading) const {
    if (!value.is_object())
        return fault_type(reading, *this, value);
    const auto& object = value.get_object();
    const std::size_t faults_before = reading.findings().faults.size();
    for (const Field& field : fields_)
        read_field(field, object.if_contains(field.name), target, reading);
    report_unknown(object, reading);
    if (reading.findings().faults.size() == faults_before)
        for (const auto& check : checks_)
            check(target, reading);
}

void ObjectShape::read_field(const Field& field, const Value* value, void* target, const Reading& reading) const {
    const Reading here = reading.at(field.name);
    if (!value || (value->is_null() && !field.options.required)) {
        if (field.options.required)
            here.fault(FaultKind::missing, "is required");
        return;
    }
    const std::size_t faults_before = here.findings().faults.size();
    switch (field.role) {
        case Field::Role::member: {
            void* member = field.member(target);
            field.shape().read(*value, member, field.options, here);
            if (field.check && here.findings().faults.size() == faults_before)
                if (auto complaint = field.check(member))
                    here.fault(FaultKind::rule, std::move(*complaint));
            return;
        }
        case Field::Role::constant:
            if (*value != field.constant)
                here.fault(FaultKind::not_allowed,
                           fmt::format("must be {}, not {}", shown(field.constant), shown(*value)));
            return;
        case Field::Role::ignored:
            field.shape().read(*value, field.scratch().get(), field.options, here);
            here.findings().ignored.push_back(here.path());
            return;
    }
}

void ObjectShape::report_unknown(const boost::json::object& object, const Reading& reading) const {
    constexpr std::size_t most_reported = 100;
    Findings& findings = reading.findings();
    for (const auto& pair : object) {
        const std::string_view key(pair.key().data(), pair.key().size());
        if (std::ranges::any_of(fields_, [&](const Field& field) { return field.name == key; }))
            continue;
        const Reading here = reading.at(key);
        if (findings.options.unknown == Unknown::report) {
            if (findings.unknown.size() == most_reported)
                return;
            findings.unknown.push_back(here.path());
            continue;
        }
        if (findings.full())
            return;
        std::vector<std::string> names;
        for (const Field& field : fields_)
            names.push_back(field.name);
        if (const auto meant = nearest(key, names))
            here.fault(FaultKind::unknown_field, fmt::format("is not known here; did you mean {}?", quoted(*meant)));
        else
            here.fault(FaultKind::unknown_field, "is not known here; there is " + alternatives(names));
    }
}

Value ObjectShape::write(const void* source) const {
    // Members are reached by functions that serve reading too; nothing is changed through them here.
    void* object = const_cast<void*>(source);
    boost::json::object result;
    for (const Field& field : fields_) {
        if (field.role == Field::Role::constant)
            result.emplace(field.name, field.constant);
        if (field.role != Field::Role::member)
            continue;
        const void* member = field.member(object);
        if (field.options.required || !field.shape().empty(member))
            result.emplace(field.name, field.shape().write(member));
    }
    return result;
}

boost::json::object ObjectShape::document(const Options&, Components& components) const {
    if (name_.empty())
        return document_in_place(components);
    return components.refer(name_, this, [&] { return document_in_place(components); });
}

boost::json::object ObjectShape::document_in_place(Components& components) const {
    const auto defaults = make_default();
    boost::json::object properties;
    boost::json::array required;
    for (const Field& field : fields_) {
        properties[field.name] = document_field(field, defaults.get(), components);
        if (field.options.required)
            required.emplace_back(field.name);
    }
    boost::json::object schema{{"type", "object"}};
    if (!doc_.empty())
        schema["description"] = doc_;
    schema["properties"] = std::move(properties);
    if (!required.empty())
        schema["required"] = std::move(required);
    return schema;
}

boost::json::object ObjectShape::document_field(const Field& field, void* defaults, Components& components) const {
    const Options& options = field.options;
    boost::json::object schema;
    if (field.role == Field::Role::constant)
        schema = {{"const", field.constant}};
    else
        schema = field.shape().document(options, components);
    if (!options.required)
        schema = or_null(std::move(schema));
    std::string description = options.doc;
    if (field.role == Field::Role::ignored && !description.starts_with("Accepted without effect"))
        description += description.empty() ? "Accepted without effect." : " Accepted without effect.";
    if (!description.empty())
        schema["description"] = description;
    if (field.role == Field::Role::member && !options.required) {
        const Value initial = field.shape().write(field.member(defaults));
        const bool tells = initial.is_bool() || initial.is_number() ||
                           (initial.is_string() && !initial.get_string().empty()) ||
                           (initial.is_array() && !initial.get_array().empty());
        if (tells)
            schema["default"] = initial;
    }
    if (!options.example.is_null())
        schema["examples"] = boost::json::array{options.example};
    if (options.deprecated)
        schema["deprecated"] = true;
    return schema;
}

const Value* ObjectShape::constant_at(std::string_view key) const {
    for (const Field& field : fields_)
        if (field.role == Field::Role::constant && field.name == key)
            return &field.constant;
    return nullptr;
}

std::vector<std::string> ObjectShape::constant_keys() const {
    std::vector<std::string> keys;
    for (const Field& field : fields_)
        if (field.role == Field::Role::constant)
            keys.push_back(field.name);
    return keys;
}

void ObjectShape::include_checks(const ObjectShape& part, std::function<const void*(const void*)> member) {
    for (const auto& check : part.checks_)
        checks_.push_back(
            [check, member](const void* object, const Reading& reading) { check(member(object), reading); });
}

}  // namespace schema
