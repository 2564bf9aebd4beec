#include "worker/image/request.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "worker/image/checks.hpp"
#include "worker/image/fit.hpp"

namespace worker::image {
namespace {

using base::ErrorCode;
using base::fail;
using base::Result;

Result<Picture> mask_of(const std::string& file) {
    auto decoded = codec::decode_mask(file);
    if (!decoded) {
        return invalid("mask", fmt::format("mask {}", decoded.error().message));
    }
    return decoded;
}

bool is_adapter(const std::filesystem::path& path) {
    const auto extension = path.extension();
    return extension == ".safetensors" || extension == ".gguf" || extension == ".ckpt" || extension == ".pt";
}

// The name is compared with what is in the folder and never becomes part of a path.
std::string lora_path(const std::string& folder, const std::string& wanted) {
    std::error_code unreadable;
    std::string found;
    for (const auto& entry : std::filesystem::directory_iterator(folder, unreadable)) {
        const auto& path = entry.path();
        if (is_adapter(path) && path.stem() == wanted && (found.empty() || path.string() < found)) {
            found = path.string();
        }
    }
    return found;
}

Result<std::vector<Lora>> loras(const contract::ImageJob& job, const PictureModel& model) {
    std::vector<Lora> chosen;
    for (int i = 0; i < job.loras_size(); ++i) {
        const auto& use = job.loras(i);
        const std::string param = fmt::format("loras[{}].name", i);
        if (model.lora_folder.empty()) {
            return fail(ErrorCode::unsupported, "this worker has no LoRA folder", param);
        }
        std::string path = lora_path(model.lora_folder, use.name());
        if (path.empty()) {
            return fail(ErrorCode::not_found,
                        fmt::format("there is no LoRA '{}'; there are: {}", use.name(),
                                    fmt::join(lora_names(model.lora_folder), ", ")),
                        param);
        }
        if (std::ranges::find(chosen, path, &Lora::path) != chosen.end()) {
            return invalid(param, fmt::format("LoRA '{}' is named twice", use.name()));
        }
        const auto scale = number(fmt::format("loras[{}].scale", i), use.scale(), -10, 10);
        if (!scale) {
            return std::unexpected(scale.error());
        }
        chosen.push_back({.path = std::move(path), .scale = *scale});
    }
    return chosen;
}

// Their formulas divide by steps - 1, or read a table that starts at two steps.
bool needs_two_steps(std::string_view scheduler) {
    return scheduler == "karras" || scheduler == "exponential" || scheduler == "gits";
}

void take_sampling(const contract::ImageJob& job, const PictureModel& model, DrawRequest& request, Checks& checks) {
    request.steps = job.has_steps() ? job.steps() : model.default_steps;
    if (request.steps < 1 || request.steps > max_steps) {
        checks.refuse(invalid("steps", fmt::format("steps must be from 1 to {}", max_steps)));
    }
    checks.take(request.cfg_scale,
                number("cfg_scale", job.has_cfg_scale() ? job.cfg_scale() : model.default_cfg_scale, 0, 100));
    if (job.has_distilled_guidance() && !model.takes_distilled_guidance) {
        checks.refuse(fail(ErrorCode::unsupported,
                           fmt::format("a {} model is guided by cfg_scale; it has no other guidance", model.family),
                           "distilled_guidance"));
    } else if (job.has_distilled_guidance()) {
        checks.take(request.distilled_guidance, number("distilled_guidance", job.distilled_guidance(), 0, 100));
    }
    if (job.has_control_strength()) {
        checks.take(request.control_strength, number("control_strength", job.control_strength(), 0, 10));
    }
    if (job.has_eta()) {
        checks.take(request.eta, number("eta", job.eta(), 0, 1));
    }
    if (job.has_flow_shift()) {
        checks.take(request.flow_shift, number("flow_shift", job.flow_shift(), 0.01F, 100));
    }
    if (job.has_clip_skip()) {
        request.clip_skip = job.clip_skip();
        if (job.clip_skip() < 1 || job.clip_skip() > 12) {
            checks.refuse(invalid("clip_skip", "clip_skip must be from 1 to 12"));
        }
    }
    checks.take(request.sampler, name("sampler", job.sampler(), model.default_sampler, model.samplers));
    checks.take(request.scheduler, name("scheduler", job.scheduler(), model.default_scheduler, model.schedulers));
    if (request.steps < 2 && needs_two_steps(request.scheduler)) {
        checks.refuse(invalid("scheduler", fmt::format("scheduler '{}' needs at least 2 steps", request.scheduler)));
    }
    if (job.has_image_cfg_scale()) {
        if (!model.needs_reference_image) {
            checks.refuse(fail(ErrorCode::unsupported,
                               fmt::format("a {} model has no guidance by an image", model.family), "image_cfg_scale"));
        }
        checks.take(request.image_cfg_scale, number("image_cfg_scale", job.image_cfg_scale(), 0, 100));
    }
}

void take_init_image(const contract::ImageJob& job, const PictureModel& model, DrawRequest& request, Checks& checks) {
    if (job.init_image().empty()) {
        if (!job.mask().empty()) {
            checks.refuse(invalid("mask", "mask needs init_image"));
        }
        if (job.has_strength()) {
            checks.refuse(invalid("strength", "strength needs init_image"));
        }
        return;
    }
    if (!model.encodes_images) {
        checks.refuse(
            fail(ErrorCode::unsupported, "this model was loaded without an encoder for images", "init_image"));
    }
    checks.take(request.init_image, picture("init_image", job.init_image(), 3));
    if (!job.mask().empty()) {
        checks.take(request.mask, mask_of(job.mask()));
    }
    if (request.init_image && request.mask &&
        (request.mask->width != request.init_image->width || request.mask->height != request.init_image->height)) {
        checks.refuse(invalid(
            "mask", fmt::format("mask is {}x{} pixels, the picture {}x{}: they must be the same", request.mask->width,
                                request.mask->height, request.init_image->width, request.init_image->height)));
    }
    if (job.has_strength()) {
        checks.take(request.strength, number("strength", job.strength(), 0, 1));
    }
}

// A picture to go on from decides about a size that was not asked for, and is brought to the one that is drawn.
void take_size(const contract::ImageJob& job, const PictureModel& model, DrawRequest& request, Checks& checks) {
    Size standard{.width = model.default_width, .height = model.default_height};
    if (request.init_image && job.width() == 0 && job.height() == 0) {
        standard =
            nearest_size({.width = request.init_image->width, .height = request.init_image->height},
                         {.min_side = model.min_side, .max_side = model.max_side, .multiple = model.size_multiple});
    }
    checks.take(request.width, side("width", job.width(), standard.width, model));
    checks.take(request.height, side("height", job.height(), standard.height, model));
    if (checks.fault()) {
        return;
    }
    for (auto* given : {&request.init_image, &request.mask}) {
        if (*given) {
            *given = fitted(**given, {.width = request.width, .height = request.height});
        }
    }
}

void take_guiding_images(const contract::ImageJob& job, const PictureModel& model, DrawRequest& request,
                         Checks& checks) {
    if (!job.control_image().empty()) {
        if (!model.takes_control_image) {
            checks.refuse(fail(ErrorCode::unsupported, "this model was loaded without a control net", "control_image"));
        }
        checks.take(request.control_image, picture_of_size("control_image", job.control_image(), 3, request));
    }
    if (job.reference_images_size() == 0 && model.needs_reference_image) {
        checks.refuse(invalid("reference_images",
                              fmt::format("a {} model changes a picture: it needs one reference image", model.family)));
    }
    if (job.reference_images_size() > 0 && model.max_reference_images == 0) {
        checks.refuse(fail(ErrorCode::unsupported, fmt::format("a {} model takes no reference images", model.family),
                           "reference_images"));
        return;
    }
    if (job.reference_images_size() > static_cast<int>(model.max_reference_images)) {
        checks.refuse(invalid("reference_images", fmt::format("a {} model takes at most {} reference images",
                                                              model.family, model.max_reference_images)));
        return;
    }
    for (int i = 0; i < job.reference_images_size(); ++i) {
        const std::string param = fmt::format("reference_images[{}]", i);
        auto& decoded = request.reference_images.emplace_back();
        checks.take(decoded, picture(param, job.reference_images(i), 3));
        if (decoded.width < model.min_side || decoded.height < model.min_side) {
            checks.refuse(invalid(param, fmt::format("{} is {}x{} pixels; at least {}x{}", param, decoded.width,
                                                     decoded.height, model.min_side, model.min_side)));
        }
    }
}

// The size may be given as a factor or as itself.
void take_second_pass(const contract::ImageJob& job, const PictureModel& model, DrawRequest& request, Checks& checks) {
    if (!job.has_hires()) {
        return;
    }
    const auto& asked = job.hires();
    if (model.second_pass_upscalers.empty()) {
        checks.refuse(
            fail(ErrorCode::unsupported, fmt::format("a {} model draws in one pass only", model.family), "hires"));
        return;
    }
    if (request.control_image) {
        checks.refuse(
            invalid("hires", "hires does not go together with control_image, which has the first pass's size"));
        return;
    }
    SecondPass pass;
    if (asked.width() != 0 || asked.height() != 0) {
        if (asked.scale() != 0) {
            checks.refuse(invalid("hires.scale", "hires takes either scale or width and height"));
        }
        checks.take(pass.width, side("hires.width", asked.width(), 0, model));
        checks.take(pass.height, side("hires.height", asked.height(), 0, model));
    } else {
        float scale = 2;
        checks.take(scale, number("hires.scale", asked.scale() == 0 ? 2 : asked.scale(), 1, 8));
        const auto scaled = [&](std::uint32_t length) {
            const auto multiples =
                std::lround(static_cast<float>(length) * scale / static_cast<float>(model.size_multiple));
            return static_cast<std::uint32_t>(multiples) * model.size_multiple;
        };
        checks.take(pass.width, side("hires.scale", scaled(request.width), 0, model));
        checks.take(pass.height, side("hires.scale", scaled(request.height), 0, model));
    }
    checks.take(pass.upscaler, name("hires.upscaler", asked.upscaler(), "latent", model.second_pass_upscalers));
    pass.steps = asked.steps() == 0 ? request.steps : asked.steps();
    if (pass.steps > max_steps) {
        checks.refuse(invalid("hires.steps", fmt::format("hires.steps must be from 1 to {}", max_steps)));
    }
    if (asked.has_strength()) {
        checks.take(pass.strength, number("hires.strength", asked.strength(), 0.05F, 1));
    }
    if (static_cast<float>(pass.steps) / pass.strength < 2 && needs_two_steps(request.scheduler)) {
        checks.refuse(invalid("hires.steps", fmt::format("scheduler '{}' needs at least 2 steps", request.scheduler)));
    }
    request.second_pass = std::move(pass);
}

void take_shortcuts(const contract::ImageJob& job, const PictureModel& model, DrawRequest& request, Checks& checks) {
    if (!job.step_cache().empty()) {
        checks.take(request.step_cache, name("step_cache", job.step_cache(), "", model.step_caches));
    }
    if (job.has_step_cache_threshold()) {
        if (job.step_cache().empty()) {
            checks.refuse(invalid("step_cache_threshold", "step_cache_threshold needs step_cache"));
        } else if (job.step_cache() == "spectrum" || job.step_cache() == "taylorseer") {
            checks.refuse(invalid("step_cache_threshold",
                                  fmt::format("step_cache '{}' goes by a plan, not by a threshold", job.step_cache())));
        }
        checks.take(request.step_cache_threshold, number("step_cache_threshold", job.step_cache_threshold(), 0, 100));
    }
}

void take_preview(const contract::ImageJob& job, const PictureModel& model, DrawRequest& request, Checks& checks) {
    request.preview_interval = job.preview_interval();
    if (request.preview_interval == 0) {
        return;
    }
    switch (job.preview_kind()) {
        case contract::PREVIEW_PROJECTION: request.preview_kind = PreviewKind::projection; break;
        case contract::PREVIEW_VAE: request.preview_kind = PreviewKind::vae; break;
        case contract::PREVIEW_TAESD: request.preview_kind = PreviewKind::taesd; break;
        default: checks.refuse(invalid("preview_kind", "preview_kind is unknown"));
    }
    if (request.preview_kind == PreviewKind::taesd && !model.has_taesd) {
        checks.refuse(fail(ErrorCode::unsupported, "this model was loaded without a TAESD file", "preview_kind"));
    }
}

}  // namespace

Result<DrawPlan> plan_drawing(const contract::ImageJob& job, const PictureModel& model, std::uint32_t drawn_seed) {
    if (!model.can_draw) {
        return fail(ErrorCode::unsupported, "this worker only enlarges pictures");
    }
    DrawPlan plan;
    DrawRequest& request = plan.first;
    Checks checks;
    checks.take(request.prompt, text("prompt", job.prompt()));
    checks.take(request.negative_prompt, text("negative_prompt", job.negative_prompt()));
    take_init_image(job, model, request, checks);
    take_size(job, model, request, checks);
    plan.count = job.count() == 0 ? 1 : job.count();
    if (plan.count > max_count) {
        checks.refuse(invalid("count", fmt::format("count must be from 1 to {}", max_count)));
    }
    request.seed = job.has_seed() ? job.seed() : std::int64_t{drawn_seed};
    if (request.seed < 0 || request.seed > std::numeric_limits<std::int64_t>::max() - max_count) {
        checks.refuse(invalid("seed", "seed must be from 0 to 2^63 - 17"));
    }
    take_sampling(job, model, request, checks);
    if (!checks.fault()) {
        // Decoding costs time, and their sizes are compared with width and height.
        take_guiding_images(job, model, request, checks);
        take_second_pass(job, model, request, checks);
    }
    take_shortcuts(job, model, request, checks);
    take_preview(job, model, request, checks);
    checks.take(request.loras, loras(job, model));
    request.tile_decode = job.tile_decode();
    checks.take(plan.encoding, encoding(job.encoding()));
    plan.with_metadata = !job.encoding().omit_metadata();
    if (checks.fault()) {
        return std::unexpected(*checks.fault());
    }
    return plan;
}

Result<UpscalePlan> plan_upscale(const contract::UpscaleJob& job, const PictureModel& model) {
    if (!model.can_upscale) {
        return fail(ErrorCode::unsupported, "this worker was started without an upscaler");
    }
    if (job.factor() != 0 && job.factor() != model.upscale_factor) {
        return invalid("factor", fmt::format("the upscaler enlarges {} times, nothing else", model.upscale_factor));
    }
    UpscalePlan plan;
    Checks checks;
    checks.take(plan.picture, picture("image", job.image(), 3));
    checks.take(plan.encoding, encoding(job.encoding()));
    if (checks.fault()) {
        return std::unexpected(*checks.fault());
    }
    const std::uint64_t pixels =
        std::uint64_t{plan.picture.width} * plan.picture.height * model.upscale_factor * model.upscale_factor;
    if (pixels > max_upscaled_pixels) {
        return invalid("image", fmt::format("enlarged {} times the image would have {} million pixels; the limit is {}",
                                            model.upscale_factor, pixels / 1'000'000, max_upscaled_pixels / 1'000'000));
    }
    return plan;
}

std::vector<std::string> lora_names(const std::string& folder) {
    std::vector<std::string> names;
    std::error_code unreadable;
    if (!folder.empty()) {
        for (const auto& entry : std::filesystem::directory_iterator(folder, unreadable)) {
            if (is_adapter(entry.path())) {
                names.push_back(entry.path().stem().string());
            }
        }
    }
    std::ranges::sort(names);
    names.erase(std::ranges::unique(names).begin(), names.end());
    return names;
}

}  // namespace worker::image
