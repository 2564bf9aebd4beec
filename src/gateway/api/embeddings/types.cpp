#include "gateway/api/embeddings/types.hpp"

#include <algorithm>

namespace gateway::api::embeddings {
namespace {

using schema::FaultKind;
using schema::Reading;

constexpr std::size_t most_inputs = 2048;

/// Of many inputs of either kind.
template <typename T>
void check_count(const Request& request, const Reading& reading) {
    if (const auto* inputs = std::get_if<std::vector<T>>(&request.input);
        inputs != nullptr && inputs->size() > most_inputs)
        reading.at("input").fault(FaultKind::out_of_range, "must not have more than 2048 inputs");
}

}  // namespace

const schema::Enum<EncodingFormat>& describe(schema::Type<EncodingFormat>) {
    static const schema::Enum<EncodingFormat> names(
        {{"float", EncodingFormat::number}, {"base64", EncodingFormat::base64}});
    return names;
}

const schema::Object<Request>& describe(schema::Type<Request>) {
    using R = Request;
    static const auto table =
        schema::Object<R>("CreateEmbeddingRequest", "Texts, each of which becomes a vector.")
            .field("model", &R::model,
                   {.doc = "A name from GET /v1/models, of a model that gives embeddings.",
                    .required = true,
                    .min_length = 1,
                    .example = "all-minilm-l6-v2"})
            .field("input", &R::input,
                   {.doc = "One text or up to 2048, each as text or as token ids, and none longer than the model's "
                           "context.",
                    .required = true,
                    .minimum = 0,
                    .min_length = 1,
                    .min_items = 1,
                    .example = "The quick brown fox jumped over the lazy dog"})
            .field("dimensions", &R::dimensions,
                   {.doc = "Only so many numbers from the start of each vector, brought to length 1 again. Useful with "
                           "models that were trained for it. Default: all.",
                    .minimum = 1})
            .field("encoding_format", &R::encoding_format,
                   {.doc = "`float`: lists of numbers. `base64`: little-endian 32-bit floats in base64. Default "
                           "`float`."})
            .include(&R::adapters)
            .ignored<std::string>("user", {.doc = "Accepted without effect."})
            .check(&check_count<std::string>)
            .check(&check_count<Tokens>);
    return table;
}

const schema::Object<Embedding>& describe(schema::Type<Embedding>) {
    using T = Embedding;
    static const auto table =
        schema::Object<T>("Embedding", "The vector of an input; its length is 1.")
            .constant("object", "embedding")
            .field("index", &T::index, {.doc = "Which input, from 0.", .required = true, .minimum = 0})
            .field("embedding", &T::embedding, {.doc = "In the format that was asked for.", .required = true});
    return table;
}

const schema::Object<Usage>& describe(schema::Type<Usage>) {
    static const auto table =
        schema::Object<Usage>("EmbeddingUsage", "Token counts of the request.")
            .field(
                "prompt_tokens", &Usage::prompt_tokens,
                {.doc = "Of all inputs, with those that the model wants around them.", .required = true, .minimum = 0})
            .field("total_tokens", &Usage::total_tokens, {.doc = "The same.", .required = true, .minimum = 0});
    return table;
}

const schema::Object<Response>& describe(schema::Type<Response>) {
    using T = Response;
    static const auto table = schema::Object<T>("CreateEmbeddingResponse", "The vectors.")
                                  .constant("object", "list")
                                  .field("model", &T::model, {.doc = "Which model made them.", .required = true})
                                  .field("data", &T::data, {.doc = "In the order of the inputs.", .required = true})
                                  .field("usage", &T::usage, {.doc = "Token counts.", .required = true});
    return table;
}

}  // namespace gateway::api::embeddings
