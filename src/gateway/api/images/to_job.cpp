#include "gateway/api/images/to_job.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "gateway/api/base64.hpp"
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

void set_size(const Request& request, const contract::ImageFacts* facts, contract::ImageJob& job,
              const Reading& reading) {
    const std::string text = request.size.value_or("auto");
    if (text == "auto")
        return;
    const auto size = parse_size(text);
    const std::uint32_t multiple = facts == nullptr ? 1 : std::max(facts->size_multiple(), 1U);
    const auto fits = [&](std::uint32_t side, std::uint32_t most) {
        return side > 0 && side % multiple == 0 && (most == 0 || side <= most);
    };
    if (!size || !fits(size->width, facts == nullptr ? 0 : facts->max_width()) ||
        !fits(size->height, facts == nullptr ? 0 : facts->max_height())) {
        const auto limits = facts == nullptr || facts->max_width() == 0
                                ? std::string("such as \"512x512\"")
                                : fmt::format("each a multiple of {0}, from {0}x{0} to {1}x{2}", multiple,
                                              facts->max_width(), facts->max_height());
        reading.at("size").fault(
            FaultKind::out_of_range,
            fmt::format("must be \"auto\" or WIDTHxHEIGHT, {}, not \"{}\"", limits, text.substr(0, 40)));
        return;
    }
    job.set_width(size->width);
    job.set_height(size->height);
}

template <typename Names>
void check_name(const std::string& name, const Names& names, const Reading& reading) {
    if (names.empty() || std::ranges::find(names, name) != names.end())
        return;
    reading.fault(FaultKind::not_allowed, fmt::format("must be one of {}, not \"{}\"", fmt::join(names, ", "), name));
}

void set_names(const Request& request, const contract::ImageFacts* facts, contract::ImageJob& job,
               const Reading& reading) {
    if (request.sampler) {
        job.set_sampler(*request.sampler);
        if (facts != nullptr)
            check_name(*request.sampler, facts->samplers(), reading.at("sampler"));
    }
    if (request.scheduler) {
        job.set_scheduler(*request.scheduler);
        if (facts != nullptr)
            check_name(*request.scheduler, facts->schedulers(), reading.at("scheduler"));
    }
    const std::vector<Lora> loras = request.loras.value_or(std::vector<Lora>{});
    const Reading list = reading.at("loras");
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

/// The bytes of a picture given as base64 or as a data: URL with base64.
std::string to_bytes(std::string_view text, const Reading& reading) {
    if (text.starts_with("data:")) {
        const auto comma = text.find(',');
        text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    }
    auto bytes = decode_base64(text);
    if (!bytes || bytes->empty()) {
        reading.fault(FaultKind::not_allowed, "must be a picture in base64, or a data: URL with one");
        return {};
    }
    return *std::move(bytes);
}

void set_encoding(const Request& request, contract::ImageEncoding& encoding) {
    switch (request.output_format.value_or(OutputFormat::png)) {
        case OutputFormat::png: encoding.set_format(contract::ImageEncoding::PNG); break;
        case OutputFormat::jpeg: encoding.set_format(contract::ImageEncoding::JPEG); break;
        case OutputFormat::webp: encoding.set_format(contract::ImageEncoding::WEBP); break;
    }
    // In the contract 0 means the worker's default.
    if (request.output_compression)
        encoding.set_quality(static_cast<std::uint32_t>(std::max(*request.output_compression, 1)));
}

void set_previews(const Request& request, const contract::ImageFacts* facts, contract::ImageJob& job) {
    const auto wanted = static_cast<std::uint32_t>(request.partial_images.value_or(0));
    if (wanted == 0)
        return;
    const std::uint32_t default_steps = facts != nullptr && facts->default_steps() > 0 ? facts->default_steps() : 20;
    const std::uint32_t steps = job.has_steps() ? job.steps() : default_steps;
    job.set_preview_interval(std::max(steps / (wanted + 1), 1U));
    job.set_preview_kind(contract::PREVIEW_PROJECTION);
}

}  // namespace

std::expected<backends::Job, schema::Faults> to_job(const Request& request, const contract::ModelFacts* facts) {
    const contract::ImageFacts* image_facts = facts != nullptr && facts->has_image() ? &facts->image() : nullptr;
    backends::Job job;
    contract::ImageJob& image = *job.mutable_image();
    schema::Findings findings;
    const Reading root(findings);

    image.set_prompt(request.prompt);
    image.set_negative_prompt(request.negative_prompt.value_or(""));
    image.set_count(static_cast<std::uint32_t>(request.n.value_or(1)));
    set_size(request, image_facts, image, root);
    set_names(request, image_facts, image, root);
    if (request.steps)
        image.set_steps(static_cast<std::uint32_t>(*request.steps));
    if (request.cfg_scale)
        image.set_cfg_scale(static_cast<float>(*request.cfg_scale));
    if (request.guidance)
        image.set_distilled_guidance(static_cast<float>(*request.guidance));
    if (request.seed && *request.seed >= 0)
        image.set_seed(*request.seed);
    if (request.clip_skip)
        image.set_clip_skip(*request.clip_skip);
    if (request.init_image)
        image.set_init_image(to_bytes(*request.init_image, root.at("init_image")));
    if (request.mask)
        image.set_mask(to_bytes(*request.mask, root.at("mask")));
    if (request.strength)
        image.set_strength(static_cast<float>(*request.strength));
    if (request.eta)
        image.set_eta(static_cast<float>(*request.eta));
    if (request.flow_shift)
        image.set_flow_shift(static_cast<float>(*request.flow_shift));
    image.set_tile_decode(request.tile_decode.value_or(false));
    set_encoding(request, *image.mutable_encoding());
    set_previews(request, image_facts, image);

    if (!findings.faults.empty())
        return std::unexpected(std::move(findings.faults));
    return job;
}

}  // namespace gateway::api::images
