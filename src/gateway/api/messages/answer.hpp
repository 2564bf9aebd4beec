#pragma once

/// What `POST /v1/messages` answers, whole or as a stream of events; `describe` gives each its field table.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gateway/api/messages/blocks.hpp"

namespace gateway::api::messages {

enum class StopReason { end_turn, max_tokens, stop_sequence, tool_use, refusal, model_context_window_exceeded };

struct OutputTokensDetails {
    std::int64_t thinking_tokens = 0;
};

struct TokenCounts {
    std::int64_t input_tokens = 0;
    std::int64_t cache_creation_input_tokens = 0;
    std::int64_t cache_read_input_tokens = 0;
    std::int64_t output_tokens = 0;
    OutputTokensDetails output_tokens_details;
};

struct Usage {
    TokenCounts counts;
};

/// In the last event but one of a stream.
struct StreamUsage {
    TokenCounts counts;
};

/// As `TextBlock`, with the keys that answers have.
struct AnswerText {
    std::string text;
};

/// As `ToolUseBlock`, with the keys that answers have.
struct AnswerToolUse {
    std::string id;
    std::string name;
    boost::json::object input;
};

using AnswerBlock = std::variant<AnswerText, ThinkingBlock, AnswerToolUse>;

struct Answer {
    std::string id;
    std::string model;
    std::vector<AnswerBlock> content;
    std::optional<StopReason> stop_reason;
    std::optional<std::string> stop_sequence;
    Usage usage;
};

struct TokenCount {
    std::int64_t input_tokens = 0;
};

// ---------------------------------------------------------------- events of a stream

struct MessageStart {
    Answer message;
};

struct BlockStart {
    std::int32_t index = 0;
    AnswerBlock content_block;
};

struct Ping {};

struct TextDelta {
    std::string text;
};

struct ThinkingDelta {
    std::string thinking;
};

struct SignatureDelta {
    std::string signature;
};

struct InputJsonDelta {
    std::string partial_json;
};

struct BlockDelta {
    std::int32_t index = 0;
    std::variant<TextDelta, ThinkingDelta, SignatureDelta, InputJsonDelta> delta;
};

struct BlockStop {
    std::int32_t index = 0;
};

struct Ending {
    std::optional<StopReason> stop_reason;
    std::optional<std::string> stop_sequence;
};

struct MessageDelta {
    Ending delta;
    StreamUsage usage;
};

struct MessageStop {};

using StreamEvent = std::variant<MessageStart, BlockStart, Ping, BlockDelta, BlockStop, MessageDelta, MessageStop>;

// ---------------------------------------------------------------- errors

struct ErrorDetails {
    std::string type;
    std::string message;
    std::optional<std::string> param;
};

/// For the documentation and for tests; http/ writes it. Also the event `error` of a stream.
struct ErrorBody {
    ErrorDetails error;
    std::optional<std::string> request_id;
};

const schema::Enum<StopReason>& describe(schema::Type<StopReason>);
const schema::Object<OutputTokensDetails>& describe(schema::Type<OutputTokensDetails>);
const schema::Object<TokenCounts>& describe(schema::Type<TokenCounts>);
const schema::Object<Usage>& describe(schema::Type<Usage>);
const schema::Object<StreamUsage>& describe(schema::Type<StreamUsage>);
const schema::Object<AnswerText>& describe(schema::Type<AnswerText>);
const schema::Object<AnswerToolUse>& describe(schema::Type<AnswerToolUse>);
const schema::Object<Answer>& describe(schema::Type<Answer>);
const schema::Object<TokenCount>& describe(schema::Type<TokenCount>);
const schema::Object<MessageStart>& describe(schema::Type<MessageStart>);
const schema::Object<BlockStart>& describe(schema::Type<BlockStart>);
const schema::Object<Ping>& describe(schema::Type<Ping>);
const schema::Object<TextDelta>& describe(schema::Type<TextDelta>);
const schema::Object<ThinkingDelta>& describe(schema::Type<ThinkingDelta>);
const schema::Object<SignatureDelta>& describe(schema::Type<SignatureDelta>);
const schema::Object<InputJsonDelta>& describe(schema::Type<InputJsonDelta>);
const schema::Object<BlockDelta>& describe(schema::Type<BlockDelta>);
const schema::Object<BlockStop>& describe(schema::Type<BlockStop>);
const schema::Object<Ending>& describe(schema::Type<Ending>);
const schema::Object<MessageDelta>& describe(schema::Type<MessageDelta>);
const schema::Object<MessageStop>& describe(schema::Type<MessageStop>);
const schema::Object<ErrorDetails>& describe(schema::Type<ErrorDetails>);
const schema::Object<ErrorBody>& describe(schema::Type<ErrorBody>);

}  // namespace gateway::api::messages
