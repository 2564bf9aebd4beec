#pragma once

/// `GET /v1/models` and `GET /v1/models/{model}`: OpenAI's fields, and what a client wants to know before it asks.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/object.hpp"

namespace gateway::api::models {

struct TextDetails {
    std::int64_t context_length = 0;
    std::int64_t trained_context_length = 0;
    std::int64_t parallel_requests = 0;
    bool tools = false;
    bool reasoning = false;
    bool images = false;
    bool audio = false;
    bool embeddings = false;
    bool reranking = false;
    bool fill_in = false;
    bool writes = true;
    std::int64_t vocabulary = 0;
    std::optional<std::int64_t> embedding_size;
    std::optional<std::string> pooling;
    std::vector<std::string> adapters = {};
};

struct ImageDetails {
    std::string family;
    std::string default_size;
    std::string max_size;
    std::int64_t size_multiple = 0;
    std::int64_t default_steps = 0;
    double default_cfg_scale = 0;
    std::string default_sampler;
    std::string default_scheduler;
    std::vector<std::string> samplers;
    std::vector<std::string> schedulers;
    std::vector<std::string> loras;
};

struct Model {
    std::string id;
    std::int64_t created = 0;
    std::string owned_by;
    std::string root;
    std::optional<std::string> parent;
    std::string kind;
    std::string state;
    std::optional<std::string> problem;
    std::optional<std::string> architecture;
    std::optional<std::string> description;
    std::optional<std::int64_t> parameters;
    std::optional<std::int64_t> file_bytes;
    std::optional<std::int64_t> context_length;
    std::optional<std::int64_t> max_model_len;
    std::optional<std::vector<std::string>> modalities;
    std::optional<TextDetails> text;
    std::optional<ImageDetails> image;
};

struct ModelList {
    std::vector<Model> data;
};

const schema::Object<TextDetails>& describe(schema::Type<TextDetails>);
const schema::Object<ImageDetails>& describe(schema::Type<ImageDetails>);
const schema::Object<Model>& describe(schema::Type<Model>);
const schema::Object<ModelList>& describe(schema::Type<ModelList>);

}  // namespace gateway::api::models
