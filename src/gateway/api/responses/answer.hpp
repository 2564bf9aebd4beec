#pragma once

/// What the Responses API answers. A member that is required and optional is null when it has no value.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gateway/api/responses/types.hpp"

namespace gateway::api::responses {

enum class Status { queued, in_progress, completed, incomplete, failed, cancelled };

struct Problem {
    /// OpenAI's names: "server_error", "rate_limit_exceeded", "invalid_prompt".
    std::string code;
    std::string message;
};

struct IncompleteDetails {
    std::string reason;
};

struct InputTokensDetails {
    std::int64_t cached_tokens = 0;
    std::int64_t cache_write_tokens = 0;
};

struct OutputTokensDetails {
    std::int64_t reasoning_tokens = 0;
};

struct Usage {
    std::int64_t input_tokens = 0;
    InputTokensDetails input_tokens_details;
    std::int64_t output_tokens = 0;
    OutputTokensDetails output_tokens_details;
    std::int64_t total_tokens = 0;
};

/// A tool as it is repeated in the answer: every key is there.
struct RepeatedTool {
    std::string name;
    std::optional<std::string> description;
    std::optional<boost::json::object> parameters;
    std::optional<bool> strict;
};

struct RepeatedReasoning {
    std::optional<chat::ReasoningEffort> effort;
    std::optional<std::string> summary;
};

struct Response {
    std::string id;
    std::int64_t created_at = 0;
    std::optional<std::int64_t> completed_at;
    Status status = Status::in_progress;
    bool background = false;
    std::optional<Problem> error;
    std::optional<IncompleteDetails> incomplete_details;
    std::optional<std::string> instructions;
    std::optional<std::int32_t> max_output_tokens;
    std::optional<std::int32_t> max_tool_calls;
    std::string model;
    std::vector<Item> output;
    bool parallel_tool_calls = true;
    std::optional<std::string> previous_response_id;
    std::optional<std::string> prompt_cache_key;
    RepeatedReasoning reasoning;
    std::optional<std::string> safety_identifier;
    std::string service_tier = "default";
    bool store = true;
    std::optional<double> temperature;
    TextSettings text;
    ToolChoice tool_choice = chat::ToolChoiceMode::automatic;
    std::vector<RepeatedTool> tools;
    std::int32_t top_logprobs = 0;
    std::optional<double> top_p;
    Truncation truncation = Truncation::disabled;
    std::optional<Usage> usage;
    std::optional<std::string> user;
    Metadata metadata;
};

struct Deleted {
    std::string id;
    bool deleted = true;
};

struct ItemList {
    std::vector<Item> data;
    std::string first_id;
    std::string last_id;
    bool has_more = false;
};

const schema::Enum<Status>& describe(schema::Type<Status>);
const schema::Object<Problem>& describe(schema::Type<Problem>);
const schema::Object<IncompleteDetails>& describe(schema::Type<IncompleteDetails>);
const schema::Object<InputTokensDetails>& describe(schema::Type<InputTokensDetails>);
const schema::Object<OutputTokensDetails>& describe(schema::Type<OutputTokensDetails>);
const schema::Object<Usage>& describe(schema::Type<Usage>);
const schema::Object<RepeatedTool>& describe(schema::Type<RepeatedTool>);
const schema::Object<RepeatedReasoning>& describe(schema::Type<RepeatedReasoning>);
const schema::Object<Response>& describe(schema::Type<Response>);
const schema::Object<Deleted>& describe(schema::Type<Deleted>);
const schema::Object<ItemList>& describe(schema::Type<ItemList>);

}  // namespace gateway::api::responses
