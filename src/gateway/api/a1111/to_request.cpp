#include "gateway/api/a1111/to_request.hpp"

#include <fmt/format.h>

#include <array>

#include "gateway/api/a1111/names.hpp"
#include "gateway/api/a1111/prompt.hpp"
#include "gateway/api/request_path.hpp"

namespace gateway::api::a1111 {
namespace {

using schema::FaultKind;
using schema::Reading;

std::optional<std::string> name_or_nothing(std::string name) {
    return name.empty() ? std::nullopt : std::optional(std::move(name));
}

/// Both sides or none: one alone would be guessed.
std::optional<std::string> size_of(const Drawing& drawing, const Reading& reading) {
    if (!drawing.width && !drawing.height)
        return std::nullopt;
    if (!drawing.width || !drawing.height) {
        reading.at(drawing.width ? "height" : "width").fault(FaultKind::missing, "is missing: give both sides or none");
        return std::nullopt;
    }
    return fmt::format("{}x{}", *drawing.width, *drawing.height);
}

}  // namespace

std::expected<images::Request, schema::Faults> to_images_request(Img2ImgRequest& request, const Choice& choice) {
    const Drawing& drawing = request.drawing;
    schema::Findings findings;
    const Reading root(findings);
    images::Request result;
    images::Options& options = result.options;
    auto prompt = take_loras(drawing.prompt);
    if (!prompt)
        root.at("prompt").fault(FaultKind::rule, prompt.error());
    else
        result.prompt = std::move(prompt->text);
    if (prompt && !prompt->loras.empty())
        options.loras = std::move(prompt->loras);
    if (!drawing.negative_prompt.empty())
        options.negative_prompt = drawing.negative_prompt;
    options.n = drawing.batch_size * drawing.n_iter;
    options.size = size_of(drawing, root);
    options.steps = drawing.steps;
    options.cfg_scale = drawing.cfg_scale;
    options.guidance = drawing.distilled_cfg_scale;
    options.seed = drawing.seed;
    options.eta = drawing.eta;
    const auto names =
        engine_names(drawing.sampler_name.value_or(drawing.sampler_index.value_or("")), drawing.scheduler.value_or(""));
    options.sampler = name_or_nothing(names.sampler);
    options.scheduler = name_or_nothing(names.scheduler);
    const Settings settings = drawing.override_settings.value_or(Settings{});
    options.model = settings.sd_model_checkpoint ? settings.sd_model_checkpoint : choice.model;
    if (options.model)
        options.model = model_of_title(*options.model);
    options.clip_skip = settings.clip_skip ? settings.clip_skip : choice.clip_skip;
    if (!request.init_images.empty()) {
        result.init_image = std::move(request.init_images.front());
        result.strength = request.denoising_strength;
    }
    if (request.mask && !request.mask->empty())
        result.mask = std::move(*request.mask);
    request.init_images.clear();
    request.mask.reset();
    if (!findings.faults.empty())
        return std::unexpected(std::move(findings.faults));
    return result;
}

std::optional<images::Hires> to_hires(const Txt2ImgRequest& request) {
    if (!request.enable_hr.value_or(false))
        return std::nullopt;
    images::Hires hires;
    if (request.hr_resize_x.value_or(0) > 0)
        hires.size = fmt::format("{}x{}", *request.hr_resize_x, request.hr_resize_y.value_or(0));
    else
        hires.scale = request.hr_scale;
    hires.upscaler = name_or_nothing(hires_upscaler_name(request.hr_upscaler.value_or("")));
    if (request.hr_second_pass_steps.value_or(0) > 0)
        hires.steps = request.hr_second_pass_steps;
    hires.strength = request.denoising_strength;
    return hires;
}

std::string model_of_title(std::string_view title) {
    if (const auto hash = title.rfind(" ["); hash != std::string_view::npos && title.ends_with(']'))
        title = title.substr(0, hash);
    return std::string(title);
}

std::string to_a1111_path(std::string_view images_path) {
    static constexpr std::array renamings{
        Renaming{"size", "width"},
        Renaming{"n", "batch_size"},
        Renaming{"guidance", "distilled_cfg_scale"},
        Renaming{"sampler", "sampler_name"},
        Renaming{"model", "override_settings.sd_model_checkpoint"},
        Renaming{"clip_skip", "override_settings.CLIP_stop_at_last_layers"},
        Renaming{"init_image", "init_images[0]"},
        Renaming{"strength", "denoising_strength"},
        Renaming{"hires.scale", "hr_scale"},
        Renaming{"hires.size", "hr_resize_x"},
        Renaming{"hires.upscaler", "hr_upscaler"},
        Renaming{"hires.steps", "hr_second_pass_steps"},
        Renaming{"hires.strength", "denoising_strength"},
        Renaming{"hires", "enable_hr"},
    };
    if (images_path.starts_with("loras"))
        return "prompt";
    return api::to_request_path(images_path, renamings);
}

}  // namespace gateway::api::a1111
