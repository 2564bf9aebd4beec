#pragma once

/// How to draw and how to deliver: the fields that all requests for pictures have.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/object.hpp"

namespace gateway::api::images {

enum class ResponseFormat { b64_json, url };
enum class OutputFormat { png, jpeg, webp };
enum class Background { transparent, opaque, automatic };
/// What OpenAI's models are asked for, and these have nothing of.
enum class Quality { standard, hd, low, medium, high, automatic };
enum class Style { vivid, natural };
enum class Moderation { low, automatic };
enum class InputFidelity { high, low };

struct Lora {
    std::string name;
    double scale = 1;
};

/// Two passes: drawn, enlarged, drawn over.
struct Hires {
    std::optional<double> scale;
    /// "WIDTHxHEIGHT" of the picture that is delivered.
    std::optional<std::string> size;
    std::optional<std::string> upscaler;
    std::optional<std::int32_t> steps;
    std::optional<double> strength;
};

/// What decides about the file and how it travels.
struct Delivery {
    std::optional<ResponseFormat> response_format;
    std::optional<OutputFormat> output_format;
    std::optional<std::int32_t> output_compression;
};

/// What a stream has.
struct Streaming {
    std::optional<bool> stream;
    std::optional<std::int32_t> partial_images;
    std::optional<bool> return_progress;
};

struct Options {
    std::optional<std::string> model;
    std::optional<std::int32_t> n;
    /// "auto" or "WIDTHxHEIGHT".
    std::optional<std::string> size;
    Delivery delivery;
    std::optional<Background> background;

    // Extensions.
    std::optional<std::string> negative_prompt;
    std::optional<std::int32_t> steps;
    std::optional<double> cfg_scale;
    std::optional<double> guidance;
    std::optional<std::string> sampler;
    std::optional<std::string> scheduler;
    std::optional<std::int64_t> seed;
    std::optional<std::int32_t> clip_skip;
    std::optional<std::vector<Lora>> loras;
    std::optional<double> eta;
    std::optional<double> flow_shift;
    std::optional<bool> tile_decode;
    std::optional<std::string> step_cache;
    std::optional<double> step_cache_threshold;
    std::optional<Hires> hires;
};

/// For the docs of fields that OpenAI's documentation does not have.
std::string extension(std::string doc);

const schema::Enum<ResponseFormat>& describe(schema::Type<ResponseFormat>);
const schema::Enum<OutputFormat>& describe(schema::Type<OutputFormat>);
const schema::Enum<Background>& describe(schema::Type<Background>);
const schema::Enum<Quality>& describe(schema::Type<Quality>);
const schema::Enum<Style>& describe(schema::Type<Style>);
const schema::Enum<Moderation>& describe(schema::Type<Moderation>);
const schema::Enum<InputFidelity>& describe(schema::Type<InputFidelity>);
const schema::Object<Lora>& describe(schema::Type<Lora>);
const schema::Object<Hires>& describe(schema::Type<Hires>);
const schema::Object<Delivery>& describe(schema::Type<Delivery>);
const schema::Object<Streaming>& describe(schema::Type<Streaming>);
const schema::Object<Options>& describe(schema::Type<Options>);

}  // namespace gateway::api::images
