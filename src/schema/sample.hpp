#pragma once

/// A request with every kind of field, for the tests of this folder.

#include "schema/schema.hpp"

#include <map>
#include <optional>
#include <random>
#include <string>
#include <variant>
#include <vector>

namespace schema::sample {

enum class Role { system, user, assistant };
enum class ToolMode { none, automatic, required };

struct TextPart {
    std::string text;
    bool operator==(const TextPart&) const = default;
};
struct ImagePart {
    std::string url;
    std::optional<std::string> detail;
    bool operator==(const ImagePart&) const = default;
};
using Part = std::variant<TextPart, ImagePart>;
using Content = std::variant<std::string, std::vector<Part>>;

struct Message {
    Role role = Role::user;
    std::optional<Content> content;
    std::optional<std::string> name;
    bool operator==(const Message&) const = default;
};

struct NamedTool {
    std::string name;
    bool operator==(const NamedTool&) const = default;
};

struct Sampling {
    double temperature = 1.0;
    std::optional<float> top_p;
    bool operator==(const Sampling&) const = default;
};

/// Contains itself.
struct Filter {
    std::string key;
    std::vector<Filter> any_of;
    bool operator==(const Filter&) const = default;
};

struct Request {
    base::StrongId<struct ModelTag> model;
    std::vector<Message> messages;
    Sampling sampling;
    std::int32_t n = 1;
    std::optional<std::uint64_t> seed;
    std::uint32_t threads = 2;
    std::int64_t offset = 0;
    bool stream = false;
    std::vector<std::string> stop;
    std::optional<std::string> size;
    std::map<std::string, double> logit_bias;
    std::optional<std::variant<ToolMode, NamedTool>> tool_choice;
    std::variant<std::vector<std::string>, std::vector<std::int32_t>> input;
    Value format;
    boost::json::object metadata;
    std::optional<Filter> filter;
    bool operator==(const Request&) const = default;
};

const Enum<Role>& describe(Type<Role>);
const Enum<ToolMode>& describe(Type<ToolMode>);
const Object<TextPart>& describe(Type<TextPart>);
const Object<ImagePart>& describe(Type<ImagePart>);
const Object<Message>& describe(Type<Message>);
const Object<NamedTool>& describe(Type<NamedTool>);
const Object<Sampling>& describe(Type<Sampling>);
const Object<Filter>& describe(Type<Filter>);
const Object<Request>& describe(Type<Request>);

/// A request that obeys the table, anywhere in its space.
Request random_request(std::mt19937& random);

/// `text` with one small change somewhere: what a careless client sends.
std::string mutated(std::string text, std::mt19937& random);

inline constexpr std::string_view valid_body = R"({
  "model": "tiny",
  "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}, {"type": "image_url", "url": "http://x/y"}]},
               {"role": "system", "content": "short"}],
  "temperature": 0.5, "n": 2, "seed": 18446744073709551615, "stop": ["a"], "size": "64x64", "stream": true,
  "logit_bias": {"50256": -100}, "tool_choice": {"type": "function", "name": "f"}, "input": [1, 2, 3],
  "format": {"type": "object", "properties": {"a": {"type": "number"}}}, "filter": {"key": "k", "any_of": [{"key": "l"}]},
  "user": "somebody"
})";

}  // namespace schema::sample
