#include "gateway/config/yaml.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

namespace gateway::config {

namespace {

namespace json = boost::json;
using schema::FaultKind;

template <typename T>
std::optional<T> number(std::string_view text) {
    if (text.starts_with('+'))
        text.remove_prefix(1);
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

json::value plain_scalar(const std::string& text) {
    if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL")
        return nullptr;
    if (text == "true" || text == "True" || text == "TRUE")
        return true;
    if (text == "false" || text == "False" || text == "FALSE")
        return false;
    if (const auto integer = number<std::int64_t>(text))
        return *integer;
    if (const auto integer = number<std::uint64_t>(text))
        return *integer;
    // from_chars also knows "inf" and "nan", which are words here.
    if (const auto real = number<double>(text); real && std::isfinite(*real))
        return *real;
    return json::value(text);
}

/// Walks through the nodes; aliases are followed, so the same node may be met often.
class Conversion {
public:
    json::value convert(const YAML::Node& node, const std::string& path, int depth) {
        document.lines.try_emplace(path, node.Mark().line + 1);
        constexpr int deepest = 32;
        constexpr int most_nodes = 100'000;
        if (depth > deepest || ++nodes_ > most_nodes) {
            if (faults.empty())
                fault(FaultKind::too_deep, path, "is nested too deeply or too large", node);
            return nullptr;
        }
        switch (node.Type()) {
            case YAML::NodeType::Undefined:
            case YAML::NodeType::Null: return nullptr;
            case YAML::NodeType::Scalar:
                // yaml-cpp marks plain scalars with "?" and quoted ones with "!".
                return node.Tag() == "?" ? plain_scalar(node.Scalar()) : json::value(node.Scalar());
            case YAML::NodeType::Sequence: return convert_sequence(node, path, depth);
            case YAML::NodeType::Map: return convert_map(node, path, depth);
        }
        return nullptr;
    }

    YamlDocument document;
    schema::Faults faults;

private:
    json::value convert_sequence(const YAML::Node& node, const std::string& path, int depth) {
        json::array array;
        for (std::size_t i = 0; i < node.size() && faults.empty(); ++i)
            array.push_back(convert(node[i], fmt::format("{}[{}]", path, i), depth + 1));
        return array;
    }

    json::value convert_map(const YAML::Node& node, const std::string& path, int depth) {
        json::object object;
        for (const auto& pair : node) {
            if (!pair.first.IsScalar()) {
                fault(FaultKind::wrong_type, path, "has a key that is not text", pair.first);
                continue;
            }
            const std::string& key = pair.first.Scalar();
            std::string inner = path;
            schema::append_key(inner, key);
            if (object.contains(key))
                fault(FaultKind::duplicate_key, inner, "is there twice", pair.first);
            document.lines[inner] = pair.first.Mark().line + 1;
            object[key] = convert(pair.second, inner, depth + 1);
        }
        return object;
    }

    void fault(FaultKind kind, const std::string& path, std::string message, const YAML::Node& node) {
        faults.push_back({.kind = kind, .path = path, .message = std::move(message), .line = node.Mark().line + 1});
    }

    int nodes_ = 0;
};

}  // namespace

std::expected<YamlDocument, schema::Faults> read_yaml(std::string_view text) {
    const auto broken = [](std::string message, int line) {
        return std::unexpected(
            schema::Faults{{.kind = FaultKind::syntax, .path = "", .message = std::move(message), .line = line}});
    };
    try {  // the library has no other way to say that the text is not YAML
        const std::vector<YAML::Node> documents = YAML::LoadAll(std::string(text));
        if (documents.size() > 1)
            return broken("has more than one YAML document", documents[1].Mark().line + 1);
        Conversion conversion;
        if (!documents.empty())
            conversion.document.value = conversion.convert(documents[0], "", 0);
        if (!conversion.faults.empty())
            return std::unexpected(std::move(conversion.faults));
        if (conversion.document.value.is_null())
            conversion.document.value = json::object();
        return std::move(conversion.document);
    } catch (const YAML::Exception& problem) {
        return broken("is not valid YAML: " + problem.msg, problem.mark.line + 1);
    }
}

}  // namespace gateway::config
