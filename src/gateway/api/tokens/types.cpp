#include "gateway/api/tokens/types.hpp"

#include <boost/json/array.hpp>

namespace gateway::api::tokens {
namespace {

using schema::FaultKind;
using schema::Reading;

void check_one_input(const TokenizeRequest& request, const Reading& reading) {
    const int given =
        int{request.content.has_value()} + int{request.prompt.has_value()} + int{request.messages.has_value()};
    if (given == 0)
        reading.at("content").fault(FaultKind::missing, "is required: or prompt, or messages");
    else if (given > 1)
        reading.at(request.messages ? "messages" : "prompt")
            .fault(FaultKind::rule, "is given together with another text: only one of content, prompt, messages");
}

schema::Options model_options() {
    return {.doc = "A name from GET /v1/models. Default: the first text model.", .min_length = 1};
}

}  // namespace

const schema::Object<TokenizeRequest>& describe(schema::Type<TokenizeRequest>) {
    using R = TokenizeRequest;
    static const auto table =
        schema::Object<R>("TokenizeRequest", "A text or a conversation.")
            .field("model", &R::model, model_options())
            .field("content", &R::content, {.doc = "The text, as llama.cpp names it.", .example = "Hello world"})
            .field("prompt", &R::prompt, {.doc = "The text, as vLLM names it."})
            .field("messages", &R::messages,
                   {.doc = "A conversation, as in chat; the model's chat template is applied.", .min_items = 1})
            .field("add_special", &R::add_special,
                   {.doc = "Add the tokens that the model wants around a text. Default: false with `content`, true "
                           "with `prompt`, as those servers have it."})
            .field("add_special_tokens", &R::add_special_tokens, {.doc = "vLLM's name of `add_special`."})
            .field("parse_special", &R::parse_special,
                   {.doc = "Read the names of special tokens in the text as those tokens. Default true."})
            .field("with_pieces", &R::with_pieces,
                   {.doc = "Each token as an object with its `id` and its `piece` of the text. Default false."})
            .field("return_token_strs", &R::return_token_strs,
                   {.doc = "Also the pieces as a list `token_strs`. Default false."})
            .check(check_one_input);
    return table;
}

const schema::Object<Piece>& describe(schema::Type<Piece>) {
    static const auto table =
        schema::Object<Piece>("TokenPiece", "A token and its piece of the text.")
            .field("id", &Piece::id, {.doc = "The token.", .required = true})
            .field("piece", &Piece::piece,
                   {.doc = "Its text, or its bytes where it is no whole characters.", .required = true});
    return table;
}

const schema::Object<TokenizeResponse>& describe(schema::Type<TokenizeResponse>) {
    using T = TokenizeResponse;
    static const auto table =
        schema::Object<T>("TokenizeResponse", "The tokens of the text.")
            .field("tokens", &T::tokens, {.doc = "Their ids, or with `with_pieces` objects.", .required = true})
            .field("count", &T::count, {.doc = "How many.", .required = true, .minimum = 0})
            .field("max_model_len", &T::max_model_len,
                   {.doc = "How many one request can use, answer included.", .required = true, .minimum = 0})
            .field("token_strs", &T::token_strs, {.doc = "With `return_token_strs`."});
    return table;
}

const schema::Object<DetokenizeRequest>& describe(schema::Type<DetokenizeRequest>) {
    using R = DetokenizeRequest;
    static const auto table = schema::Object<R>("DetokenizeRequest", "Tokens of a model.")
                                  .field("model", &R::model, model_options())
                                  .field("tokens", &R::tokens,
                                         {.doc = "Their ids.",
                                          .required = true,
                                          .minimum = 0,
                                          .max_items = 1000000,
                                          .example = boost::json::array{1, 2}});
    return table;
}

const schema::Object<DetokenizeResponse>& describe(schema::Type<DetokenizeResponse>) {
    using T = DetokenizeResponse;
    static const auto table =
        schema::Object<T>("DetokenizeResponse", "What the tokens say.")
            .field("content", &T::content, {.doc = "The text, as llama.cpp names it.", .required = true})
            .field("prompt", &T::prompt, {.doc = "The same, as vLLM names it.", .required = true});
    return table;
}

const schema::Object<TemplateResponse>& describe(schema::Type<TemplateResponse>) {
    static const auto table =
        schema::Object<TemplateResponse>("ApplyTemplateResponse", "A conversation as the model sees it.")
            .field("prompt", &TemplateResponse::prompt, {.doc = "The text.", .required = true});
    return table;
}

const schema::Object<InputTokens>& describe(schema::Type<InputTokens>) {
    static const auto table = schema::Object<InputTokens>("InputTokensResponse", "How long a conversation is.")
                                  .constant("object", "response.input_tokens")
                                  .field("input_tokens", &InputTokens::input_tokens,
                                         {.doc = "Tokens of the prompt.", .required = true, .minimum = 0});
    return table;
}

}  // namespace gateway::api::tokens
