#pragma once

/// `POST /v1/images/generations`: OpenAI's request and answers, with the usual settings of diffusion models as
/// extensions.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gateway/api/images/options.hpp"

namespace gateway::api::images {

struct Request {
    std::string prompt;
    Options options;
    Streaming streaming;

    // Extensions.
    std::optional<std::string> init_image;
    std::optional<std::string> mask;
    std::optional<double> strength;
};

// ---------------------------------------------------------------- answers

struct Picture {
    /// One of both.
    std::optional<std::string> b64_json;
    std::optional<std::string> url;
    /// Extension: gives this picture again. None where nothing is drawn.
    std::optional<std::int64_t> seed;
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

/// Of generations and of edits alike; what differs is the name of the event.
struct UnfinishedPicture {
    std::string b64_json;
    std::int64_t created_at = 0;
    std::string size;
    std::string quality;
    std::string background;
    OutputFormat output_format = OutputFormat::png;
    std::int32_t partial_image_index = 0;
    std::int32_t image_index = 0;
};

struct CompletedPicture {
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

struct Place {
    std::string job_id;
    std::int32_t position = 0;
    std::optional<double> predicted_seconds;
};

struct Step {
    std::int32_t image_index = 0;
    std::int32_t step = 0;
    std::int32_t steps = 0;
    std::optional<double> predicted_seconds;
};

struct PartialImage {
    UnfinishedPicture picture;
};

struct Completed {
    CompletedPicture picture;
};

struct Queued {
    Place place;
};

struct Progress {
    Step step;
};

struct EditPartialImage {
    UnfinishedPicture picture;
};

struct EditCompleted {
    CompletedPicture picture;
};

struct EditQueued {
    Place place;
};

struct EditProgress {
    Step step;
};

const schema::Object<Request>& describe(schema::Type<Request>);
const schema::Object<Picture>& describe(schema::Type<Picture>);
const schema::Object<Response>& describe(schema::Type<Response>);
const schema::Object<UsageDetails>& describe(schema::Type<UsageDetails>);
const schema::Object<Usage>& describe(schema::Type<Usage>);
const schema::Object<UnfinishedPicture>& describe(schema::Type<UnfinishedPicture>);
const schema::Object<CompletedPicture>& describe(schema::Type<CompletedPicture>);
const schema::Object<Place>& describe(schema::Type<Place>);
const schema::Object<Step>& describe(schema::Type<Step>);
const schema::Object<PartialImage>& describe(schema::Type<PartialImage>);
const schema::Object<Completed>& describe(schema::Type<Completed>);
const schema::Object<Queued>& describe(schema::Type<Queued>);
const schema::Object<Progress>& describe(schema::Type<Progress>);
const schema::Object<EditPartialImage>& describe(schema::Type<EditPartialImage>);
const schema::Object<EditCompleted>& describe(schema::Type<EditCompleted>);
const schema::Object<EditQueued>& describe(schema::Type<EditQueued>);
const schema::Object<EditProgress>& describe(schema::Type<EditProgress>);

}  // namespace gateway::api::images
