#pragma once

/// `POST /v1/responses`: OpenAI's request as far as one server with its own models can honour it. The items are in
/// items.hpp, the answers in answer.hpp.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gateway/api/adapters.hpp"
#include "gateway/api/chat/types.hpp"
#include "gateway/api/metadata.hpp"
#include "gateway/api/responses/items.hpp"
#include "gateway/api/responses/tools.hpp"
#include "schema/object.hpp"

namespace gateway::api::responses {

struct ToolName {
    std::string name;
};

/// Only some of the tools may be called in this answer.
struct AllowedTools {
    chat::AllowedTools::Mode mode = chat::AllowedTools::Mode::automatic;
    std::vector<ToolName> tools;
};

using ToolChoice = std::variant<chat::ToolChoiceMode, ToolName, AllowedTools>;

struct JsonSchemaFormat {
    std::string name;
    boost::json::object schema;
    std::optional<std::string> description;
    std::optional<bool> strict;
};

using TextFormat = std::variant<chat::PlainText, chat::JsonObject, JsonSchemaFormat>;

struct TextSettings {
    TextFormat format;
};

struct ReasoningSettings {
    std::optional<chat::ReasoningEffort> effort;
    std::optional<std::string> summary;
};

enum class Truncation { disabled };

enum class Include {
    output_text_logprobs,
    encrypted_reasoning,
    input_image_url,
    file_search_results,
    web_search_results,
    web_search_sources,
    computer_image_url,
    code_interpreter_outputs,
};

struct StreamOptions {};

using Input = std::variant<std::string, std::vector<Item>>;

/// What decides which prompt the model sees; also the request for counting it.
struct Prompt {
    std::string model;
    std::optional<Input> input;
    std::optional<std::string> instructions;
    std::optional<std::string> previous_response_id;
    std::optional<Tools> tools;
    std::optional<ToolChoice> tool_choice;
    std::optional<bool> parallel_tool_calls;
    std::optional<TextSettings> text;
    std::optional<ReasoningSettings> reasoning;
    std::optional<Truncation> truncation;
    chat::Refused refused;
};

struct Request {
    Prompt prompt;
    std::optional<bool> stream;
    std::optional<StreamOptions> stream_options;
    std::optional<bool> background;
    std::optional<bool> store;
    std::optional<Metadata> metadata;
    std::optional<std::int32_t> max_output_tokens;
    std::optional<std::int32_t> max_tool_calls;
    std::optional<std::int32_t> top_logprobs;
    std::optional<std::vector<Include>> include;
    std::optional<chat::ServiceTier> service_tier;
    std::optional<std::string> prompt_cache_key;
    std::optional<std::string> safety_identifier;
    std::optional<std::string> user;
    chat::SamplingFields sampling;
    AdapterFields adapters;
    chat::Refused refused;
};

bool wants(const std::optional<std::vector<Include>>& include, Include what);

// ---------------------------------------------------------------- queries

struct RetrieveQuery {
    std::optional<std::vector<Include>> include;
    std::optional<bool> stream;
    std::optional<std::int64_t> starting_after;
};

enum class Order { ascending, descending };

struct InputItemsQuery {
    std::int32_t limit = 20;
    Order order = Order::descending;
    std::optional<std::string> after;
    std::optional<std::vector<Include>> include;
};

const schema::Object<ToolName>& describe(schema::Type<ToolName>);
const schema::Object<AllowedTools>& describe(schema::Type<AllowedTools>);
const schema::Object<JsonSchemaFormat>& describe(schema::Type<JsonSchemaFormat>);
const schema::Object<TextSettings>& describe(schema::Type<TextSettings>);
const schema::Object<ReasoningSettings>& describe(schema::Type<ReasoningSettings>);
const schema::Enum<Truncation>& describe(schema::Type<Truncation>);
const schema::Enum<Include>& describe(schema::Type<Include>);
const schema::Object<StreamOptions>& describe(schema::Type<StreamOptions>);
const schema::Object<Prompt>& describe(schema::Type<Prompt>);
const schema::Object<Request>& describe(schema::Type<Request>);
const schema::Object<RetrieveQuery>& describe(schema::Type<RetrieveQuery>);
const schema::Enum<Order>& describe(schema::Type<Order>);
const schema::Object<InputItemsQuery>& describe(schema::Type<InputItemsQuery>);

}  // namespace gateway::api::responses
