#pragma once

/// `POST /v1/messages`: the request of Anthropic's API. Its blocks are in blocks.hpp, the answer in answer.hpp.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gateway/api/adapters.hpp"
#include "gateway/api/chat/refused.hpp"
#include "gateway/api/messages/blocks.hpp"

namespace gateway::api::messages {

// ---------------------------------------------------------------- tools

struct Tool {
    std::string name;
    std::optional<std::string> description;
    boost::json::object input_schema;
    std::optional<bool> strict;
    std::optional<CacheControl> cache_control;
};

struct AutoChoice {
    std::optional<bool> disable_parallel_tool_use;
};

struct AnyChoice {
    std::optional<bool> disable_parallel_tool_use;
};

struct ToolChoiceByName {
    std::string name;
    std::optional<bool> disable_parallel_tool_use;
};

struct NoneChoice {};

using ToolChoice = std::variant<AutoChoice, AnyChoice, ToolChoiceByName, NoneChoice>;

// ---------------------------------------------------------------- thinking and form

struct ThinkingEnabled {};
struct ThinkingAdaptive {};
struct ThinkingDisabled {};

using Thinking = std::variant<ThinkingEnabled, ThinkingAdaptive, ThinkingDisabled>;

struct JsonFormat {
    boost::json::object schema;
};

struct OutputConfig {
    enum class Effort { low, medium, high, xhigh, max };
    std::optional<Effort> effort;
    std::optional<JsonFormat> format;
};

// ---------------------------------------------------------------- the requests

/// What the prompt is made of; all that counts its tokens.
struct Conversation {
    std::string model;
    std::vector<Message> messages;
    std::optional<Text> system;
    std::optional<std::vector<Tool>> tools;
    std::optional<ToolChoice> tool_choice;
    std::optional<Thinking> thinking;
    std::optional<OutputConfig> output_config;
    std::optional<CacheControl> cache_control;

    /// All fields that are refused by name.
    chat::Refused refused;
};

struct Request {
    Conversation conversation;
    std::int32_t max_tokens = 0;
    std::optional<bool> stream;
    std::optional<std::vector<std::string>> stop_sequences;
    std::optional<double> temperature;
    std::optional<double> top_p;
    std::optional<std::int32_t> top_k;
    AdapterFields adapters;
};

struct CountRequest {
    Conversation conversation;
};

const schema::Object<Tool>& describe(schema::Type<Tool>);
const schema::Object<AutoChoice>& describe(schema::Type<AutoChoice>);
const schema::Object<AnyChoice>& describe(schema::Type<AnyChoice>);
const schema::Object<ToolChoiceByName>& describe(schema::Type<ToolChoiceByName>);
const schema::Object<NoneChoice>& describe(schema::Type<NoneChoice>);
const schema::Object<ThinkingEnabled>& describe(schema::Type<ThinkingEnabled>);
const schema::Object<ThinkingAdaptive>& describe(schema::Type<ThinkingAdaptive>);
const schema::Object<ThinkingDisabled>& describe(schema::Type<ThinkingDisabled>);
const schema::Object<JsonFormat>& describe(schema::Type<JsonFormat>);
const schema::Enum<OutputConfig::Effort>& describe(schema::Type<OutputConfig::Effort>);
const schema::Object<OutputConfig>& describe(schema::Type<OutputConfig>);
const schema::Object<Conversation>& describe(schema::Type<Conversation>);
const schema::Object<Request>& describe(schema::Type<Request>);
const schema::Object<CountRequest>& describe(schema::Type<CountRequest>);

}  // namespace gateway::api::messages
