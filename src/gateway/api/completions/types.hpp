#pragma once

/// `POST /v1/completions`: OpenAI's older request for text that is not a conversation, with the extensions that chat has
/// as well. The field tables are in types.cpp; the answers are in answer.hpp.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gateway/api/chat/sampling.hpp"
#include "gateway/api/chat/types.hpp"
#include "schema/object.hpp"

namespace gateway::api::completions {

using Tokens = std::vector<std::int32_t>;
using Prompt = std::variant<std::string, std::vector<std::string>, Tokens, std::vector<Tokens>>;

struct Request {
    std::string model;
    /// Absent: the beginning of a new text.
    std::optional<Prompt> prompt;
    std::optional<std::string> suffix;
    std::optional<bool> echo;
    std::optional<std::int32_t> n;
    std::optional<std::int32_t> best_of;
    std::optional<std::int32_t> max_tokens;
    std::optional<std::int32_t> logprobs;
    std::optional<std::variant<std::string, std::vector<std::string>>> stop;
    std::optional<bool> stream;
    std::optional<chat::StreamOptions> stream_options;
    chat::SamplingFields sampling;
    AdapterFields adapters;
    chat::FormFields form;
    std::optional<std::vector<std::int32_t>> stop_token_ids;
};

const schema::Object<Request>& describe(schema::Type<Request>);

/// How many prompts the request has, at least one.
std::size_t prompts_of(const Request& request);
/// How many answers it wants to each, and how many are generated for that.
std::size_t wanted_of(const Request& request);
std::size_t generated_of(const Request& request);

}  // namespace gateway::api::completions
