#pragma once

/// `POST /v1/chat/completions`: the whole of OpenAI's request, with the extensions of llama.cpp and vLLM under their
/// own names. The field tables are in types.cpp; the answers are in answer.hpp, the messages in messages.hpp.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gateway/api/adapters.hpp"
#include "gateway/api/chat/form.hpp"
#include "gateway/api/chat/messages.hpp"
#include "gateway/api/chat/refused.hpp"
#include "gateway/api/chat/sampling.hpp"
#include "gateway/api/chat/tools.hpp"
#include "gateway/api/metadata.hpp"
#include "schema/object.hpp"

namespace gateway::api::chat {

/// What the answer is expected to say.
struct Prediction {
    TextContent content;
};

struct StreamOptions {
    std::optional<bool> include_usage;
    std::optional<bool> include_obfuscation;
};

enum class ReasoningEffort { none, minimal, low, medium, high, xhigh, max };

/// What becomes of the tags around thinking: taken off, or left in the text.
enum class ReasoningFormat { none, automatic, deepseek };

enum class ServiceTier { automatic, standard, flex, scale, priority, fast };

enum class Verbosity { low, medium, high };

// ---------------------------------------------------------------- the request

struct Request {
    std::vector<Message> messages;
    std::string model;

    std::optional<bool> stream;
    std::optional<StreamOptions> stream_options;
    std::optional<std::int32_t> n;
    std::optional<std::int32_t> max_completion_tokens;
    std::optional<std::int32_t> max_tokens;
    std::optional<std::int32_t> n_predict;
    std::optional<std::variant<std::string, std::vector<std::string>>> stop;
    std::optional<std::vector<std::int32_t>> stop_token_ids;
    std::optional<bool> logprobs;
    std::optional<std::int32_t> top_logprobs;

    SamplingFields sampling;
    AdapterFields adapters;
    ToolFields tools;
    FormFields form;

    std::optional<ReasoningEffort> reasoning_effort;
    std::optional<ReasoningFormat> reasoning_format;
    std::optional<bool> include_reasoning;
    std::optional<std::map<std::string, schema::Value>> chat_template_kwargs;
    std::optional<bool> add_generation_prompt;
    std::optional<bool> continue_final_message;
    std::optional<bool> skip_special_tokens;
    std::optional<bool> cache_prompt;
    std::optional<std::string> cache_salt;
    std::optional<ServiceTier> service_tier;
    std::optional<std::vector<std::string>> modalities;
    std::optional<bool> store;
    std::optional<Metadata> metadata;
    std::optional<bool> return_progress;
    std::optional<Prediction> prediction;

    RefusedFields refused;
};

/// Most tokens of each answer; nothing: until the context is full.
std::optional<std::uint32_t> most_tokens(const Request& request);

const schema::Object<Prediction>& describe(schema::Type<Prediction>);
const schema::Object<StreamOptions>& describe(schema::Type<StreamOptions>);
const schema::Enum<ReasoningEffort>& describe(schema::Type<ReasoningEffort>);
const schema::Enum<ReasoningFormat>& describe(schema::Type<ReasoningFormat>);
const schema::Enum<Verbosity>& describe(schema::Type<Verbosity>);
const schema::Enum<ServiceTier>& describe(schema::Type<ServiceTier>);
const schema::Object<Request>& describe(schema::Type<Request>);

}  // namespace gateway::api::chat
