#include "gateway/api/rerank/types.hpp"

#include <boost/json/array.hpp>

namespace gateway::api::rerank {

const schema::Object<TextDocument>& describe(schema::Type<TextDocument>) {
    static const auto table = schema::Object<TextDocument>("RerankDocument", "A document.")
                                  .field("text", &TextDocument::text, {.doc = "What it says.", .required = true});
    return table;
}

const schema::Object<Request>& describe(schema::Type<Request>) {
    using R = Request;
    static const auto table =
        schema::Object<R>("RerankRequest", "A query, and documents that may answer it.")
            .field("model", &R::model,
                   {.doc = "A name from GET /v1/models, of a reranker. Default: the first one.", .min_length = 1})
            .field(
                "query", &R::query,
                {.doc = "What is looked for.", .required = true, .min_length = 1, .example = "Where do penguins live?"})
            .field("documents", &R::documents,
                   {.doc = "The documents, as texts or as objects with a `text`. Query and document together must not "
                           "be longer than the model's context.",
                    .required = true,
                    .min_items = 1,
                    .max_items = 2048,
                    .example = boost::json::array{"Penguins live in the south.", "Bread is baked in the oven."}})
            .field("top_n", &R::top_n, {.doc = "Only so many of the best. Default: all.", .minimum = 1})
            .field("return_documents", &R::return_documents,
                   {.doc = "Send the documents' texts back with the results. Default false."});
    return table;
}

const schema::Object<Result>& describe(schema::Type<Result>) {
    using T = Result;
    static const auto table =
        schema::Object<T>("RerankResult", "How relevant a document is.")
            .field("index", &T::index, {.doc = "Which document, from 0.", .required = true, .minimum = 0})
            .field(
                "relevance_score", &T::relevance_score,
                {.doc = "From 0 to 1; comparable within a model only.", .required = true, .minimum = 0, .maximum = 1})
            .field("document", &T::document, {.doc = "With `return_documents`."});
    return table;
}

const schema::Object<Response>& describe(schema::Type<Response>) {
    using T = Response;
    static const auto table =
        schema::Object<T>("RerankResponse", "The documents in the order of their relevance.")
            .constant("object", "list")
            .field("id", &T::id, {.doc = "Name of this answer.", .required = true})
            .field("model", &T::model, {.doc = "Which model judged.", .required = true})
            .field("results", &T::results, {.doc = "The most relevant first.", .required = true})
            .field("usage", &T::usage, {.doc = "Token counts; the query counts with each document.", .required = true});
    return table;
}

}  // namespace gateway::api::rerank
