#include "worker/image/metadata.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace worker::image {
namespace {

// Values with a comma or a quote would be read as more settings.
std::string quoted(const std::string& value) {
    if (value.find_first_of(",:\"\n") == std::string::npos) {
        return value;
    }
    std::string result = "\"";
    for (const char c : value) {
        if (c == '"' || c == '\\') {
            result += '\\';
        }
        result += c == '\n' ? ' ' : c;
    }
    return result + '"';
}

}  // namespace

std::string metadata_text(const DrawRequest& request, const PictureModel& model) {
    std::string text = request.prompt;
    if (!request.negative_prompt.empty()) {
        text += "\nNegative prompt: " + request.negative_prompt;
    }
    text +=
        fmt::format("\nSteps: {}, Sampler: {}, Schedule type: {}, CFG scale: {}, Seed: {}, Size: {}x{}", request.steps,
                    request.sampler, request.scheduler, request.cfg_scale, request.seed, request.width, request.height);
    if (request.distilled_guidance) {
        text += fmt::format(", Distilled CFG Scale: {}", *request.distilled_guidance);
    }
    if (request.clip_skip) {
        text += fmt::format(", Clip skip: {}", *request.clip_skip);
    }
    if (const auto& pass = request.second_pass) {
        text += fmt::format(", Hires resize: {}x{}, Hires steps: {}, Hires upscaler: {}, Denoising strength: {}",
                            pass->width, pass->height, pass->steps, pass->upscaler, pass->strength);
    } else if (request.init_image) {
        text += fmt::format(", Denoising strength: {}", request.strength);
    }
    if (!request.step_cache.empty()) {
        text += fmt::format(", Step cache: {}", request.step_cache);
    }
    for (const auto& lora : request.loras) {
        text += fmt::format(", Lora: {}",
                            quoted(fmt::format("{} {}", std::filesystem::path(lora.path).stem().string(), lora.scale)));
    }
    return text + fmt::format(", Model: {}, Version: llm-gateway {}", quoted(model.description), LLM_GATEWAY_VERSION);
}

}  // namespace worker::image
