#include "gateway/api/tokens/render.hpp"

#include "base/utf8.hpp"
#include "gateway/api/chat/logprobs.hpp"

namespace gateway::api::tokens {
namespace {

Piece to_piece(std::int32_t id, const std::string& bytes) {
    if (base::valid_utf8(bytes) == bytes)
        return {.id = id, .piece = bytes};
    std::vector<std::int32_t> numbers;
    for (const char byte : bytes)
        numbers.push_back(static_cast<unsigned char>(byte));
    return {.id = id, .piece = std::move(numbers)};
}

}  // namespace

TokenizeResponse to_response(const llm_gateway::engine::v1::TokensResult& result, const Form& form) {
    TokenizeResponse response{
        .tokens = {}, .count = result.ids_size(), .max_model_len = form.max_model_len, .token_strs = {}};
    if (form.pieces) {
        auto& pieces = response.tokens.emplace<std::vector<Piece>>();
        for (int i = 0; i < result.ids_size() && i < result.pieces_size(); ++i)
            pieces.push_back(to_piece(result.ids(i), result.pieces(i)));
    } else {
        response.tokens = std::vector<std::int32_t>(result.ids().begin(), result.ids().end());
    }
    if (form.strings) {
        auto& strings = response.token_strs.emplace();
        for (const std::string& piece : result.pieces())
            strings.push_back(chat::visible_text(piece));
    }
    return response;
}

}  // namespace gateway::api::tokens
