#include "worker/image/request.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>

namespace worker::image {
namespace {

using base::ErrorCode;
using base::fail;
using base::Result;

std::unexpected<base::Error> invalid(std::string_view param, std::string_view message) {
    return fail(ErrorCode::invalid, std::string(message), std::string(param));
}

Result<std::uint32_t> side(std::string_view param, std::uint32_t asked, std::uint32_t standard,
                           const PictureModel& model) {
    const std::uint32_t value = asked == 0 ? standard : asked;
    if (value < model.min_side || value > model.max_side || value % model.size_multiple != 0) {
        const auto up = [&](std::uint32_t x) {
            return (x + model.size_multiple - 1) / model.size_multiple * model.size_multiple;
        };
        return invalid(
            param, fmt::format("{} is {}; it must be a multiple of {} from {} to {}", param, value, model.size_multiple,
                               up(model.min_side), model.max_side / model.size_multiple * model.size_multiple));
    }
    return value;
}

Result<float> number(std::string_view param, float value, float low, float high) {
    if (!std::isfinite(value) || value < low || value > high) {
        return invalid(param, fmt::format("{} must be from {} to {}", param, low, high));
    }
    return value;
}

Result<std::string> name(std::string_view param, const std::string& asked, const std::string& standard,
                         const std::vector<std::string>& known) {
    if (asked.empty()) {
        return standard;
    }
    if (std::ranges::find(known, asked) == known.end()) {
        return invalid(param, fmt::format("unknown {} '{}'; this model has: {}", param, asked, fmt::join(known, ", ")));
    }
    return asked;
}

Result<std::string> text(std::string_view param, const std::string& value) {
    if (value.size() > max_prompt_bytes) {
        return invalid(param, fmt::format("{} has {} bytes; the limit is {}", param, value.size(), max_prompt_bytes));
    }
    return value;
}

Result<Picture> picture(std::string_view param, const std::string& file, std::uint32_t channels) {
    auto decoded = codec::decode(file, channels);
    if (!decoded) {
        return invalid(param, fmt::format("{} {}", param, decoded.error().message));
    }
    return decoded;
}

Result<Picture> picture_of_size(std::string_view param, const std::string& file, std::uint32_t channels,
                                const DrawRequest& request) {
    auto decoded = picture(param, file, channels);
    if (decoded && (decoded->width != request.width || decoded->height != request.height)) {
        return invalid(param, fmt::format("{} is {}x{} pixels, the picture to draw is {}x{}: they must be the same",
                                          param, decoded->width, decoded->height, request.width, request.height));
    }
    return decoded;
}

Result<codec::EncodeOptions> encoding(const contract::ImageEncoding& asked) {
    codec::EncodeOptions options;
    switch (asked.format()) {
        case contract::ImageEncoding::PNG: options.format = codec::FileFormat::png; break;
        case contract::ImageEncoding::JPEG: options.format = codec::FileFormat::jpeg; break;
        case contract::ImageEncoding::WEBP: options.format = codec::FileFormat::webp; break;
        default: return invalid("encoding.format", "encoding.format is none of PNG, JPEG, WEBP");
    }
    if (asked.quality() > 100) {
        return invalid("encoding.quality", "encoding.quality must be from 1 to 100");
    }
    options.quality = asked.quality() == 0 ? options.quality : static_cast<int>(asked.quality());
    return options;
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

// Keeps the first fault; what follows is still read, so that the checks can be written one after the other.
class Checks {
public:
    template <typename Target, typename Value>
    void take(Target& target, Result<Value> value) {
        if (value) {
            target = *std::move(value);
        } else {
            refuse(std::unexpected(std::move(value).error()));
        }
    }

    void refuse(std::unexpected<base::Error> fault) {
        if (!fault_) {
            fault_ = std::move(fault).error();
        }
    }

    const std::optional<base::Error>& fault() const { return fault_; }

private:
    std::optional<base::Error> fault_;
};

void take_sampling(const contract::ImageJob& job, const PictureModel& model, DrawRequest& request, Checks& checks) {
    request.steps = job.has_steps() ? job.steps() : model.default_steps;
    if (request.steps < 1 || request.steps > max_steps) {
        checks.refuse(invalid("steps", fmt::format("steps must be from 1 to {}", max_steps)));
    }
    checks.take(request.cfg_scale,
                number("cfg_scale", job.has_cfg_scale() ? job.cfg_scale() : model.default_cfg_scale, 0, 100));
    if (job.has_distilled_guidance()) {
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
    // Their formulas divide by steps - 1, or read a table that starts at two steps.
    const auto& scheduler = request.scheduler;
    if (request.steps < 2 && (scheduler == "karras" || scheduler == "exponential" || scheduler == "gits")) {
        checks.refuse(invalid("scheduler", fmt::format("scheduler '{}' needs at least 2 steps", scheduler)));
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
    checks.take(request.init_image, picture_of_size("init_image", job.init_image(), 3, request));
    if (!job.mask().empty()) {
        checks.take(request.mask, picture_of_size("mask", job.mask(), 1, request));
    }
    if (job.has_strength()) {
        checks.take(request.strength, number("strength", job.strength(), 0, 1));
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
    if (job.reference_images_size() > 0 && !model.takes_reference_images) {
        checks.refuse(fail(ErrorCode::unsupported, fmt::format("a {} model takes no reference images", model.family),
                           "reference_images"));
        return;
    }
    if (job.reference_images_size() > static_cast<int>(max_reference_images)) {
        checks.refuse(invalid("reference_images", fmt::format("at most {} reference images", max_reference_images)));
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
    checks.take(request.width, side("width", job.width(), model.default_width, model));
    checks.take(request.height, side("height", job.height(), model.default_height, model));
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
        take_init_image(job, model, request, checks);
        take_guiding_images(job, model, request, checks);
    }
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
