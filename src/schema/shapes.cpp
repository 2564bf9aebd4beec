#include "schema/shapes.hpp"

#include "schema/limits.hpp"
#include "schema/wording.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace schema {

Kinds OptionalShape::kinds() const {
    return Kinds(inner_().kinds() | Kinds::null);
}

void OptionalShape::read(const Value& value, void* target, const Options& options, const Reading& reading) const {
    if (value.is_null())
        clear(target);
    else
        inner_().read(value, emplace(target), options, reading);
}

Value OptionalShape::write(const void* source) const {
    const void* held = content(source);
    return held ? inner_().write(held) : Value(nullptr);
}

boost::json::object OptionalShape::document(const Options& options, Components& components) const {
    return or_null(inner_().document(options, components));
}

void ListShape::read(const Value& value, void* target, const Options& options, const Reading& reading) const {
    if (!value.is_array())
        return fault_type(reading, *this, value);
    const auto& elements = value.get_array();
    // A list that is too long is not read: its elements may be far larger here than in the text.
    const bool too_long = options.max_items && elements.size() > *options.max_items;
    check_items(elements.size(), options, reading);
    clear(target);
    for (std::size_t i = 0; i < elements.size() && !too_long && !reading.findings().full(); ++i)
        inner_().read(elements[i], append(target), options, reading.at(i));
}

Value ListShape::write(const void* source) const {
    boost::json::array elements;
    elements.reserve(size(source));
    for (std::size_t i = 0; i < size(source); ++i)
        elements.push_back(inner_().write(element(source, i)));
    return elements;
}

boost::json::object ListShape::document(const Options& options, Components& components) const {
    boost::json::object schema{{"type", "array"}, {"items", inner_().document(options, components)}};
    document_items(schema, options, Kinds::array);
    return schema;
}

void MapShape::read(const Value& value, void* target, const Options& options, const Reading& reading) const {
    if (!value.is_object())
        return fault_type(reading, *this, value);
    const auto& entries = value.get_object();
    const bool too_long = options.max_items && entries.size() > *options.max_items;
    check_items(entries.size(), options, reading);
    clear(target);
    for (const auto& pair : entries) {
        if (too_long || reading.findings().full())
            break;
        const std::string_view key(pair.key().data(), pair.key().size());
        inner_().read(pair.value(), entry(target, key), options, reading.at(key));
    }
}

Value MapShape::write(const void* source) const {
    boost::json::object entries;
    each(source, [&](const std::string& key, const void* value) { entries[key] = inner_().write(value); });
    return entries;
}

boost::json::object MapShape::document(const Options& options, Components& components) const {
    boost::json::object schema{{"type", "object"}};
    document_items(schema, options, Kinds::object);
    schema["additionalProperties"] = inner_().document(options, components);
    return schema;
}

void TextShape::read(const Value& value, void* target, const Options& options, const Reading& reading) const {
    if (!value.is_string())
        return fault_type(reading, *this, value);
    const std::string_view text(value.get_string().data(), value.get_string().size());
    if (check_string(text, options, reading))
        assign(target, std::string(text));
}

Value TextShape::write(const void* source) const {
    return Value(text(source));
}

boost::json::object TextShape::document(const Options& options, Components&) const {
    boost::json::object schema{{"type", "string"}};
    document_string(schema, options);
    return schema;
}

}  // namespace schema
