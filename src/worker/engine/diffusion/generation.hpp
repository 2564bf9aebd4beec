#pragma once

/// One call of the engine's `generate_image`: from a DrawRequest to the engine's parameters and callbacks, and back.

#include <stable-diffusion.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <vector>

#include "worker/engine/diffusion/engine_log.hpp"
#include "worker/image/picture_engine.hpp"

namespace worker::engine::diffusion {

/// Thrown through the engine from its progress callback: the one way to stop it. The engine is C++ and holds its state
/// in objects, so this leaves it usable (the tests stop a drawing and draw again).
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

    /// How long each phase took; call when the work has ended.
    image::DrawTimings timings() const;
    bool stopped() const { return stopped_; }

private:
    using Clock = std::chrono::steady_clock;

    static void progress(int step, int steps, float, void* self);
    static void preview_picture(int step, int count, sd_image_t* frames, bool noisy, void* self);
    void on_progress(int step, int steps);
    void choose_preview(std::uint32_t next_step);

    EngineLog& log_;
    image::DrawObserver& observer_;
    Clock::time_point began_ = Clock::now();
    Clock::time_point sampling_began_ = began_;
    Clock::time_point last_step_ = began_;
    std::uint32_t step_ = 0;
    std::uint32_t steps_ = 0;
    std::uint32_t preview_interval_ = 0;
    preview_t preview_mode_ = PREVIEW_NONE;
    bool stopped_ = false;
};

/// The engine's view of a request; it points into `request`, which must outlive it.
struct EngineRequest {
    explicit EngineRequest(const image::DrawRequest& request);

    sd_img_gen_params_t parameters{};

private:
    std::vector<sd_image_t> reference_images_;
    std::vector<sd_lora_t> loras_;
};

/// An engine's picture as ours; takes the pixels' memory from the engine.
image::Picture taken(sd_image_t& picture);

/// A view of our picture for the engine, which does not write to it.
sd_image_t viewed(const image::Picture& picture);

}  // namespace worker::engine::diffusion
