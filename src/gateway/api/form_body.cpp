#include "gateway/api/form_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <charconv>
#include <set>

#include "base/utf8.hpp"

namespace gateway::api {
namespace {

using schema::Fault;
using schema::FaultKind;
using schema::Kinds;
using schema::Value;

/// Between the form and the shape of a file. No UTF-8, so that no JSON text has such an object.
constexpr std::string_view bytes_key = "\xff";

class FileShape final : public schema::Shape {
public:
    Kinds kinds() const override { return Kinds::object; }

    void read(const Value& value, void* target, const schema::Options&, const schema::Reading& reading) const override {
        const Value* bytes = value.is_object() ? value.get_object().if_contains(bytes_key) : nullptr;
        if (bytes == nullptr || !bytes->is_string())
            return reading.fault(FaultKind::wrong_type, "must be a file, not text");
        if (bytes->get_string().empty())
            return reading.fault(FaultKind::out_of_range, "is an empty file");
        static_cast<File*>(target)->bytes = bytes->get_string();
    }

    Value write(const void* source) const override { return Value(static_cast<const File*>(source)->bytes); }

    boost::json::object document(const schema::Options&, schema::Components&) const override {
        return {{"type", "string"}, {"format", "binary"}};
    }
};

/// A number, when the whole text is one as JSON writes it: no "nan", no "0x10".
std::optional<Value> to_number(std::string_view text) {
    const bool plain = !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](char character) {
        return (character >= '0' && character <= '9') || std::string_view("+-.eE").contains(character);
    });
    if (!plain)
        return std::nullopt;
    auto read = schema::read_json(text);
    return read && read->is_number() ? std::optional(*std::move(read)) : std::nullopt;
}

/// Python's clients write True, those in a hurry 1.
std::optional<Value> to_boolean(std::string_view text) {
    for (const auto& [name, value] :
         {std::pair{"true", true}, {"True", true}, {"1", true}, {"false", false}, {"False", false}, {"0", false}})
        if (text == name)
            return Value(value);
    return std::nullopt;
}

/// What the text says where a value of these kinds belongs; the text itself where it is none of them, so that the
/// table complains about it.
Value to_value(std::string_view text, Kinds kinds) {
    if ((kinds & Kinds::string) == 0) {
        if (kinds & Kinds::number)
            if (auto number = to_number(text))
                return *std::move(number);
        if (kinds & Kinds::boolean)
            if (auto boolean = to_boolean(text))
                return *std::move(boolean);
        if (kinds & (Kinds::array | Kinds::object))
            if (auto read = schema::read_json(text); read && (read->is_array() || read->is_object()))
                return *std::move(read);
    }
    return Value(text);
}

const schema::Field* find(const schema::ObjectShape& table, std::string_view name) {
    const auto found = std::ranges::find(table.fields(), name, &schema::Field::name);
    return found == table.fields().end() ? nullptr : &*found;
}

/// Puts one part after the other into the object.
class Filling {
public:
    Filling(const schema::ObjectShape& table, schema::Faults& faults) : table_(table), faults_(faults) {}

    void add(const http::Part& part) {
        std::string_view name = part.name;
        const bool listed = name.ends_with("[]");
        if (listed)
            name.remove_suffix(2);
        if (const auto bracket = name.find('[');
            bracket != std::string_view::npos && find(table_, name.substr(0, bracket)))
            return fault(name.substr(0, bracket), FaultKind::rule,
                         fmt::format("is given in parts (`{}`): send it as JSON text in one", part.name));
        const schema::Field* field = find(table_, name);
        if (field == nullptr) {
            object_.emplace(part.name, nullptr);  // to be reported, whatever it holds
            return;
        }
        const Kinds kinds = field->shape ? field->shape().kinds() : Kinds::string;
        const bool is_list = (kinds & Kinds::array) != 0;
        if (!is_list && (listed || object_.contains(name)))
            return fault(name, FaultKind::duplicate_key, listed ? "is no list" : "is given twice");
        if (!part.is_file && base::valid_utf8(part.content) != part.content)
            return fault(name, FaultKind::syntax, "is no UTF-8");
        if (part.is_file && (kinds & (Kinds::array | Kinds::object)) == 0)
            return fault(name, FaultKind::wrong_type, "must be text, not a file");
        Value value =
            part.is_file ? Value(boost::json::object{{bytes_key, part.content}}) : to_value(part.content, kinds);
        if (is_list)
            append(name, std::move(value));
        else
            object_.emplace(name, std::move(value));
    }

    boost::json::object take() { return std::move(object_); }

private:
    void append(std::string_view name, Value value) {
        auto& entry = object_.emplace(name, boost::json::array()).first->value();
        if (value.is_array())
            for (Value& element : value.get_array())
                entry.get_array().push_back(std::move(element));
        else
            entry.get_array().push_back(std::move(value));
    }

    void fault(std::string_view name, FaultKind kind, std::string message) {
        if (!blamed_.emplace(name).second)
            return;
        faults_.push_back({.kind = kind, .path = std::string(name), .message = std::move(message)});
        // Something must stand there, or the table would call it missing.
        object_.emplace(name, nullptr);
    }

    const schema::ObjectShape& table_;
    schema::Faults& faults_;
    std::set<std::string, std::less<>> blamed_;
    boost::json::object object_;
};

}  // namespace

const schema::Shape& describe(schema::Type<File>) {
    static const FileShape shape;
    return shape;
}

bool has_form(const http::Request& request) {
    return http::media_type_of(request.headers.find("Content-Type").value_or("")) == "multipart/form-data";
}

Value form_value(const std::vector<http::Part>& parts, const schema::ObjectShape& table, schema::Faults& faults) {
    Filling filling(table, faults);
    for (const http::Part& part : parts)
        filling.add(part);
    return filling.take();
}

std::string example_form(const Value& example) {
    std::string body;
    const auto add = [&](std::string_view name, const Value& value) {
        const std::string text = value.is_string() ? std::string(value.get_string()) : schema::write_json(value);
        const bool is_file = text.starts_with('<') && text.ends_with('>');
        body += fmt::format("--example\r\nContent-Disposition: form-data; name=\"{}\"{}\r\n\r\n{}\r\n", name,
                            is_file ? "; filename=\"example.png\"" : "", text);
    };
    for (const auto& entry : example.as_object()) {
        const std::string_view name = entry.key();
        if (entry.value().is_array())
            for (const Value& element : entry.value().get_array())
                add(name, element);
        else
            add(name, entry.value());
    }
    return body + "--example--\r\n";
}

void add_faults(schema::Faults more, schema::Faults& faults) {
    const auto known = [&](const Fault& fault) {
        return std::ranges::find(faults, fault.path, &Fault::path) != faults.end();
    };
    std::erase_if(more, known);
    faults.insert(faults.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace gateway::api
