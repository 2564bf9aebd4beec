#pragma once

/// How long pictures of one model take, learnt from those that were drawn: the time of a step depends on the size and on
/// what a step computes, and hardly on anything else. Pure, kept in memory only. Durations are seconds.

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "engine.pb.h"

namespace gateway::drawing {

/// What one picture of a job costs time for, with the model's defaults where the job says nothing.
struct PictureShape {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::uint32_t steps = 0;
    /// Each step evaluates the network with and without the prompt.
    bool guided = false;
    /// A control network runs beside it.
    bool controlled = false;
    std::uint32_t reference_images = 0;
    /// Some steps are left out, in one of several ways.
    std::string step_cache = {};
    /// Pixels of the second pass, 0 without one. `steps` are those of both passes.
    std::uint64_t second_pixels = 0;

    auto operator<=>(const PictureShape&) const = default;
};

/// `facts` are the model's, or null while they are unknown. A size or number that neither of them tells is 0.
PictureShape shape_of(const llm_gateway::engine::v1::ImageJob& job, const llm_gateway::engine::v1::ImageFacts* facts);

class StepTimes {
public:
    /// Not of two passes: their steps differ, and `add_job` learns the mean.
    void add_step(const PictureShape& shape, double step_seconds);
    /// A job of `pictures` has ended well.
    void add_job(const PictureShape& shape, const llm_gateway::engine::v1::Timings& timings, std::uint32_t pictures);

    /// Of one step. For a shape that was never drawn, by the nearest one that was: in proportion to the pixels and to
    /// how often the network is evaluated. Nothing while nothing was drawn.
    std::optional<double> step_seconds(const PictureShape& shape) const;
    /// Of what comes before the first step of a picture and of what comes after the last; 0 while unknown.
    double before_steps(const PictureShape& shape) const;
    double after_steps(const PictureShape& shape) const;

private:
    struct Learnt {
        std::optional<double> step;
        std::optional<double> before;
        std::optional<double> after;
    };

    /// `value` of the shape, or of the nearest one that has it, times what `scale` says.
    template <typename Scale>
    std::optional<double> nearest(const PictureShape& shape, std::optional<double> Learnt::* value, Scale scale) const;

    /// By shape with the steps left out. Bounded: the shape that is first in order leaves.
    std::map<PictureShape, Learnt> learnt_;
};

}  // namespace gateway::drawing
