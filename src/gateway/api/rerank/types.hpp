#pragma once

/// `POST /v1/rerank`: documents in the order of how well they answer a query, as Jina, Cohere and llama.cpp have it.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gateway/api/embeddings/types.hpp"
#include "schema/object.hpp"

namespace gateway::api::rerank {

struct TextDocument {
    std::string text;
};

using Document = std::variant<std::string, TextDocument>;

struct Request {
    std::optional<std::string> model;
    std::string query;
    std::vector<Document> documents;
    std::optional<std::int32_t> top_n;
    std::optional<bool> return_documents;
};

struct Result {
    std::int64_t index = 0;
    double relevance_score = 0;
    std::optional<TextDocument> document;
};

struct Response {
    std::string id;
    std::string model;
    std::vector<Result> results;
    embeddings::Usage usage;
};

const schema::Object<TextDocument>& describe(schema::Type<TextDocument>);
const schema::Object<Request>& describe(schema::Type<Request>);
const schema::Object<Result>& describe(schema::Type<Result>);
const schema::Object<Response>& describe(schema::Type<Response>);

}  // namespace gateway::api::rerank
