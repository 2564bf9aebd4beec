#pragma once

/// What the image queue asks of an engine that draws. The diffusion engine implements it (worker/engine/diffusion); the
/// tests of the queue use a fake.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "worker/image/picture.hpp"

namespace worker::image {

enum class PreviewKind { none, projection, taesd, vae };

struct Lora {
    std::string path;
    float scale = 1;
};

/// The second pass of a drawing: what the first drew is enlarged to this size and drawn over.
struct SecondPass {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::string upscaler;
    std::uint32_t steps = 0;
    float strength = 0.7F;
};

/// One picture to draw; every value is valid for the engine's `PictureModel`.
struct DrawRequest {
    std::string prompt;
    std::string negative_prompt;
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::uint32_t steps = 0;
    float cfg_scale = 1;
    std::optional<float> distilled_guidance;
    std::string sampler;
    std::string scheduler;
    std::int64_t seed = 0;
    std::optional<int> clip_skip;
    std::optional<Picture> init_image;  // width x height, 3 channels
    std::optional<Picture> mask;        // width x height, 1 channel, white is drawn anew
    float strength = 0.75F;             // used with `init_image`
    std::vector<Picture> reference_images;
    std::optional<Picture> control_image;  // width x height, 3 channels
    float control_strength = 0.9F;
    std::vector<Lora> loras;
    std::uint32_t preview_interval = 0;
    PreviewKind preview_kind = PreviewKind::none;
    std::optional<float> eta;
    std::optional<float> flow_shift;
    bool tile_decode = false;
    std::optional<SecondPass> second_pass;
    std::string step_cache;  // empty: none
    std::optional<float> step_cache_threshold;
    std::optional<float> image_cfg_scale;
    std::string cache_salt;  // requests with another one share no work with this

    /// Of the picture that comes out.
    std::uint32_t final_width() const { return second_pass ? second_pass->width : width; }
    std::uint32_t final_height() const { return second_pass ? second_pass->height : height; }
};

/// What the loaded model is, what a request may ask of it and what it gets when it does not ask.
struct PictureModel {
    std::string family;       ///< the engine's name, e.g. "SD 1.x"
    std::string description;  ///< one line
    std::uint64_t parameters = 0;
    std::uint64_t file_bytes = 0;
    std::string engine_version;
    std::string kernel;
    std::string kernel_reason;
    std::uint32_t threads = 0;

    std::uint32_t default_width = 512;
    std::uint32_t default_height = 512;
    std::uint32_t min_side = 64;
    std::uint32_t max_side = 2048;
    std::uint32_t size_multiple = 64;
    std::uint32_t default_steps = 20;
    float default_cfg_scale = 7;
    std::string default_sampler;
    std::string default_scheduler;
    std::vector<std::string> samplers;
    std::vector<std::string> schedulers;

    bool can_draw = true;  ///< false: only an upscaler is loaded
    bool can_upscale = false;
    std::uint32_t upscale_factor = 0;
    bool encodes_images = true;  ///< image to image and inpainting
    bool takes_control_image = false;
    std::uint32_t max_reference_images = 0;
    bool needs_reference_image = false;
    bool takes_distilled_guidance = true;
    bool has_taesd = false;
    std::vector<std::string> step_caches;
    std::vector<std::string> second_pass_upscalers;  ///< empty: draws in one pass only
    std::string lora_folder;                         ///< empty: none
};

/// Told about the drawing while it goes on, on the drawing thread.
class DrawObserver {
public:
    virtual ~DrawObserver() = default;
    /// Asked several times within each step. True stops the drawing at once.
    virtual bool wants_stop() const { return false; }
    /// After each finished step, and at other moments with the same `step`. False stops the drawing at once.
    virtual bool on_step(std::uint32_t step, std::uint32_t steps, double step_seconds) = 0;
    virtual void on_preview(std::uint32_t step, Picture preview) = 0;
};

struct DrawTimings {
    double encode_seconds = 0;  // prompt and input images
    double sampling_seconds = 0;
    double decode_seconds = 0;
};

struct Drawing {
    Picture picture;
    DrawTimings timings;
};

/// Of what the text encoders made of earlier prompts.
struct PromptCacheCounts {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t bytes = 0;
    std::uint64_t limit_bytes = 0;
};

class PictureEngine {
public:
    virtual ~PictureEngine() = default;

    /// From any thread, also while it draws.
    virtual PromptCacheCounts prompt_cache() const { return {}; }

    /// Constant after loading; from any thread.
    virtual const PictureModel& model() const = 0;

    /// Draws one picture; blocks. One call at a time in a process: the engine's callbacks are global. `cancelled` when
    /// the observer stopped it; `too_large`, before the first step, when the memory that is free does not suffice. Same
    /// request, same pixels.
    virtual base::Result<Drawing> draw(const DrawRequest& request, DrawObserver& observer) = 0;

    /// Enlarges by `model().upscale_factor`; blocks, not beside `draw`. The observer hears of tiles as steps.
    virtual base::Result<Picture> upscale(const Picture& picture, DrawObserver& observer) = 0;
};

}  // namespace worker::image
