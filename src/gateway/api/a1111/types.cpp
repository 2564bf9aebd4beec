#include "gateway/api/a1111/types.hpp"

#include <algorithm>

namespace gateway::api::a1111 {
namespace {

using schema::FaultKind;
using schema::Reading;

constexpr std::int32_t most_pictures = 16;

/// A check that takes only the value at which a field means nothing.
template <typename T>
auto only(T neutral, std::string why) {
    return [neutral = std::move(neutral), why = std::move(why)](const std::optional<T>& value) {
        return value && *value != neutral ? std::optional(why) : std::nullopt;
    };
}

auto only_empty(std::string why) {
    return only<std::string>("", std::move(why));
}

auto at_most_zero(std::string why) {
    return [why = std::move(why)](const std::optional<std::int32_t>& value) {
        return value.value_or(0) > 0 ? std::optional(why) : std::nullopt;
    };
}

std::optional<std::string> check_styles(const std::optional<std::vector<std::string>>& styles) {
    return styles && !styles->empty() ? std::optional<std::string>("must be empty: there are no styles here")
                                      : std::nullopt;
}

void check_scripts(const Drawing& drawing, const Reading& reading) {
    if (!drawing.alwayson_scripts)
        return;
    const Reading scripts = reading.at("alwayson_scripts");
    for (const auto& [name, script] : *drawing.alwayson_scripts) {
        const auto* object = script.if_object();
        const auto* arguments = object == nullptr ? nullptr : object->if_contains("args");
        // Clients send scripts without arguments to switch them off.
        const bool off = arguments != nullptr && arguments->is_array() &&
                         std::ranges::all_of(arguments->as_array(),
                                             [](const schema::Value& each) { return each == schema::Value(false); });
        if (!off)
            scripts.at(name).fault(FaultKind::rule, "cannot be used: there are no scripts here");
    }
}

void check_count(const Drawing& drawing, const Reading& reading) {
    if (drawing.batch_size * drawing.n_iter > most_pictures)
        reading.at("batch_size")
            .fault(FaultKind::rule, "times n_iter must be at most " + std::to_string(most_pictures));
}

void check_second_pass(const Txt2ImgRequest& request, const Reading& reading) {
    if (!request.enable_hr.value_or(false))
        return;
    const auto refuse_unless = [&](const char* field, const std::optional<std::string>& value, std::string_view same) {
        if (value && !value->empty() && *value != same)
            reading.at(field).fault(FaultKind::rule, "must be empty: the second pass is drawn as the first");
    };
    refuse_unless("hr_checkpoint_name", request.hr_checkpoint_name, "Use same checkpoint");
    refuse_unless("hr_sampler_name", request.hr_sampler_name, "Use same sampler");
    refuse_unless("hr_scheduler", request.hr_scheduler, "Use same scheduler");
    refuse_unless("hr_prompt", request.hr_prompt, request.drawing.prompt);
    refuse_unless("hr_negative_prompt", request.hr_negative_prompt, request.drawing.negative_prompt);
    if ((request.hr_resize_x.value_or(0) > 0) != (request.hr_resize_y.value_or(0) > 0))
        reading.at("hr_resize_y").fault(FaultKind::rule, "goes together with hr_resize_x");
}

void check_init_images(const Img2ImgRequest& request, const Reading& reading) {
    if (request.init_images.size() != 1)
        reading.at("init_images").fault(FaultKind::rule, "must have exactly one picture");
}

}  // namespace

const schema::Object<Settings>& describe(schema::Type<Settings>) {
    static const auto table =
        schema::Object<Settings>("A1111Settings", "Settings of the web UI that have a meaning here.")
            .field("sd_model_checkpoint", &Settings::sd_model_checkpoint,
                   {.doc = "A name of `GET /sdapi/v1/sd-models`.", .min_length = 1})
            .field("CLIP_stop_at_last_layers", &Settings::clip_skip,
                   {.doc = "Leaves out the last layers of the text encoder.", .minimum = 1, .maximum = 12});
    return table;
}

const schema::Object<Drawing>& describe(schema::Type<Drawing>) {
    using D = Drawing;
    static const auto table =
        schema::Object<D>("", "")
            .field("prompt", &D::prompt,
                   {.doc = "What to draw. `<lora:NAME:SCALE>` uses an adapter.",
                    .max_length = 32000,
                    .example = "a lighthouse in a storm"})
            .field("negative_prompt", &D::negative_prompt, {.doc = "What not to draw.", .max_length = 32000})
            .field("seed", &D::seed,
                   {.doc = "Default, and for -1: drawn, and returned.", .minimum = -1, .maximum = 4294967295.0})
            .field("sampler_name", &D::sampler_name, {.doc = "A name of `GET /sdapi/v1/samplers`."})
            .field("sampler_index", &D::sampler_index, {.doc = "The same, for older clients."})
            .field("scheduler", &D::scheduler, {.doc = "A name of `GET /sdapi/v1/schedulers`."})
            .field("batch_size", &D::batch_size,
                   {.doc = "Times `n_iter`: how many pictures. Picture i is the one of seed + i.",
                    .minimum = 1,
                    .maximum = most_pictures})
            .field("n_iter", &D::n_iter, {.doc = "See `batch_size`.", .minimum = 1, .maximum = most_pictures})
            .field("steps", &D::steps, {.doc = "Default: the model's.", .minimum = 1, .maximum = 500})
            .field("cfg_scale", &D::cfg_scale,
                   {.doc = "Classifier-free guidance. Default: the model's.", .minimum = 0, .maximum = 100})
            .field("distilled_cfg_scale", &D::distilled_cfg_scale,
                   {.doc = "Distilled guidance of FLUX and its like.", .minimum = 0, .maximum = 100})
            .field("width", &D::width, {.doc = "Pixels. Default: the model's.", .minimum = 1, .maximum = 65536})
            .field("height", &D::height, {.doc = "Pixels. Default: the model's.", .minimum = 1, .maximum = 65536})
            .field("eta", &D::eta, {.doc = "Noise of the samplers that know it.", .minimum = 0, .maximum = 1})
            .field("override_settings", &D::override_settings, {.doc = "Settings for this request alone."})
            .field("send_images", &D::send_images, {.doc = "`false` leaves the pictures out of the answer."})
            .field("styles", &D::styles, {.doc = "Only `[]`."}, check_styles)
            .field("subseed_strength", &D::subseed_strength, {.doc = "Only 0."},
                   only(0.0, "must be 0: seeds are not mixed here"))
            .field("seed_resize_from_h", &D::seed_resize_from_h, {.doc = "Only 0, or -1."},
                   at_most_zero("must be 0: seeds are not resized here"))
            .field("seed_resize_from_w", &D::seed_resize_from_w, {.doc = "Only 0, or -1."},
                   at_most_zero("must be 0: seeds are not resized here"))
            .field("restore_faces", &D::restore_faces, {.doc = "Only `false`."},
                   only(false, "must be false: faces are not restored here"))
            .field("tiling", &D::tiling, {.doc = "Only `false`."},
                   only(false, "must be false: pictures are not made to repeat here"))
            .field("s_churn", &D::s_churn, {.doc = "Only 0."}, only(0.0, "must be 0: the samplers here do not have it"))
            .field("s_noise", &D::s_noise, {.doc = "Only 1."}, only(1.0, "must be 1: the samplers here do not have it"))
            .field("s_min_uncond", &D::s_min_uncond, {.doc = "Only 0."},
                   only(0.0, "must be 0: the negative prompt is used in every step"))
            .field("script_name", &D::script_name, {.doc = "Only empty."},
                   only_empty("must be empty: there are no scripts here"))
            .field("refiner_checkpoint", &D::refiner_checkpoint, {.doc = "Only empty."},
                   only_empty("must be empty: there are no refiners here"))
            .field("alwayson_scripts", &D::alwayson_scripts,
                   {.doc = "Only scripts that are switched off: there are none here."})
            .ignored("override_settings_restore_afterwards", {.doc = "They are always for this request alone."})
            .ignored("do_not_save_samples", {.doc = "Nothing is saved."})
            .ignored("do_not_save_grid", {.doc = "Nothing is saved."})
            .ignored("save_images", {.doc = "Nothing is saved."})
            .ignored("script_args", {.doc = "Of no script."})
            .ignored("subseed", {.doc = "See `subseed_strength`."})
            .ignored("s_tmax", {.doc = "See `s_churn`."})
            .ignored("s_tmin", {.doc = "See `s_churn`."})
            .ignored("refiner_switch_at", {.doc = "See `refiner_checkpoint`."})
            .ignored("force_task_id", {.doc = "Jobs have ids of their own."})
            .check(check_scripts)
            .check(check_count);
    return table;
}

const schema::Object<Txt2ImgRequest>& describe(schema::Type<Txt2ImgRequest>) {
    using R = Txt2ImgRequest;
    static const auto table =
        schema::Object<R>("A1111Txt2ImgRequest", "What to draw, as AUTOMATIC1111's clients say it.")
            .include(&R::drawing)
            .field("enable_hr", &R::enable_hr, {.doc = "Draw in two passes: small, enlarged, and drawn over."})
            .field("hr_scale", &R::hr_scale,
                   {.doc = "How many times larger each side becomes. Default 2.", .minimum = 1, .maximum = 8})
            .field("hr_upscaler", &R::hr_upscaler,
                   {.doc = "A name of `GET /sdapi/v1/latent-upscale-modes`, or `Lanczos` or `Nearest`."})
            .field("hr_second_pass_steps", &R::hr_second_pass_steps,
                   {.doc = "0: as many as of the first.", .minimum = 0, .maximum = 500})
            .field(
                "hr_resize_x", &R::hr_resize_x,
                {.doc = "With `hr_resize_y` instead of `hr_scale`, unless they are 0.", .minimum = 0, .maximum = 65536})
            .field("hr_resize_y", &R::hr_resize_y, {.doc = "See `hr_resize_x`.", .minimum = 0, .maximum = 65536})
            .field(
                "denoising_strength", &R::denoising_strength,
                {.doc = "Of the second pass: 0 keeps the enlarged picture, 1 ignores it.", .minimum = 0, .maximum = 1})
            .field("hr_checkpoint_name", &R::hr_checkpoint_name, {.doc = "Only empty."})
            .field("hr_sampler_name", &R::hr_sampler_name, {.doc = "Only empty."})
            .field("hr_scheduler", &R::hr_scheduler, {.doc = "Only empty."})
            .field("hr_prompt", &R::hr_prompt, {.doc = "Only empty, or the prompt."})
            .field("hr_negative_prompt", &R::hr_negative_prompt, {.doc = "Only empty, or the negative prompt."})
            .ignored("firstphase_width", {.doc = "Of older versions."})
            .ignored("firstphase_height", {.doc = "Of older versions."})
            .check(check_second_pass);
    return table;
}

const schema::Object<Img2ImgRequest>& describe(schema::Type<Img2ImgRequest>) {
    using R = Img2ImgRequest;
    static const auto table =
        schema::Object<R>("A1111Img2ImgRequest", "What to make of a picture, as AUTOMATIC1111's clients say it.")
            .include(&R::drawing)
            .field("init_images", &R::init_images,
                   {.doc = "One picture in base64, of exactly `width` x `height`.", .required = true})
            .field("denoising_strength", &R::denoising_strength,
                   {.doc = "0 keeps the picture, 1 ignores it.", .minimum = 0, .maximum = 1})
            .field("mask", &R::mask, {.doc = "What is white here is drawn anew."})
            .field("latent_mask", &R::latent_mask, {.doc = "Only empty."}, only_empty("must be empty: use mask"))
            .field("inpainting_mask_invert", &R::inpainting_mask_invert, {.doc = "Only 0."},
                   only(0, "must be 0: invert the mask itself"))
            .ignored("resize_mode", {.doc = "The picture has the size asked for."})
            .ignored("image_cfg_scale", {.doc = "Of no model here."})
            .ignored("mask_blur", {.doc = "The mask is used as it is."})
            .ignored("mask_blur_x", {.doc = "The mask is used as it is."})
            .ignored("mask_blur_y", {.doc = "The mask is used as it is."})
            .ignored("mask_round", {.doc = "The mask is used as it is."})
            .ignored("inpainting_fill", {.doc = "What is drawn anew begins with what was there."})
            .ignored("inpaint_full_res", {.doc = "The whole picture is drawn."})
            .ignored("inpaint_full_res_padding", {.doc = "The whole picture is drawn."})
            .ignored("initial_noise_multiplier", {.doc = "The noise is the model's."})
            .ignored("include_init_images", {.doc = "They are not in the answer."})
            .check(check_init_images);
    return table;
}

const schema::Object<PngInfoRequest>& describe(schema::Type<PngInfoRequest>) {
    static const auto table =
        schema::Object<PngInfoRequest>("A1111PngInfoRequest", "A picture to read the settings of.")
            .field("image", &PngInfoRequest::image,
                   {.doc = "A PNG in base64, or a `data:` URL with one.", .required = true, .min_length = 1});
    return table;
}

const schema::Object<ExtraSingleImageRequest>& describe(schema::Type<ExtraSingleImageRequest>) {
    using R = ExtraSingleImageRequest;
    static const auto table =
        schema::Object<R>("A1111ExtraSingleImageRequest", "A picture to enlarge.")
            .field("image", &R::image, {.doc = "A picture in base64.", .required = true, .min_length = 1})
            .field("resize_mode", &R::resize_mode, {.doc = "Only 0: by a factor."},
                   only(0, "must be 0: pictures are enlarged by a factor"))
            .field("upscaling_resize", &R::upscaling_resize,
                   {.doc = "The factor of the upscaler, which is the default.", .minimum = 1, .maximum = 16})
            .field("upscaler_1", &R::upscaler_1,
                   {.doc = "A name of `GET /sdapi/v1/upscalers`. Default: the first that enlarges."})
            .field("upscaler_2", &R::upscaler_2, {.doc = "Only `None`."},
                   [](const std::optional<std::string>& name) {
                       return name && !name->empty() && *name != "None"
                                  ? std::optional<std::string>("must be \"None\": one upscaler is used")
                                  : std::nullopt;
                   })
            .field("gfpgan_visibility", &R::gfpgan_visibility, {.doc = "Only 0."},
                   only(0.0, "must be 0: faces are not restored here"))
            .field("codeformer_visibility", &R::codeformer_visibility, {.doc = "Only 0."},
                   only(0.0, "must be 0: faces are not restored here"))
            .ignored("show_extras_results", {.doc = "The picture is always sent."})
            .ignored("upscaling_resize_w", {.doc = "See `resize_mode`."})
            .ignored("upscaling_resize_h", {.doc = "See `resize_mode`."})
            .ignored("upscaling_crop", {.doc = "See `resize_mode`."})
            .ignored("extras_upscaler_2_visibility", {.doc = "See `upscaler_2`."})
            .ignored("codeformer_weight", {.doc = "See `codeformer_visibility`."})
            .ignored("upscale_first", {.doc = "Faces are not restored here."});
    return table;
}

const schema::Object<ProgressQuery>& describe(schema::Type<ProgressQuery>) {
    static const auto table = schema::Object<ProgressQuery>("", "").field(
        "skip_current_image", &ProgressQuery::skip_current_image, {.doc = "`true` leaves the unfinished picture out."});
    return table;
}

}  // namespace gateway::api::a1111
