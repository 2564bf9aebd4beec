#pragma once

/// What `POST /v1/completions` answers: one `Completion`, or a stream of them that each hold what is new.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gateway/api/chat/answer.hpp"
#include "schema/object.hpp"

namespace gateway::api::completions {

/// Lists of one length: an element for each token.
struct Logprobs {
    std::vector<std::string> tokens;
    /// Null for the very first token of an echoed prompt.
    std::vector<std::optional<double>> token_logprobs;
    std::vector<std::optional<std::map<std::string, double>>> top_logprobs;
    /// In characters, from the start of the choice's text.
    std::vector<std::int64_t> text_offset;
};

enum class FinishReason { stop, length };

struct Choice {
    std::string text;
    std::int32_t index = 0;
    std::optional<Logprobs> logprobs;
    std::optional<FinishReason> finish_reason;
};

struct Completion {
    std::string id;
    std::int64_t created = 0;
    std::string model;
    std::vector<Choice> choices;
    /// Absent, null, or the counts.
    std::optional<std::optional<chat::Usage>> usage;
    std::string system_fingerprint;
};

const schema::Object<Logprobs>& describe(schema::Type<Logprobs>);
const schema::Enum<FinishReason>& describe(schema::Type<FinishReason>);
const schema::Object<Choice>& describe(schema::Type<Choice>);
const schema::Object<Completion>& describe(schema::Type<Completion>);

}  // namespace gateway::api::completions
