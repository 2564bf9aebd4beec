#include "gateway/api/images/options.hpp"

namespace gateway::api::images {
namespace {

using schema::FaultKind;
using schema::Reading;

std::optional<std::string> check_background(const std::optional<Background>& background) {
    if (background == Background::transparent)
        return "cannot be \"transparent\": pictures have no transparency";
    return std::nullopt;
}

void check_compression(const Delivery& delivery, const Reading& reading) {
    const bool png = delivery.output_format.value_or(OutputFormat::png) == OutputFormat::png;
    if (png && delivery.output_compression.value_or(100) < 100)
        reading.at("output_compression").fault(FaultKind::rule, "below 100 needs output_format \"jpeg\" or \"webp\"");
}

void check_streaming(const Streaming& streaming, const Reading& reading) {
    if (streaming.stream.value_or(false))
        return;
    if (streaming.partial_images.value_or(0) > 0)
        reading.at("partial_images").fault(FaultKind::rule, "is only allowed when stream is true");
    if (streaming.return_progress.value_or(false))
        reading.at("return_progress").fault(FaultKind::rule, "is only allowed when stream is true");
}

void check_step_cache(const Options& options, const Reading& reading) {
    if (options.step_cache_threshold && !options.step_cache)
        reading.at("step_cache_threshold").fault(FaultKind::rule, "needs step_cache");
}

void check_hires(const Hires& hires, const Reading& reading) {
    if (hires.scale && hires.size)
        reading.at("scale").fault(FaultKind::rule, "cannot be given together with size");
}

}  // namespace

std::string extension(std::string doc) {
    return "Extension. " + std::move(doc);
}

const schema::Enum<ResponseFormat>& describe(schema::Type<ResponseFormat>) {
    static const schema::Enum<ResponseFormat> names(
        {{"b64_json", ResponseFormat::b64_json}, {"url", ResponseFormat::url}});
    return names;
}

const schema::Enum<OutputFormat>& describe(schema::Type<OutputFormat>) {
    using enum OutputFormat;
    static const schema::Enum<OutputFormat> names({{"png", png}, {"jpeg", jpeg}, {"webp", webp}});
    return names;
}

const schema::Enum<Background>& describe(schema::Type<Background>) {
    using enum Background;
    static const schema::Enum<Background> names(
        {{"transparent", transparent}, {"opaque", opaque}, {"auto", automatic}});
    return names;
}

const schema::Enum<Quality>& describe(schema::Type<Quality>) {
    using enum Quality;
    static const schema::Enum<Quality> names(
        {{"standard", standard}, {"hd", hd}, {"low", low}, {"medium", medium}, {"high", high}, {"auto", automatic}});
    return names;
}

const schema::Enum<Style>& describe(schema::Type<Style>) {
    static const schema::Enum<Style> names({{"vivid", Style::vivid}, {"natural", Style::natural}});
    return names;
}

const schema::Enum<Moderation>& describe(schema::Type<Moderation>) {
    static const schema::Enum<Moderation> names({{"low", Moderation::low}, {"auto", Moderation::automatic}});
    return names;
}

const schema::Enum<InputFidelity>& describe(schema::Type<InputFidelity>) {
    static const schema::Enum<InputFidelity> names({{"high", InputFidelity::high}, {"low", InputFidelity::low}});
    return names;
}

const schema::Object<Lora>& describe(schema::Type<Lora>) {
    static const auto table =
        schema::Object<Lora>("Lora", "An adapter to draw with.")
            .field(
                "name", &Lora::name,
                {.doc = "File name without extension in the server's LoRA folder.", .required = true, .min_length = 1})
            .field("scale", &Lora::scale, {.doc = "How strongly it works.", .minimum = -10, .maximum = 10});
    return table;
}

const schema::Object<Hires>& describe(schema::Type<Hires>) {
    static const auto table =
        schema::Object<Hires>("Hires", "Two passes: the picture is drawn, enlarged, and drawn over at its larger size.")
            .field("scale", &Hires::scale,
                   {.doc = "How many times larger each side becomes. Default 2.", .minimum = 1, .maximum = 8})
            .field(
                "size", &Hires::size,
                {.doc = "Instead of `scale`: `WIDTHxHEIGHT` of the picture that is delivered.", .example = "1024x1024"})
            .field("upscaler", &Hires::upscaler,
                   {.doc = "One of the model's `hires_upscalers`. Default `latent`.", .min_length = 1})
            .field("steps", &Hires::steps,
                   {.doc = "Of the second pass. Default: as many as of the first.", .minimum = 1, .maximum = 500})
            .field("strength", &Hires::strength,
                   {.doc = "0 keeps the enlarged picture, 1 ignores it. Default 0.7.", .minimum = 0, .maximum = 1})
            .check(check_hires);
    return table;
}

const schema::Object<Delivery>& describe(schema::Type<Delivery>) {
    using D = Delivery;
    static const auto table =
        schema::Object<D>("", "")
            .field(
                "response_format", &D::response_format,
                {.doc = "`b64_json`, which is the default, or `url`: the file is kept by this server for a while, and "
                        "who has the signed address gets it, without a key."})
            .field("output_format", &D::output_format, {.doc = "Kind of file. Default `png`."})
            .field("output_compression", &D::output_compression,
                   {.doc = "Quality of JPEG and WebP, in percent.", .minimum = 0, .maximum = 100})
            .check(check_compression);
    return table;
}

const schema::Object<Streaming>& describe(schema::Type<Streaming>) {
    using S = Streaming;
    static const auto table =
        schema::Object<S>("", "")
            .field("stream", &S::stream, {.doc = "Send server-sent events instead of one answer."})
            .field(
                "partial_images", &S::partial_images,
                {.doc = "How many unfinished pictures to send on the way; needs `stream`.", .minimum = 0, .maximum = 3})
            .field("return_progress", &S::return_progress,
                   {.doc = extension("Send events with the steps of each picture; needs `stream`.")})
            .check(check_streaming);
    return table;
}

const schema::Object<Options>& describe(schema::Type<Options>) {
    using O = Options;
    static const auto table =
        schema::Object<O>("", "")
            .field("model", &O::model, {.doc = "A name from GET /v1/models. Default: the first image model."})
            .field("n", &O::n,
                   {.doc = "How many pictures. Picture i is the one of seed + i.", .minimum = 1, .maximum = 10})
            .field(
                "size", &O::size,
                {.doc = "`WIDTHxHEIGHT` in pixels, exactly so or refused; `auto` is the model's own size, and with a "
                        "picture to go on from the nearest to that picture's. GET /v1/models shows the limits.",
                 .example = "512x512"})
            .include(&O::delivery)
            .field("background", &O::background, {.doc = "`opaque` or `auto`."}, check_background)
            .field("negative_prompt", &O::negative_prompt, {.doc = extension("What not to draw."), .max_length = 32000})
            .field("steps", &O::steps,
                   {.doc = extension("Sampling steps. Default: the model's."),
                    .minimum = 1,
                    .maximum = 500,
                    .example = 20})
            .field("cfg_scale", &O::cfg_scale,
                   {.doc = extension("Classifier-free guidance; 1 switches it off. Default: the model's."),
                    .minimum = 0,
                    .maximum = 100})
            .field("guidance", &O::guidance,
                   {.doc = extension("Distilled guidance of FLUX and its like."), .minimum = 0, .maximum = 100})
            .field("sampler", &O::sampler, {.doc = extension("One of the model's samplers."), .example = "euler_a"})
            .field("scheduler", &O::scheduler, {.doc = extension("One of the model's schedulers.")})
            .field("seed", &O::seed,
                   {.doc = extension(
                        "The same seed and request give the same picture. Default, and for -1: drawn, and returned."),
                    .minimum = -1,
                    .maximum = 4294967295.0})
            .field("clip_skip", &O::clip_skip,
                   {.doc = extension("Leaves out the last layers of the text encoder."), .minimum = 0, .maximum = 12})
            .field("loras", &O::loras, {.doc = extension("Adapters."), .max_items = 16})
            .field("eta", &O::eta,
                   {.doc = extension("Noise of the samplers that know it."), .minimum = 0, .maximum = 1})
            .field("flow_shift", &O::flow_shift,
                   {.doc = extension("Shift of flow models."), .minimum = 0, .maximum = 100})
            .field("tile_decode", &O::tile_decode, {.doc = extension("Decode in tiles: less memory, slower.")})
            .field("step_cache", &O::step_cache,
                   {.doc = extension("Leave out what changes little from step to step: faster, and not quite the same "
                                     "picture. One of the model's `step_caches`."),
                    .min_length = 1})
            .field("step_cache_threshold", &O::step_cache_threshold,
                   {.doc = extension("What counts as little; larger leaves out more. Default: the cache's."),
                    .minimum = 0,
                    .maximum = 100})
            .field("hires", &O::hires, {.doc = extension("Draw in two passes, for sizes beyond the model's own.")})
            .check(check_step_cache);
    return table;
}

}  // namespace gateway::api::images
