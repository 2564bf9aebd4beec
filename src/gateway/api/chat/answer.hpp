#pragma once

/// What `POST /v1/chat/completions` answers: one `Completion`, or a stream of `Chunk`s. A member that is required and
/// optional is null when it has no value; one that is only optional is left out.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gateway/api/chat/messages.hpp"
#include "schema/object.hpp"

namespace gateway::api::chat {

struct TopLogprob {
    std::string token;
    double logprob = 0;
    std::optional<std::vector<std::int32_t>> bytes;
};

struct TokenLogprob {
    std::string token;
    double logprob = 0;
    std::optional<std::vector<std::int32_t>> bytes;
    std::vector<TopLogprob> top_logprobs;
};

struct Logprobs {
    std::optional<std::vector<TokenLogprob>> content;
    std::optional<std::vector<TokenLogprob>> refusal;
};

enum class FinishReason { stop, length, tool_calls, content_filter };

struct PromptTokensDetails {
    std::int64_t cached_tokens = 0;
    std::int64_t audio_tokens = 0;
};

struct CompletionTokensDetails {
    std::int64_t reasoning_tokens = 0;
    std::int64_t audio_tokens = 0;
    std::int64_t accepted_prediction_tokens = 0;
    std::int64_t rejected_prediction_tokens = 0;
};

struct Usage {
    std::int64_t prompt_tokens = 0;
    std::int64_t completion_tokens = 0;
    std::int64_t total_tokens = 0;
    PromptTokensDetails prompt_tokens_details;
    CompletionTokensDetails completion_tokens_details;
};

// ---------------------------------------------------------------- whole

struct AnswerMessage {
    std::optional<std::string> content;
    std::optional<std::string> refusal;
    std::optional<std::string> reasoning_content;
    std::optional<std::vector<ToolCall>> tool_calls;
};

struct Choice {
    std::int32_t index = 0;
    AnswerMessage message;
    std::optional<Logprobs> logprobs;
    FinishReason finish_reason = FinishReason::stop;
};

struct Completion {
    std::string id;
    std::int64_t created = 0;
    std::string model;
    std::vector<Choice> choices;
    Usage usage;
    std::string service_tier;
    std::string system_fingerprint;
    std::optional<std::map<std::string, std::string>> metadata;
};

// ---------------------------------------------------------------- streamed

struct FunctionDelta {
    std::optional<std::string> name;
    std::optional<std::string> arguments;
};

struct ToolCallDelta {
    std::int32_t index = 0;
    std::optional<std::string> id;
    std::optional<std::string> type;
    FunctionDelta function;
};

struct Delta {
    std::optional<std::string> role;
    std::optional<std::string> content;
    std::optional<std::string> reasoning_content;
    std::optional<std::vector<ToolCallDelta>> tool_calls;
};

struct ChunkChoice {
    std::int32_t index = 0;
    Delta delta;
    std::optional<Logprobs> logprobs;
    std::optional<FinishReason> finish_reason;
};

struct PromptProgress {
    std::int64_t total = 0;
    std::int64_t cache = 0;
    std::int64_t processed = 0;
    double time_ms = 0;
};

struct Chunk {
    std::string id;
    std::int64_t created = 0;
    std::string model;
    std::vector<ChunkChoice> choices;
    /// Absent, null, or the counts.
    std::optional<std::optional<Usage>> usage;
    std::optional<PromptProgress> prompt_progress;
    std::optional<std::string> obfuscation;
    std::string service_tier;
    std::string system_fingerprint;
};

const schema::Object<TopLogprob>& describe(schema::Type<TopLogprob>);
const schema::Object<TokenLogprob>& describe(schema::Type<TokenLogprob>);
const schema::Object<Logprobs>& describe(schema::Type<Logprobs>);
const schema::Enum<FinishReason>& describe(schema::Type<FinishReason>);
const schema::Object<PromptTokensDetails>& describe(schema::Type<PromptTokensDetails>);
const schema::Object<CompletionTokensDetails>& describe(schema::Type<CompletionTokensDetails>);
const schema::Object<Usage>& describe(schema::Type<Usage>);
const schema::Object<AnswerMessage>& describe(schema::Type<AnswerMessage>);
const schema::Object<Choice>& describe(schema::Type<Choice>);
const schema::Object<Completion>& describe(schema::Type<Completion>);
const schema::Object<FunctionDelta>& describe(schema::Type<FunctionDelta>);
const schema::Object<ToolCallDelta>& describe(schema::Type<ToolCallDelta>);
const schema::Object<Delta>& describe(schema::Type<Delta>);
const schema::Object<ChunkChoice>& describe(schema::Type<ChunkChoice>);
const schema::Object<PromptProgress>& describe(schema::Type<PromptProgress>);
const schema::Object<Chunk>& describe(schema::Type<Chunk>);

}  // namespace gateway::api::chat
