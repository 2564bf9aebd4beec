#include "worker/engine/diffusion/generation.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <memory>

#include "worker/engine/diffusion/named_options.hpp"
#include "worker/image/repeats.hpp"

namespace worker::engine::diffusion {
namespace {

preview_t to_engine(image::PreviewKind kind) {
    switch (kind) {
        case image::PreviewKind::none: return PREVIEW_NONE;
        case image::PreviewKind::projection: return PREVIEW_PROJ;
        case image::PreviewKind::taesd: return PREVIEW_TAE;
        case image::PreviewKind::vae: return PREVIEW_VAE;
    }
    return PREVIEW_NONE;
}

image::Picture copied(const sd_image_t& picture) {
    const std::size_t bytes = std::size_t{picture.width} * picture.height * picture.channel;
    return {.width = picture.width,
            .height = picture.height,
            .channels = picture.channel,
            .pixels = {picture.data, picture.data + bytes}};
}

// Whatever an encoding depends on besides the prompt and what the engine compares itself; some encoders look at the
// reference images. Hexadecimal, since the engine takes a text that ends with a zero.
std::string prompt_cache_key(const image::DrawRequest& request) {
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> digest(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    EVP_DigestInit_ex(digest.get(), EVP_sha256(), nullptr);
    const auto add = [&](const void* data, std::size_t bytes) {
        const auto head = fmt::format("{} ", bytes);
        EVP_DigestUpdate(digest.get(), head.data(), head.size());
        EVP_DigestUpdate(digest.get(), data, bytes);
    };
    const std::string adapters = image::state_of_adapters(request.loras);
    add(request.cache_salt.data(), request.cache_salt.size());
    add(adapters.data(), adapters.size());
    for (const auto& picture : request.reference_images) {
        const std::array size{picture.width, picture.height};
        add(size.data(), sizeof size);
        add(picture.pixels.data(), picture.pixels.size());
    }
    std::array<unsigned char, EVP_MAX_MD_SIZE> sum{};
    unsigned bytes = 0;
    EVP_DigestFinal_ex(digest.get(), sum.data(), &bytes);
    std::string key;
    for (unsigned i = 0; i < bytes; ++i) {
        key += fmt::format("{:02x}", sum[i]);
    }
    return key;
}

}  // namespace

Callbacks::Callbacks(EngineLog& log, image::DrawObserver& observer) : log_(log), observer_(observer) {
    log_.begin();
    sd_set_progress_callback(&Callbacks::progress, this);
    sd_set_stop_callback(&Callbacks::wants_stop, this);
}

Callbacks::~Callbacks() {
    sd_set_preview_callback(nullptr, PREVIEW_NONE, 1, false, false, nullptr);
    sd_set_progress_callback(nullptr, nullptr);
    sd_set_stop_callback(nullptr, nullptr);
}

bool Callbacks::wants_stop(void* self) {
    auto& callbacks = *static_cast<Callbacks*>(self);
    callbacks.stopped_ = callbacks.stopped_ || callbacks.observer_.wants_stop();
    return callbacks.stopped_;
}

void Callbacks::preview(image::PreviewKind kind, std::uint32_t interval) {
    preview_interval_ = kind == image::PreviewKind::none ? 0 : interval;
    preview_mode_ = to_engine(kind);
    choose_preview(1);
}

// The engine takes an interval and ignores it: it would decode a preview in every step. It does look at the `denoised`
// flag each time, so that is what is switched from step to step.
void Callbacks::choose_preview(std::uint32_t next_step) {
    if (preview_interval_ > 0) {
        const bool wanted = next_step % preview_interval_ == 0 && (steps_ == 0 || next_step < steps_);
        sd_set_preview_callback(&Callbacks::preview_picture, preview_mode_, 1, wanted, false, this);
    }
}

image::DrawTimings Callbacks::timings() const {
    using base_seconds = std::chrono::duration<double>;
    const auto now = Clock::now();
    return {.encode_seconds = base_seconds(sampling_began_ - began_).count(),
            .sampling_seconds = base_seconds(last_step_ - sampling_began_).count(),
            .decode_seconds = base_seconds(now - last_step_).count()};
}

void Callbacks::progress(int step, int steps, float, void* self) {
    static_cast<Callbacks*>(self)->on_progress(step, steps);
}

void Callbacks::preview_picture(int step, int count, sd_image_t* frames, bool, void* self) {
    auto& callbacks = *static_cast<Callbacks*>(self);
    if (count > 0 && step > 0 && callbacks.log_.phase() == Phase::sampling) {
        callbacks.observer_.on_preview(callbacks.earlier_steps_ + static_cast<std::uint32_t>(step), copied(frames[0]));
    }
}

// The engine reports tiles of the autoencoder through the same callback, before and after the sampling.
void Callbacks::on_progress(int step, int steps) {
    double step_seconds = 0;
    if (log_.phase() == Phase::sampling) {
        const auto now = Clock::now();
        if (step == 0) {
            const bool first_pass = step_ == 0;
            sampling_began_ = first_pass ? now : sampling_began_;
            last_step_ = now;
            earlier_steps_ = step_;
            steps_ = step_ + static_cast<std::uint32_t>(steps) + (first_pass ? second_pass_steps_ : 0);
        } else {
            step_seconds = std::chrono::duration<double>(now - last_step_).count();
            last_step_ = now;
            step_ = earlier_steps_ + static_cast<std::uint32_t>(step);
        }
        choose_preview(step_ + 1);
    }
    // An adapter that cannot be read is only a warning to the engine, which would draw without it.
    if (log_.lora_failed() || !observer_.on_step(step_, steps_, step_seconds)) {
        stopped_ = !log_.lora_failed();
        throw StopDrawing{};
    }
}

float exact_strength(const image::SecondPass& pass) {
    const auto steps_with = [&](float strength) {
        const auto lengthened = static_cast<std::uint32_t>(static_cast<float>(pass.steps) / strength);
        const auto taken = static_cast<std::uint32_t>(static_cast<float>(lengthened) * strength);
        return std::min(taken + 1, lengthened);
    };
    float strength = pass.strength;
    while (steps_with(strength) > pass.steps) {
        strength *= 0.9999F;
    }
    return strength;
}

EngineRequest::EngineRequest(const image::DrawRequest& request, const std::string& upscaler) {
    sd_img_gen_params_init(&parameters);
    parameters.prompt = request.prompt.c_str();
    parameters.negative_prompt = request.negative_prompt.c_str();
    parameters.clip_skip = request.clip_skip.value_or(-1);
    parameters.width = static_cast<int>(request.width);
    parameters.height = static_cast<int>(request.height);
    parameters.seed = request.seed;
    parameters.strength = request.strength;
    parameters.control_strength = request.control_strength;
    parameters.auto_resize_ref_image = true;

    auto& sample = parameters.sample_params;
    sample.guidance.txt_cfg = request.cfg_scale;
    sample.guidance.distilled_guidance = request.distilled_guidance.value_or(sample.guidance.distilled_guidance);
    sample.sample_method = str_to_sample_method(request.sampler.c_str());
    sample.scheduler = str_to_scheduler(request.scheduler.c_str());
    sample.sample_steps = static_cast<int>(request.steps);
    sample.eta = request.eta.value_or(sample.eta);
    sample.flow_shift = request.flow_shift.value_or(sample.flow_shift);

    if (request.init_image) {
        parameters.init_image = viewed(*request.init_image);
    }
    if (request.mask) {
        parameters.mask_image = viewed(*request.mask);
    }
    if (request.control_image) {
        parameters.control_image = viewed(*request.control_image);
    }
    for (const auto& picture : request.reference_images) {
        reference_images_.push_back(viewed(picture));
    }
    parameters.ref_images = reference_images_.data();
    parameters.ref_images_count = static_cast<int>(reference_images_.size());
    for (const auto& lora : request.loras) {
        loras_.push_back({.is_high_noise = false, .multiplier = lora.scale, .path = lora.path.c_str()});
    }
    parameters.loras = loras_.data();
    parameters.lora_count = static_cast<std::uint32_t>(loras_.size());

    if (request.image_cfg_scale) {
        sample.guidance.img_cfg = *request.image_cfg_scale;
    }
    if (const auto mode = step_cache_named(request.step_cache)) {
        parameters.cache.mode = *mode;
        if (request.step_cache_threshold) {
            parameters.cache.reuse_threshold = *request.step_cache_threshold;
            parameters.cache.residual_diff_threshold = *request.step_cache_threshold;
        }
    }
    if (const auto& pass = request.second_pass) {
        auto& hires = parameters.hires;
        hires.enabled = true;
        hires.upscaler = second_pass_upscaler_named(pass->upscaler).value_or(SD_HIRES_UPSCALER_LATENT);
        hires.model_path = upscaler.c_str();
        hires.target_width = static_cast<int>(pass->width);
        hires.target_height = static_cast<int>(pass->height);
        hires.steps = static_cast<int>(pass->steps);
        hires.denoising_strength = exact_strength(*pass);
    }
    prompt_cache_key_ = prompt_cache_key(request);
    parameters.prompt_cache_key = prompt_cache_key_.c_str();
}

image::Picture taken(sd_image_t& picture) {
    image::Picture result = copied(picture);
    std::free(picture.data);
    picture.data = nullptr;
    return result;
}

sd_image_t viewed(const image::Picture& picture) {
    return {.width = picture.width,
            .height = picture.height,
            .channel = picture.channels,
            .data = const_cast<std::uint8_t*>(picture.pixels.data())};
}

}  // namespace worker::engine::diffusion
