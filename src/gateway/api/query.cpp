#include "gateway/api/query.hpp"

#include <algorithm>
#include <charconv>

#include "base/utf8.hpp"
#include "http/router.hpp"

namespace gateway::api {
namespace {

using schema::Kinds;

const schema::Field* find_field(const schema::ObjectShape& table, std::string_view name) {
    const auto found = std::ranges::find(table.fields(), name, &schema::Field::name);
    return found == table.fields().end() ? nullptr : &*found;
}

std::optional<std::string> decoded(std::string_view text) {
    std::string plain(text);
    std::ranges::replace(plain, '+', ' ');
    auto result = http::percent_decoded(plain);
    if (result && base::valid_utf8(*result) != *result)
        return std::nullopt;
    return result;
}

/// As the field wants it; as a text when it cannot be that, so that the table complains.
schema::Value to_value(const std::string& text, int kinds) {
    if (kinds & Kinds::boolean) {
        if (text == "true" || text == "True")
            return true;
        if (text == "false" || text == "False")
            return false;
    }
    if (kinds & Kinds::number) {
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error == std::errc() && end == text.data() + text.size())
            return number;
    }
    return schema::Value(text);
}

/// "metadata[k]" -> {"metadata", "k"}, "include[]" -> {"include", ""}, "limit" -> {"limit", nothing}.
std::pair<std::string, std::optional<std::string>> split_name(const std::string& name) {
    const auto open = name.find('[');
    if (open == std::string::npos || open == 0 || !name.ends_with(']'))
        return {name, std::nullopt};
    return {name.substr(0, open), name.substr(open + 1, name.size() - open - 2)};
}

}  // namespace

std::expected<boost::json::object, schema::Faults> query_object(std::string_view query,
                                                                const schema::ObjectShape& table) {
    boost::json::object object;
    schema::Findings findings;
    const schema::Reading reading(findings);
    while (!query.empty() && !findings.full()) {
        const std::string_view pair = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(pair.size() + 1, query.size()));
        if (pair.empty())
            continue;
        const auto equals = pair.find('=');
        const auto name = decoded(pair.substr(0, equals));
        const auto value = decoded(equals == std::string_view::npos ? "" : pair.substr(equals + 1));
        if (!name || !value) {
            reading.at(name.value_or("query")).fault(schema::FaultKind::syntax, "is not percent-encoded UTF-8");
            continue;
        }
        auto [key, inner] = split_name(*name);
        const schema::Field* field = find_field(table, key);
        int kinds = field != nullptr && field->shape != nullptr ? field->shape().kinds() : Kinds::string;
        if (inner && !(kinds & (Kinds::object | Kinds::array))) {
            key = *name;  // which nobody knows
            kinds = Kinds::string;
        }
        const bool given = object.contains(key);
        if ((kinds & Kinds::object) && inner) {
            if (!given)
                object[key] = boost::json::object{};
            object[key].get_object()[*inner] = *value;
        } else if (kinds & Kinds::array) {
            if (!given)
                object[key] = boost::json::array{};
            object[key].get_array().push_back(schema::Value(*value));
        } else if (given) {
            reading.at(key).fault(schema::FaultKind::duplicate_key, "is given twice");
        } else {
            object[key] = to_value(*value, kinds);
        }
    }
    if (!findings.faults.empty())
        return std::unexpected(std::move(findings.faults));
    return object;
}

boost::json::array document_query(const schema::ObjectShape& table, schema::Components& components) {
    boost::json::array parameters;
    for (const schema::Field& field : table.fields()) {
        schema::Options options = field.options;
        options.doc.clear();
        boost::json::object parameter{{"name", field.name},
                                      {"in", "query"},
                                      {"required", field.options.required},
                                      {"description", field.options.doc},
                                      {"schema", field.shape().document(options, components)}};
        if (field.shape().kinds() & Kinds::object) {
            parameter["style"] = "deepObject";
            parameter["explode"] = true;
        }
        parameters.push_back(std::move(parameter));
    }
    return parameters;
}

}  // namespace gateway::api
