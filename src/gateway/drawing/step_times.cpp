#include "gateway/drawing/step_times.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gateway::drawing {

namespace engine = llm_gateway::engine::v1;

namespace {

/// Far more than anybody asks for; clients choose sizes freely.
constexpr std::size_t most_shapes = 256;
/// Follows a change of the machine's load within a few steps, and a single slow step moves it little.
constexpr double weight_of_the_newest = 0.3;

void learn(std::optional<double>& mean, double value) {
    if (std::isfinite(value) && value >= 0)
        mean = mean ? *mean + weight_of_the_newest * (value - *mean) : value;
}

double pixels(const PictureShape& shape) {
    return std::max(static_cast<double>(shape.width) * shape.height, 1.0);
}

/// What a step computes, in evaluated pixels; of two passes the mean, as if both had as many steps.
double step_work(const PictureShape& shape) {
    const auto second = static_cast<double>(shape.second_pixels);
    const double drawn = second > 0 ? (pixels(shape) + second) / 2 : pixels(shape);
    const double seen = drawn * (1 + shape.reference_images);
    return seen * (shape.guided ? 2 : 1) * (shape.controlled ? 1.5 : 1);
}

PictureShape without_steps(PictureShape shape) {
    shape.steps = 0;
    return shape;
}

}  // namespace

PictureShape shape_of(const engine::ImageJob& job, const engine::ImageFacts* facts) {
    static const engine::ImageFacts unknown;
    const engine::ImageFacts& known = facts == nullptr ? unknown : *facts;
    PictureShape shape{.width = job.width() > 0 ? job.width() : known.default_width(),
                       .height = job.height() > 0 ? job.height() : known.default_height(),
                       .steps = job.has_steps() ? job.steps() : known.default_steps(),
                       .guided = (job.has_cfg_scale() ? job.cfg_scale() : known.default_cfg_scale()) > 1,
                       .controlled = !job.control_image().empty(),
                       .reference_images = static_cast<std::uint32_t>(job.reference_images_size())};
    // Image to image begins in the middle of the schedule.
    if (!job.init_image().empty() && shape.steps > 0) {
        const double strength = std::clamp(job.has_strength() ? double{job.strength()} : 0.75, 0.0, 1.0);
        shape.steps = static_cast<std::uint32_t>(std::max(std::round(shape.steps * strength), 1.0));
    }
    shape.step_cache = job.step_cache();
    if (job.has_hires()) {
        const auto& hires = job.hires();
        const double scale = hires.scale() > 0 ? hires.scale() : 2;
        shape.second_pixels = hires.width() > 0 ? std::uint64_t{hires.width()} * hires.height()
                                                : static_cast<std::uint64_t>(pixels(shape) * scale * scale);
        const double strength = std::clamp(hires.has_strength() ? double{hires.strength()} : 0.7, 0.0, 1.0);
        const std::uint32_t second = hires.steps() > 0 ? hires.steps() : shape.steps;
        shape.steps += static_cast<std::uint32_t>(std::max(std::round(second * strength), 1.0));
    }
    return shape;
}

void StepTimes::add_step(const PictureShape& shape, double step_seconds) {
    if (shape.second_pixels > 0)
        return;
    learn(learnt_[without_steps(shape)].step, step_seconds);
    if (learnt_.size() > most_shapes)
        learnt_.erase(learnt_.begin());
}

void StepTimes::add_job(const PictureShape& shape, const engine::Timings& timings, std::uint32_t pictures) {
    Learnt& learnt = learnt_[without_steps(shape)];
    const double count = std::max(pictures, 1U);
    learn(learnt.before, timings.encode_seconds() / count);
    learn(learnt.after, timings.decode_seconds() / count);
    if (shape.second_pixels > 0 && shape.steps > 0)
        learn(learnt.step, timings.sampling_seconds() / (count * shape.steps));
    if (learnt_.size() > most_shapes)
        learnt_.erase(learnt_.begin());
}

template <typename Scale>
std::optional<double> StepTimes::nearest(const PictureShape& shape, std::optional<double> Learnt::* value,
                                         Scale scale) const {
    std::optional<double> found;
    double smallest_distance = std::numeric_limits<double>::infinity();
    for (const auto& [known, learnt] : learnt_) {
        const auto& seconds = learnt.*value;
        const double distance = std::abs(std::log(step_work(shape) / step_work(known)));
        if (seconds && distance < smallest_distance) {
            smallest_distance = distance;
            found = *seconds * scale(known);
        }
    }
    return found;
}

std::optional<double> StepTimes::step_seconds(const PictureShape& shape) const {
    if (const auto same = learnt_.find(without_steps(shape)); same != learnt_.end() && same->second.step)
        return same->second.step;
    return nearest(shape, &Learnt::step,
                   [&](const PictureShape& known) { return step_work(shape) / step_work(known); });
}

double StepTimes::before_steps(const PictureShape& shape) const {
    // The prompt takes as long for every size.
    return nearest(shape, &Learnt::before, [](const PictureShape&) { return 1.0; }).value_or(0);
}

double StepTimes::after_steps(const PictureShape& shape) const {
    return nearest(shape, &Learnt::after, [&](const PictureShape& known) { return pixels(shape) / pixels(known); })
        .value_or(0);
}

}  // namespace gateway::drawing
