#pragma once

/// `POST /v1/chat/completions`: the whole of OpenAI's request, with the extensions of llama.cpp and vLLM under their
/// own names. The field tables are in types.cpp; the answers are in answer.hpp, the messages in messages.hpp.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gateway/api/chat/messages.hpp"
#include "gateway/api/chat/refused.hpp"
#include "gateway/api/chat/sampling.hpp"
#include "schema/object.hpp"

namespace gateway::api::chat {

// ---------------------------------------------------------------- tools

struct Function {
    std::string name;
    std::optional<std::string> description;
    /// A JSON Schema; absent: no parameters.
    std::optional<boost::json::object> parameters;
    std::optional<bool> strict;
};

struct Tool {
    Function function;
};

struct FunctionName {
    std::string name;
};

struct NamedTool {
    FunctionName function;
};

struct AllowedTools {
    enum class Mode { automatic, required };
    Mode mode = Mode::automatic;
    std::vector<NamedTool> tools;
};

/// Only some of `tools` may be called in this answer.
struct AllowedToolsChoice {
    AllowedTools allowed_tools;
};

enum class ToolChoiceMode { none, automatic, required };

using ToolChoice = std::variant<ToolChoiceMode, NamedTool, AllowedToolsChoice>;

// ---------------------------------------------------------------- the answer's form

struct PlainText {};

struct JsonObject {};

struct NamedSchema {
    std::string name;
    std::optional<boost::json::object> schema;
    std::optional<bool> strict;
};

struct JsonSchema {
    NamedSchema json_schema;
};

using ResponseFormat = std::variant<PlainText, JsonObject, JsonSchema>;

/// What the answer is expected to say.
struct Prediction {
    TextContent content;
};

struct StreamOptions {
    std::optional<bool> include_usage;
};

enum class ReasoningEffort { none, minimal, low, medium, high, xhigh, max };

enum class ServiceTier { automatic, standard, flex, scale, priority, fast };

// ---------------------------------------------------------------- the request

struct Request {
    std::vector<Message> messages;
    std::string model;

    std::optional<bool> stream;
    std::optional<StreamOptions> stream_options;
    std::optional<std::int32_t> n;
    std::optional<std::int32_t> max_completion_tokens;
    std::optional<std::int32_t> max_tokens;
    std::optional<std::variant<std::string, std::vector<std::string>>> stop;
    std::optional<bool> logprobs;
    std::optional<std::int32_t> top_logprobs;

    SamplingFields sampling;

    std::optional<std::vector<Tool>> tools;
    std::optional<ToolChoice> tool_choice;
    std::optional<bool> parallel_tool_calls;
    std::optional<ResponseFormat> response_format;
    std::optional<std::string> grammar;

    std::optional<ReasoningEffort> reasoning_effort;
    std::optional<std::map<std::string, schema::Value>> chat_template_kwargs;
    std::optional<ServiceTier> service_tier;
    std::optional<std::vector<std::string>> modalities;
    std::optional<bool> store;
    std::optional<bool> return_progress;
    std::optional<Prediction> prediction;

    /// All fields that are refused by name.
    Refused refused;
};

const schema::Object<Prediction>& describe(schema::Type<Prediction>);
const schema::Object<Function>& describe(schema::Type<Function>);
const schema::Object<Tool>& describe(schema::Type<Tool>);
const schema::Object<FunctionName>& describe(schema::Type<FunctionName>);
const schema::Object<NamedTool>& describe(schema::Type<NamedTool>);
const schema::Enum<AllowedTools::Mode>& describe(schema::Type<AllowedTools::Mode>);
const schema::Object<AllowedTools>& describe(schema::Type<AllowedTools>);
const schema::Object<AllowedToolsChoice>& describe(schema::Type<AllowedToolsChoice>);
const schema::Enum<ToolChoiceMode>& describe(schema::Type<ToolChoiceMode>);
const schema::Object<PlainText>& describe(schema::Type<PlainText>);
const schema::Object<JsonObject>& describe(schema::Type<JsonObject>);
const schema::Object<NamedSchema>& describe(schema::Type<NamedSchema>);
const schema::Object<JsonSchema>& describe(schema::Type<JsonSchema>);
const schema::Object<StreamOptions>& describe(schema::Type<StreamOptions>);
const schema::Enum<ReasoningEffort>& describe(schema::Type<ReasoningEffort>);
const schema::Enum<ServiceTier>& describe(schema::Type<ServiceTier>);
const schema::Object<Request>& describe(schema::Type<Request>);

}  // namespace gateway::api::chat
