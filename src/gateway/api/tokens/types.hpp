#pragma once

/// `POST /tokenize`, `/detokenize`, `/apply-template` in the shapes of llama.cpp and vLLM, and how many tokens a
/// conversation has.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gateway/api/chat/messages.hpp"
#include "schema/object.hpp"

namespace gateway::api::tokens {

/// `content` is llama.cpp's name for the text, `prompt` vLLM's; `messages` are a conversation. One of them is there.
struct TokenizeRequest {
    std::optional<std::string> model;
    std::optional<std::string> content;
    std::optional<std::string> prompt;
    std::optional<std::vector<chat::Message>> messages;
    std::optional<bool> add_special;
    std::optional<bool> add_special_tokens;
    std::optional<bool> parse_special;
    std::optional<bool> with_pieces;
    std::optional<bool> return_token_strs;
};

/// A token and what it says: text, or bytes where it is no whole characters.
struct Piece {
    std::int32_t id = 0;
    std::variant<std::string, std::vector<std::int32_t>> piece;
};

struct TokenizeResponse {
    std::variant<std::vector<std::int32_t>, std::vector<Piece>> tokens;
    std::int64_t count = 0;
    std::int64_t max_model_len = 0;
    std::optional<std::vector<std::string>> token_strs;
};

struct DetokenizeRequest {
    std::optional<std::string> model;
    std::vector<std::int32_t> tokens;
};

/// The text under both servers' names.
struct DetokenizeResponse {
    std::string content;
    std::string prompt;
};

struct TemplateResponse {
    std::string prompt;
};

struct InputTokens {
    std::int64_t input_tokens = 0;
};

const schema::Object<TokenizeRequest>& describe(schema::Type<TokenizeRequest>);
const schema::Object<Piece>& describe(schema::Type<Piece>);
const schema::Object<TokenizeResponse>& describe(schema::Type<TokenizeResponse>);
const schema::Object<DetokenizeRequest>& describe(schema::Type<DetokenizeRequest>);
const schema::Object<DetokenizeResponse>& describe(schema::Type<DetokenizeResponse>);
const schema::Object<TemplateResponse>& describe(schema::Type<TemplateResponse>);
const schema::Object<InputTokens>& describe(schema::Type<InputTokens>);

}  // namespace gateway::api::tokens
