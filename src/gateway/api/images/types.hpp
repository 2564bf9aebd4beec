#pragma once

/// `POST /v1/images/generations`: OpenAI's request and answers, with the usual settings of diffusion models as
/// extensions.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/object.hpp"

namespace gateway::api::images {

enum class ResponseFormat { b64_json, url };
enum class OutputFormat { png, jpeg, webp };
enum class Background { transparent, opaque, automatic };

struct Lora {
    std::string name;
    double scale = 1;
};

struct Request {
    std::string prompt;
    std::optional<std::string> model;
    std::optional<std::int32_t> n;
    /// "auto" or "WIDTHxHEIGHT".
    std::optional<std::string> size;
    std::optional<ResponseFormat> response_format;
    std::optional<OutputFormat> output_format;
    std::optional<std::int32_t> output_compression;
    std::optional<Background> background;
    std::optional<bool> stream;
    std::optional<std::int32_t> partial_images;

    // Extensions.
    std::optional<std::string> negative_prompt;
    std::optional<std::int32_t> steps;
    std::optional<double> cfg_scale;
    std::optional<double> guidance;
    std::optional<std::string> sampler;
    std::optional<std::string> scheduler;
    std::optional<std::int64_t> seed;
    std::optional<std::int32_t> clip_skip;
    std::optional<std::string> init_image;
    std::optional<std::string> mask;
    std::optional<double> strength;
    std::optional<std::vector<Lora>> loras;
    std::optional<double> eta;
    std::optional<double> flow_shift;
    std::optional<bool> tile_decode;
    std::optional<bool> return_progress;
};

// ---------------------------------------------------------------- answers

struct Picture {
    std::string b64_json;
    /// Extension: gives this picture again.
    std::int64_t seed = 0;
};

struct Response {
    std::int64_t created = 0;
    std::vector<Picture> data;
    std::string background;
    OutputFormat output_format = OutputFormat::png;
    std::string size;
};

struct UsageDetails {
    std::int64_t text_tokens = 0;
    std::int64_t image_tokens = 0;
};

struct Usage {
    std::int64_t input_tokens = 0;
    std::int64_t output_tokens = 0;
    std::int64_t total_tokens = 0;
    UsageDetails input_tokens_details;
};

struct PartialImage {
    std::string b64_json;
    std::int64_t created_at = 0;
    std::string size;
    std::string quality;
    std::string background;
    OutputFormat output_format = OutputFormat::png;
    std::int32_t partial_image_index = 0;
    std::int32_t image_index = 0;
};

struct Completed {
    std::string b64_json;
    std::int64_t created_at = 0;
    std::string size;
    std::string quality;
    std::string background;
    OutputFormat output_format = OutputFormat::png;
    Usage usage;
    std::int32_t image_index = 0;
    std::int64_t seed = 0;
};

struct Queued {
    std::string job_id;
    std::int32_t position = 0;
    std::optional<double> predicted_seconds;
};

struct Progress {
    std::int32_t image_index = 0;
    std::int32_t step = 0;
    std::int32_t steps = 0;
    std::optional<double> predicted_seconds;
};

const schema::Enum<ResponseFormat>& describe(schema::Type<ResponseFormat>);
const schema::Enum<OutputFormat>& describe(schema::Type<OutputFormat>);
const schema::Enum<Background>& describe(schema::Type<Background>);
const schema::Object<Lora>& describe(schema::Type<Lora>);
const schema::Object<Request>& describe(schema::Type<Request>);
const schema::Object<Picture>& describe(schema::Type<Picture>);
const schema::Object<Response>& describe(schema::Type<Response>);
const schema::Object<UsageDetails>& describe(schema::Type<UsageDetails>);
const schema::Object<Usage>& describe(schema::Type<Usage>);
const schema::Object<PartialImage>& describe(schema::Type<PartialImage>);
const schema::Object<Completed>& describe(schema::Type<Completed>);
const schema::Object<Queued>& describe(schema::Type<Queued>);
const schema::Object<Progress>& describe(schema::Type<Progress>);

}  // namespace gateway::api::images
