#pragma once

/// `POST /v1/embeddings`: OpenAI's request and answer.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gateway/api/adapters.hpp"
#include "schema/object.hpp"

namespace gateway::api::embeddings {

using Tokens = std::vector<std::int32_t>;
using Input = std::variant<std::string, std::vector<std::string>, Tokens, std::vector<Tokens>>;

enum class EncodingFormat { number, base64 };

struct Request {
    std::string model;
    Input input;
    std::optional<std::int32_t> dimensions;
    std::optional<EncodingFormat> encoding_format;
    AdapterFields adapters;
};

/// Numbers, or their little-endian 32-bit floats in base64.
using Vector = std::variant<std::vector<float>, std::string>;

struct Embedding {
    std::int64_t index = 0;
    Vector embedding;
};

struct Usage {
    std::int64_t prompt_tokens = 0;
    std::int64_t total_tokens = 0;
};

struct Response {
    std::string model;
    std::vector<Embedding> data;
    Usage usage;
};

const schema::Enum<EncodingFormat>& describe(schema::Type<EncodingFormat>);
const schema::Object<Request>& describe(schema::Type<Request>);
const schema::Object<Embedding>& describe(schema::Type<Embedding>);
const schema::Object<Usage>& describe(schema::Type<Usage>);
const schema::Object<Response>& describe(schema::Type<Response>);

}  // namespace gateway::api::embeddings
