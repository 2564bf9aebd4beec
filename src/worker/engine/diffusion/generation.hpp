#pragma once

/// One call of the engine's `generate_image`: from a DrawRequest to the engine's parameters and callbacks, and back.

#include <stable-diffusion.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "worker/engine/diffusion/engine_log.hpp"
#include "worker/image/picture_engine.hpp"

namespace worker::engine::diffusion {

/// Thrown through the engine from its progress callback. The engine is C++ and holds its state in objects, so this leaves
/// it usable (the tests stop a drawing and draw again). Within a step it is stopped by its own callback for that.
struct StopDrawing {};

/// The engine's callbacks for one piece of work; sets them, and clears them at its end.
class Callbacks {
public:
    Callbacks(EngineLog& log, image::DrawObserver& observer);
    ~Callbacks();
    Callbacks(const Callbacks&) = delete;
    Callbacks& operator=(const Callbacks&) = delete;

    /// Asks for previews every `interval` steps (0: none).
    void preview(image::PreviewKind kind, std::uint32_t interval);

    /// A second pass of so many steps follows the first.
    void second_pass(std::uint32_t steps) { second_pass_steps_ = steps; }

    /// How long each phase took; call when the work has ended.
    image::DrawTimings timings() const;
    bool stopped() const { return stopped_; }

private:
    using Clock = std::chrono::steady_clock;

    static bool wants_stop(void* self);
    static void progress(int step, int steps, float, void* self);
    static void preview_picture(int step, int count, sd_image_t* frames, bool noisy, void* self);
    void on_progress(int step, int steps);
    void choose_preview(std::uint32_t next_step);

    EngineLog& log_;
    image::DrawObserver& observer_;
    Clock::time_point began_ = Clock::now();
    Clock::time_point sampling_began_ = began_;
    Clock::time_point last_step_ = began_;
    std::uint32_t step_ = 0;   // of both passes
    std::uint32_t steps_ = 0;  // of both passes
    std::uint32_t earlier_steps_ = 0;
    std::uint32_t second_pass_steps_ = 0;
    std::uint32_t preview_interval_ = 0;
    preview_t preview_mode_ = PREVIEW_NONE;
    bool stopped_ = false;
};

/// The engine's view of a request; it points into `request`, which must outlive it.
struct EngineRequest {
    /// `upscaler`: path of the model that a second pass may enlarge with.
    EngineRequest(const image::DrawRequest& request, const std::string& upscaler);

    sd_img_gen_params_t parameters{};

private:
    std::string prompt_cache_key_;
    std::vector<sd_image_t> reference_images_;
    std::vector<sd_lora_t> loras_;
};

/// The strength with which the engine makes exactly the steps of a second pass: it lengthens the schedule and takes its end,
/// which comes to one more for some values.
float exact_strength(const image::SecondPass& pass);

/// An engine's picture as ours; takes the pixels' memory from the engine.
image::Picture taken(sd_image_t& picture);

/// A view of our picture for the engine, which does not write to it.
sd_image_t viewed(const image::Picture& picture);

}  // namespace worker::engine::diffusion
