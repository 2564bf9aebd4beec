#include "worker/engine/diffusion/generation.hpp"

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

}  // namespace

Callbacks::Callbacks(EngineLog& log, image::DrawObserver& observer) : log_(log), observer_(observer) {
    log_.begin();
    sd_set_progress_callback(&Callbacks::progress, this);
}

Callbacks::~Callbacks() {
    sd_set_preview_callback(nullptr, PREVIEW_NONE, 1, false, false, nullptr);
    sd_set_progress_callback(nullptr, nullptr);
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
        callbacks.observer_.on_preview(static_cast<std::uint32_t>(step), copied(frames[0]));
    }
}

// The engine reports tiles of the autoencoder through the same callback, before and after the sampling.
void Callbacks::on_progress(int step, int steps) {
    double step_seconds = 0;
    if (log_.phase() == Phase::sampling) {
        const auto now = Clock::now();
        steps_ = static_cast<std::uint32_t>(steps);
        if (step == 0) {
            sampling_began_ = last_step_ = now;
        } else {
            step_seconds = std::chrono::duration<double>(now - last_step_).count();
            last_step_ = now;
            step_ = static_cast<std::uint32_t>(step);
        }
        choose_preview(step_ + 1);
    }
    // An adapter that cannot be read is only a warning to the engine, which would draw without it.
    if (log_.lora_failed() || !observer_.on_step(step_, steps_, step_seconds)) {
        stopped_ = !log_.lora_failed();
        throw StopDrawing{};
    }
}

EngineRequest::EngineRequest(const image::DrawRequest& request) {
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
