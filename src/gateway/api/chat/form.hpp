#pragma once

/// The form an answer must have: OpenAI's `response_format`, and what the clients of llama.cpp and vLLM send for the same
/// thing. At most one of them may be given.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine.pb.h"
#include "schema/object.hpp"

namespace gateway::api::chat {

struct PlainText {};

struct JsonObject {
    std::optional<boost::json::object> schema;
};

struct NamedSchema {
    std::string name;
    std::optional<boost::json::object> schema;
    std::optional<bool> strict;
};

struct JsonSchema {
    NamedSchema json_schema;
};

using ResponseFormat = std::variant<PlainText, JsonObject, JsonSchema>;

/// A JSON Schema, or its text.
using SchemaOrText = std::variant<boost::json::object, std::string>;

/// vLLM's field of that name.
struct StructuredOutputs {
    std::optional<SchemaOrText> json;
    std::optional<bool> json_object;
    std::optional<std::vector<std::string>> choice;
    std::optional<std::string> regex;
    std::optional<std::string> grammar;
};

struct FormFields {
    std::optional<ResponseFormat> response_format;
    std::optional<std::string> grammar;
    std::optional<boost::json::object> json_schema;
    std::optional<SchemaOrText> guided_json;
    std::optional<std::vector<std::string>> guided_choice;
    std::optional<std::string> guided_regex;
    std::optional<std::string> guided_grammar;
    std::optional<StructuredOutputs> structured_outputs;
};

const schema::Object<PlainText>& describe(schema::Type<PlainText>);
const schema::Object<JsonObject>& describe(schema::Type<JsonObject>);
const schema::Object<NamedSchema>& describe(schema::Type<NamedSchema>);
const schema::Object<JsonSchema>& describe(schema::Type<JsonSchema>);
const schema::Object<StructuredOutputs>& describe(schema::Type<StructuredOutputs>);
const schema::Object<FormFields>& describe(schema::Type<FormFields>);

/// What the fields ask for, as the job says it, and where the request says it.
struct Form {
    std::string path;
    llm_gateway::engine::v1::OutputFormat format;
};

/// The forms that are asked for, in the order of the fields; none for plain text. More than one is a fault of the request.
std::vector<Form> forms_of(const FormFields& fields);

}  // namespace gateway::api::chat
