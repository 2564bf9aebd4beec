#pragma once

/// Requests that go on from a picture: `POST /v1/images/edits`, which OpenAI has as a form and as JSON,
/// `POST /v1/images/variations`, and `POST /v1/images/upscale`, which is ours.

#include <optional>
#include <string>
#include <vector>

#include "gateway/api/chat/refused.hpp"
#include "gateway/api/form_body.hpp"
#include "gateway/api/images/options.hpp"

namespace gateway::api::images {

/// What forms and JSON have in common.
struct EditOptions {
    std::string prompt;
    Options options;
    Streaming streaming;
    std::optional<double> strength;
    std::optional<double> image_cfg_scale;
};

struct EditForm {
    std::vector<File> image;
    std::optional<File> mask;
    EditOptions options;
};

/// Where a picture is.
struct ImageReference {
    std::optional<std::string> image_url;
    chat::Refused file_id;
};

struct EditBody {
    std::vector<ImageReference> images;
    std::optional<ImageReference> mask;
    EditOptions options;
};

struct VariationForm {
    File image;
    Options options;
    std::optional<double> strength;
    std::optional<bool> stream;
};

struct UpscaleOptions {
    std::optional<std::string> model;
    std::optional<std::int32_t> factor;
    Delivery delivery;
    std::optional<bool> stream;
};

struct UpscaleForm {
    File image;
    UpscaleOptions options;
};

struct UpscaleBody {
    std::string image;
    UpscaleOptions options;
};

const schema::Object<EditOptions>& describe(schema::Type<EditOptions>);
const schema::Object<EditForm>& describe(schema::Type<EditForm>);
const schema::Object<ImageReference>& describe(schema::Type<ImageReference>);
const schema::Object<EditBody>& describe(schema::Type<EditBody>);
const schema::Object<VariationForm>& describe(schema::Type<VariationForm>);
const schema::Object<UpscaleOptions>& describe(schema::Type<UpscaleOptions>);
const schema::Object<UpscaleForm>& describe(schema::Type<UpscaleForm>);
const schema::Object<UpscaleBody>& describe(schema::Type<UpscaleBody>);

}  // namespace gateway::api::images
