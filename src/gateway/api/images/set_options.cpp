#include "gateway/api/images/set_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "base/base64.hpp"
#include "schema/schema.hpp"

namespace gateway::api::images {
namespace {

namespace contract = llm_gateway::engine::v1;
using schema::FaultKind;
using schema::Reading;

struct Size {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
};

/// "640x384"; nullopt for anything else, also for numbers that are too large to be one.
std::optional<Size> parse_size(std::string_view text) {
    Size size;
    const char* end = text.data() + text.size();
    const auto width = std::from_chars(text.data(), end, size.width);
    if (width.ec != std::errc{} || width.ptr == end || *width.ptr != 'x')
        return std::nullopt;
    const auto height = std::from_chars(width.ptr + 1, end, size.height);
    if (height.ec != std::errc{} || height.ptr != end)
        return std::nullopt;
    return size;
}

/// A size that was asked for, or nothing when it is a fault, or the model's own.
std::optional<Size> checked_size(const std::string& text, const contract::ImageFacts* facts, const Reading& reading) {
    const auto size = parse_size(text);
    const std::uint32_t multiple = facts == nullptr ? 1 : std::max(facts->size_multiple(), 1U);
    const auto fits = [&](std::uint32_t side, std::uint32_t most) {
        return side > 0 && side % multiple == 0 && (most == 0 || side <= most);
    };
    if (size && fits(size->width, facts == nullptr ? 0 : facts->max_width()) &&
        fits(size->height, facts == nullptr ? 0 : facts->max_height()))
        return size;
    const auto limits = facts == nullptr || facts->max_width() == 0
                            ? std::string("such as \"512x512\"")
                            : fmt::format("each a multiple of {0}, from {0}x{0} to {1}x{2}", multiple,
                                          facts->max_width(), facts->max_height());
    reading.fault(FaultKind::out_of_range,
                  fmt::format("must be \"auto\" or WIDTHxHEIGHT, {}, not \"{}\"", limits, text.substr(0, 40)));
    return std::nullopt;
}

template <typename Names>
void check_name(const std::string& name, const Names& names, const Reading& reading) {
    if (names.empty() || std::ranges::find(names, name) != names.end())
        return;
    reading.fault(FaultKind::not_allowed, fmt::format("must be one of {}, not \"{}\"", fmt::join(names, ", "), name));
}

/// `known` of a model that says what it has; without facts the worker decides.
template <typename Names>
void check_known(const std::string& name, const contract::ImageFacts* facts,
                 const Names& (contract::ImageFacts::*known)() const, const Reading& reading) {
    if (facts != nullptr)
        check_name(name, (facts->*known)(), reading);
}

void set_names(const Options& options, const contract::ImageFacts* facts, contract::ImageJob& job,
               const Reading& reading) {
    using Facts = contract::ImageFacts;
    if (options.sampler) {
        job.set_sampler(*options.sampler);
        check_known(*options.sampler, facts, &Facts::samplers, reading.at("sampler"));
    }
    if (options.scheduler) {
        job.set_scheduler(*options.scheduler);
        check_known(*options.scheduler, facts, &Facts::schedulers, reading.at("scheduler"));
    }
    if (options.step_cache) {
        job.set_step_cache(*options.step_cache);
        if (facts != nullptr && facts->step_caches().empty())
            reading.at("step_cache").fault(FaultKind::not_allowed, "is not there: this model has no step caches");
        check_known(*options.step_cache, facts, &Facts::step_caches, reading.at("step_cache"));
    }
}

void set_loras(const std::vector<Lora>& loras, const contract::ImageFacts* facts, contract::ImageJob& job,
               const Reading& list) {
    for (std::size_t i = 0; i < loras.size(); ++i) {
        auto* added = job.add_loras();
        added->set_name(loras[i].name);
        added->set_scale(static_cast<float>(loras[i].scale));
        if (facts != nullptr && std::ranges::find(facts->loras(), loras[i].name) == facts->loras().end()) {
            const Reading lora = list.at(i);
            lora.at("name").fault(FaultKind::not_allowed,
                                  facts->loras().empty()
                                      ? std::string("is not there: this model has no LoRAs")
                                      : fmt::format("must be one of {}", fmt::join(facts->loras(), ", ")));
        }
    }
}

void set_hires(const Hires& hires, const contract::ImageFacts* facts, contract::Hires& job, const Reading& reading) {
    if (facts != nullptr && facts->hires_upscalers().empty())
        return reading.fault(FaultKind::not_allowed, "cannot be done with this model");
    if (hires.scale)
        job.set_scale(static_cast<float>(*hires.scale));
    if (hires.size)
        if (const auto size = checked_size(*hires.size, facts, reading.at("size"))) {
            job.set_width(size->width);
            job.set_height(size->height);
        }
    if (hires.upscaler) {
        job.set_upscaler(*hires.upscaler);
        check_known(*hires.upscaler, facts, &contract::ImageFacts::hires_upscalers, reading.at("upscaler"));
    }
    if (hires.steps)
        job.set_steps(static_cast<std::uint32_t>(*hires.steps));
    if (hires.strength)
        job.set_strength(static_cast<float>(*hires.strength));
}

}  // namespace

std::string to_bytes(std::string_view text, const Reading& reading) {
    if (text.starts_with("data:")) {
        const auto comma = text.find(',');
        text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    }
    auto bytes = base::decode_base64(text);
    if (!bytes || bytes->empty()) {
        reading.fault(FaultKind::not_allowed, "must be a picture in base64, or a data: URL with one");
        return {};
    }
    return *std::move(bytes);
}

void set_encoding(const Delivery& delivery, contract::ImageEncoding& encoding) {
    switch (delivery.output_format.value_or(OutputFormat::png)) {
        case OutputFormat::png: encoding.set_format(contract::ImageEncoding::PNG); break;
        case OutputFormat::jpeg: encoding.set_format(contract::ImageEncoding::JPEG); break;
        case OutputFormat::webp: encoding.set_format(contract::ImageEncoding::WEBP); break;
    }
    // In the contract 0 means the worker's default.
    if (delivery.output_compression)
        encoding.set_quality(static_cast<std::uint32_t>(std::max(*delivery.output_compression, 1)));
}

void set_previews(const Streaming& streaming, const contract::ImageFacts* facts, contract::ImageJob& job) {
    const auto wanted = static_cast<std::uint32_t>(streaming.partial_images.value_or(0));
    if (wanted == 0)
        return;
    const std::uint32_t default_steps = facts != nullptr && facts->default_steps() > 0 ? facts->default_steps() : 20;
    const std::uint32_t steps = job.has_steps() ? job.steps() : default_steps;
    job.set_preview_interval(std::max(steps / (wanted + 1), 1U));
    job.set_preview_kind(contract::PREVIEW_PROJECTION);
}

void set_options(const Options& options, const contract::ImageFacts* facts, contract::ImageJob& job,
                 const Reading& reading) {
    job.set_negative_prompt(options.negative_prompt.value_or(""));
    job.set_count(static_cast<std::uint32_t>(options.n.value_or(1)));
    if (const std::string size = options.size.value_or("auto"); size != "auto")
        if (const auto checked = checked_size(size, facts, reading.at("size"))) {
            job.set_width(checked->width);
            job.set_height(checked->height);
        }
    set_names(options, facts, job, reading);
    if (options.loras)
        set_loras(*options.loras, facts, job, reading.at("loras"));
    if (options.steps)
        job.set_steps(static_cast<std::uint32_t>(*options.steps));
    if (options.cfg_scale)
        job.set_cfg_scale(static_cast<float>(*options.cfg_scale));
    if (options.guidance)
        job.set_distilled_guidance(static_cast<float>(*options.guidance));
    if (options.seed && *options.seed >= 0)
        job.set_seed(*options.seed);
    if (options.clip_skip)
        job.set_clip_skip(*options.clip_skip);
    if (options.eta)
        job.set_eta(static_cast<float>(*options.eta));
    if (options.flow_shift)
        job.set_flow_shift(static_cast<float>(*options.flow_shift));
    job.set_tile_decode(options.tile_decode.value_or(false));
    if (options.step_cache_threshold)
        job.set_step_cache_threshold(static_cast<float>(*options.step_cache_threshold));
    if (options.hires)
        set_hires(*options.hires, facts, *job.mutable_hires(), reading.at("hires"));
    set_encoding(options.delivery, *job.mutable_encoding());
}

}  // namespace gateway::api::images
