#include "worker/engine/diffusion/engine_log.hpp"

#include <stable-diffusion.h>

#include <charconv>
#include <optional>

#include "base/log.hpp"

namespace worker::engine::diffusion {
namespace {

void receive(sd_log_level_t level, const char* text, void* receiver) {
    static_cast<EngineLog*>(receiver)->line(level, text);
}

// Lines begin with "file.cpp:123  - ".
std::string_view without_origin(std::string_view text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) {
        text.remove_suffix(1);
    }
    const auto dash = text.find(" - ");
    return dash != std::string_view::npos && dash < 40 ? text.substr(dash + 3) : text;
}

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

struct UsedOfAdapter {
    std::string path;
    std::uint64_t tensors = 0;
};

// "(12 / 12) LoRA tensors have been applied, lora_file_path = FILE", or with "Only " before it; once for each part of the
// model that the file has tensors for.
std::optional<UsedOfAdapter> used_of_adapter(std::string_view text) {
    constexpr std::string_view middle = " LoRA tensors have been applied, lora_file_path = ";
    const auto at = text.find(middle);
    const auto number = text.find('(');
    if (at == std::string_view::npos || number > at) {
        return std::nullopt;
    }
    UsedOfAdapter used{.path = std::string(text.substr(at + middle.size()))};
    std::from_chars(text.data() + number + 1, text.data() + at, used.tensors);
    return used;
}

}  // namespace

EngineLog::EngineLog() {
    sd_set_log_callback(receive, this);
}

EngineLog::~EngineLog() {
    sd_set_log_callback(nullptr, nullptr);
}

void EngineLog::begin() {
    error_.clear();
    warning_.clear();
    phase_ = Phase::encoding;
    lora_failed_ = false;
    lora_tensors_used_.clear();
    encoder_missing_ = false;
}

std::uint64_t EngineLog::lora_tensors_used(const std::string& path) const {
    const auto found = lora_tensors_used_.find(path);
    return found == lora_tensors_used_.end() ? 0 : found->second;
}

void EngineLog::line(int level, std::string_view text) {
    text = without_origin(text);
    base::log::debug("engine", {{"line", text}});
    const std::lock_guard lock(mutex_);
    if (const auto used = used_of_adapter(text)) {
        lora_tensors_used_[used->path] += used->tensors;
    }
    if (level == SD_LOG_ERROR) {
        // The first error is the cause; what follows are its consequences.
        if (error_.empty()) {
            error_ = text;
        }
        encoder_missing_ =
            encoder_missing_ ||
            (contains(text, "not in model file") &&
             (contains(text, "'first_stage_model.encoder") || contains(text, "'first_stage_model.quant") ||
              contains(text, "'tae.encoder") || contains(text, "'first_stage_model.conv1")));
    } else if (level == SD_LOG_WARN) {
        warning_ = text;
        text_encoders_missing_ = text_encoders_missing_ || contains(text, "No text encoders provided");
        lora_failed_ = lora_failed_ || text.starts_with("load lora tensors from");
    } else if (text.starts_with("Version: ")) {
        family_ = text.substr(9);
    } else if (text.starts_with("flux: ")) {
        guidance_input_ = contains(text, "guidance_embed = true");
    } else if (text.starts_with("generating image: ")) {
        phase_ = Phase::sampling;
    } else if (text.starts_with("sampling completed")) {
        phase_ = Phase::decoding;
    } else if (text.starts_with("hires sampling ")) {
        phase_ = contains(text, "completed") ? Phase::decoding : Phase::sampling;
    }
}

}  // namespace worker::engine::diffusion
