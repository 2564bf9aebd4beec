#include "gateway/api/images/edits.hpp"

namespace gateway::api::images {
namespace {

using schema::FaultKind;
using schema::Reading;

constexpr std::size_t most_pictures = 16;

std::optional<std::string> check_no_stream(const std::optional<bool>& stream) {
    if (stream.value_or(false))
        return "cannot be true here: the answer is sent whole";
    return std::nullopt;
}

void check_links(const EditOptions& edit, const Reading& reading) {
    if (edit.streaming.stream.value_or(false) && edit.options.delivery.response_format == ResponseFormat::url)
        reading.at("response_format").fault(FaultKind::rule, "cannot be \"url\" when stream is true");
}

void check_reference(const ImageReference& reference, const Reading& reading) {
    if (!reference.image_url)
        reading.at("image_url").fault(FaultKind::missing, "is required");
}

std::optional<std::string> refuse_file_id(const chat::Refused&) {
    return "names a file, and there are none here: send the picture itself as image_url, a data: URL with base64";
}

}  // namespace

const schema::Object<EditOptions>& describe(schema::Type<EditOptions>) {
    using O = EditOptions;
    static const auto table =
        schema::Object<O>("", "")
            .field("prompt", &O::prompt,
                   {.doc = "What the picture is to become.",
                    .required = true,
                    .min_length = 1,
                    .max_length = 32000,
                    .example = "the same lighthouse in winter"})
            .include(&O::options)
            .include(&O::streaming)
            .field("strength", &O::strength,
                   {.doc = extension("0 keeps the picture, 1 ignores it. Of models that take pictures as references it "
                                     "counts with a mask only."),
                    .minimum = 0,
                    .maximum = 1})
            .field("image_cfg_scale", &O::image_cfg_scale,
                   {.doc = extension("How much the picture holds, of models that edit by instruction."),
                    .minimum = 0,
                    .maximum = 100})
            .ignored<Quality>("quality", {.doc = "Accepted without effect: use `steps`."})
            .ignored<InputFidelity>("input_fidelity", {.doc = "Accepted without effect: use `strength`."})
            .ignored<Moderation>("moderation", {.doc = "Accepted without effect: nothing is judged."})
            .ignored<std::string>("user", {.doc = "Accepted without effect."})
            .check(check_links);
    return table;
}

const schema::Object<EditForm>& describe(schema::Type<EditForm>) {
    using F = EditForm;
    static const auto table =
        schema::Object<F>("CreateImageEditRequest", "A picture, and what it is to become, as a form.")
            .field("image", &F::image,
                   {.doc = "PNG, JPEG or WebP. Several (`image[]`) for models that take reference pictures. A picture "
                           "of another shape than `size` is scaled, and cut off evenly at the sides.",
                    .required = true,
                    .min_items = 1,
                    .max_items = most_pictures})
            .field("mask", &F::mask,
                   {.doc = "A picture of the same size as `image`, the first if there are several: what is transparent "
                           "in it is drawn anew; without any transparency, what is white."})
            .include(&F::options);
    return table;
}

const schema::Object<ImageReference>& describe(schema::Type<ImageReference>) {
    using R = ImageReference;
    static const auto table =
        schema::Object<R>("ImageReference", "A picture.")
            .field("image_url", &R::image_url,
                   {.doc = "A `data:` URL with base64. Addresses are not downloaded here.",
                    .min_length = 1,
                    .max_length = 134217728,
                    .example = "data:image/png;base64,iVBORw0KGgo="})
            .field("file_id", &R::file_id, {.doc = "Refused: no files are kept for later requests."}, refuse_file_id)
            .check(check_reference);
    return table;
}

const schema::Object<EditBody>& describe(schema::Type<EditBody>) {
    using B = EditBody;
    static const auto table =
        schema::Object<B>("EditImageRequest", "A picture, and what it is to become, as JSON.")
            .field("images", &B::images,
                   {.doc = "One, or several for models that take reference pictures.",
                    .required = true,
                    .min_items = 1,
                    .max_items = most_pictures})
            .field("mask", &B::mask,
                   {.doc = "A picture of the same size as the first: what is transparent in it is drawn anew; without "
                           "any transparency, what is white."})
            .include(&B::options);
    return table;
}

const schema::Object<VariationForm>& describe(schema::Type<VariationForm>) {
    using F = VariationForm;
    static const auto table =
        schema::Object<F>("CreateImageVariationRequest", "A picture to draw others like it.")
            .field("image", &F::image, {.doc = "PNG, JPEG or WebP.", .required = true})
            .include(&F::options)
            .field("strength", &F::strength,
                   {.doc = extension("0 keeps the picture, 1 ignores it."), .minimum = 0, .maximum = 1})
            .field("stream", &F::stream, {.doc = "Refused: the answer is sent whole."}, check_no_stream)
            .ignored<std::string>("user", {.doc = "Accepted without effect."});
    return table;
}

const schema::Object<UpscaleOptions>& describe(schema::Type<UpscaleOptions>) {
    using O = UpscaleOptions;
    static const auto table =
        schema::Object<O>("", "")
            .field("model", &O::model,
                   {.doc = "A name from GET /v1/models. Default: the first one that has an upscaler."})
            .field(
                "factor", &O::factor,
                {.doc = "How many times larger each side becomes. Default: what the upscaler does, and nothing else.",
                 .minimum = 1,
                 .maximum = 16})
            .include(&O::delivery)
            .field("stream", &O::stream, {.doc = "Refused: the answer is sent whole."}, check_no_stream)
            .ignored<std::string>("user", {.doc = "Accepted without effect."});
    return table;
}

const schema::Object<UpscaleForm>& describe(schema::Type<UpscaleForm>) {
    using F = UpscaleForm;
    static const auto table = schema::Object<F>("UpscaleImageForm", "A picture to enlarge, as a form.")
                                  .field("image", &F::image, {.doc = "PNG, JPEG or WebP.", .required = true})
                                  .include(&F::options);
    return table;
}

const schema::Object<UpscaleBody>& describe(schema::Type<UpscaleBody>) {
    using B = UpscaleBody;
    static const auto table =
        schema::Object<B>("UpscaleImageRequest", "A picture to enlarge, as JSON.")
            .field("image", &B::image, {.doc = "Base64, or a `data:` URL with it.", .required = true, .min_length = 1})
            .include(&B::options);
    return table;
}

}  // namespace gateway::api::images
