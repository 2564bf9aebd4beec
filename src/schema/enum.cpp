#include "schema/object.hpp"
#include "schema/wording.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace schema {

void EnumShape::read(const Value& value, void* target, const Options&, const Reading& reading) const {
    if (value.is_string())
        for (const auto& [name, number] : names_)
            if (value.get_string() == name)
                return assign(target, number);
    std::vector<std::string> names;
    for (const auto& [name, number] : names_)
        names.push_back(name);
    fault_choice(reading, names, value);
}

Value EnumShape::write(const void* source) const {
    return Value(name_of(get(source)));
}

std::string_view EnumShape::name_of(std::int64_t value) const {
    const auto found = std::ranges::find(names_, value, &std::pair<std::string, std::int64_t>::second);
    return found == names_.end() ? "?" : std::string_view(found->first);
}

boost::json::object EnumShape::document(const Options&, Components&) const {
    boost::json::array names;
    for (const auto& [name, number] : names_)
        names.emplace_back(name);
    boost::json::object schema{{"type", "string"}};
    if (!doc_.empty())
        schema["description"] = doc_;
    schema["enum"] = std::move(names);
    return schema;
}

}  // namespace schema
