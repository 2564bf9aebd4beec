#include "gateway/api/images/types.hpp"

namespace gateway::api::images {
namespace {

using schema::FaultKind;
using schema::Reading;

std::optional<std::string> check_response_format(const std::optional<ResponseFormat>& format) {
    if (format == ResponseFormat::url)
        return "cannot be \"url\": pictures are not kept on the server; use \"b64_json\"";
    return std::nullopt;
}

std::optional<std::string> check_background(const std::optional<Background>& background) {
    if (background == Background::transparent)
        return "cannot be \"transparent\": pictures have no transparency";
    return std::nullopt;
}

void check_compression(const Request& request, const Reading& reading) {
    const bool png = request.output_format.value_or(OutputFormat::png) == OutputFormat::png;
    if (png && request.output_compression.value_or(100) < 100)
        reading.at("output_compression").fault(FaultKind::rule, "below 100 needs output_format \"jpeg\" or \"webp\"");
}

void check_streaming(const Request& request, const Reading& reading) {
    if (request.partial_images.value_or(0) > 0 && !request.stream.value_or(false))
        reading.at("partial_images").fault(FaultKind::rule, "is only allowed when stream is true");
    if (request.return_progress.value_or(false) && !request.stream.value_or(false))
        reading.at("return_progress").fault(FaultKind::rule, "is only allowed when stream is true");
}

void check_init_image(const Request& request, const Reading& reading) {
    if (request.init_image)
        return;
    if (request.mask)
        reading.at("mask").fault(FaultKind::rule, "needs init_image");
    if (request.strength)
        reading.at("strength").fault(FaultKind::rule, "needs init_image");
}

std::string extension(std::string doc) {
    return "Extension. " + std::move(doc);
}

}  // namespace

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

const schema::Object<Lora>& describe(schema::Type<Lora>) {
    static const auto table =
        schema::Object<Lora>("Lora", "An adapter to draw with.")
            .field(
                "name", &Lora::name,
                {.doc = "File name without extension in the server's LoRA folder.", .required = true, .min_length = 1})
            .field("scale", &Lora::scale, {.doc = "How strongly it works.", .minimum = -10, .maximum = 10});
    return table;
}

const schema::Object<Request>& describe(schema::Type<Request>) {
    using R = Request;
    static const auto table =
        schema::Object<R>("CreateImageRequest", "What to draw, and how.")
            .field("prompt", &R::prompt,
                   {.doc = "What to draw.",
                    .required = true,
                    .min_length = 1,
                    .max_length = 32000,
                    .example = "a lighthouse in a storm, oil painting"})
            .field("model", &R::model, {.doc = "A name from GET /v1/models. Default: the first image model."})
            .field("n", &R::n,
                   {.doc = "How many pictures. Picture i is the one of seed + i.", .minimum = 1, .maximum = 10})
            .field(
                "size", &R::size,
                {.doc =
                     "`WIDTHxHEIGHT` in pixels, exactly so or refused; `auto` is the model's own size. GET /v1/models "
                     "shows the limits.",
                 .example = "512x512"})
            .field("response_format", &R::response_format,
                   {.doc = "Only `b64_json`, which is the default: pictures are not kept on the server."},
                   check_response_format)
            .field("output_format", &R::output_format, {.doc = "Kind of file. Default `png`."})
            .field("output_compression", &R::output_compression,
                   {.doc = "Quality of JPEG and WebP, in percent.", .minimum = 0, .maximum = 100})
            .field("background", &R::background, {.doc = "`opaque` or `auto`."}, check_background)
            .field("stream", &R::stream, {.doc = "Send server-sent events instead of one answer."})
            .field(
                "partial_images", &R::partial_images,
                {.doc = "How many unfinished pictures to send on the way; needs `stream`.", .minimum = 0, .maximum = 3})
            .field("negative_prompt", &R::negative_prompt, {.doc = extension("What not to draw."), .max_length = 32000})
            .field("steps", &R::steps,
                   {.doc = extension("Sampling steps. Default: the model's."),
                    .minimum = 1,
                    .maximum = 500,
                    .example = 20})
            .field("cfg_scale", &R::cfg_scale,
                   {.doc = extension("Classifier-free guidance; 1 switches it off. Default: the model's."),
                    .minimum = 0,
                    .maximum = 100})
            .field("guidance", &R::guidance,
                   {.doc = extension("Distilled guidance of FLUX and its like."), .minimum = 0, .maximum = 100})
            .field("sampler", &R::sampler, {.doc = extension("One of the model's samplers."), .example = "euler_a"})
            .field("scheduler", &R::scheduler, {.doc = extension("One of the model's schedulers.")})
            .field("seed", &R::seed,
                   {.doc = extension(
                        "The same seed and request give the same picture. Default, and for -1: drawn, and returned."),
                    .minimum = -1,
                    .maximum = 4294967295.0})
            .field("clip_skip", &R::clip_skip,
                   {.doc = extension("Leaves out the last layers of the text encoder."), .minimum = 0, .maximum = 12})
            .field(
                "init_image", &R::init_image,
                {.doc = extension("Start from this picture: base64 or a `data:` URL, of exactly the size asked for."),
                 .min_length = 1})
            .field("mask", &R::mask,
                   {.doc = extension("What is white here is drawn anew; like `init_image`."), .min_length = 1})
            .field("strength", &R::strength,
                   {.doc = extension("0 keeps `init_image`, 1 ignores it."), .minimum = 0, .maximum = 1})
            .field("loras", &R::loras, {.doc = extension("Adapters."), .max_items = 16})
            .field("eta", &R::eta,
                   {.doc = extension("Noise of the samplers that know it."), .minimum = 0, .maximum = 1})
            .field("flow_shift", &R::flow_shift,
                   {.doc = extension("Shift of flow models."), .minimum = 0, .maximum = 100})
            .field("tile_decode", &R::tile_decode, {.doc = extension("Decode in tiles: less memory, slower.")})
            .field("return_progress", &R::return_progress,
                   {.doc = extension("Send `image_generation.progress` events; needs `stream`.")})
            .ignored<std::string>("quality", {.doc = "Accepted without effect: use `steps`."})
            .ignored<std::string>("style", {.doc = "Accepted without effect: say it in the prompt."})
            .ignored<std::string>("moderation", {.doc = "Accepted without effect: nothing is judged."})
            .ignored<std::string>("user", {.doc = "Accepted without effect."})
            .check(check_compression)
            .check(check_streaming)
            .check(check_init_image);
    return table;
}

}  // namespace gateway::api::images
