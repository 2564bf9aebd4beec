#include "gateway/api/images/to_job.hpp"

#include <fmt/format.h>

#include <functional>
#include <span>

#include "gateway/api/images/set_options.hpp"
#include "schema/schema.hpp"

namespace gateway::api::images {
namespace {

namespace contract = llm_gateway::engine::v1;
using schema::FaultKind;
using schema::Reading;

const contract::ImageFacts* image_facts(const contract::ModelFacts* facts) {
    return facts != nullptr && facts->has_image() ? &facts->image() : nullptr;
}

/// A job, or the faults that `fill` found.
JobOrFaults filled(const std::function<void(backends::Job&, const Reading&)>& fill) {
    backends::Job job;
    schema::Findings findings;
    fill(job, Reading(findings));
    if (!findings.faults.empty())
        return std::unexpected(std::move(findings.faults));
    return job;
}

/// Models that take pictures as references get all of them so; the others go on from the one they are given. A mask
/// says of the first picture what is to stay, whichever they are.
void set_pictures(std::span<const std::string> pictures, const std::optional<std::string>& mask,
                  const contract::ImageFacts* facts, contract::ImageJob& job, const Reading& reading) {
    const bool as_references = facts != nullptr && facts->max_reference_images() > 0;
    const std::size_t most = as_references ? facts->max_reference_images() : 1;
    if (facts != nullptr && pictures.size() > most)
        return reading.fault(FaultKind::out_of_range,
                             fmt::format("has {} pictures, and this model takes {}", pictures.size(), most));
    if (!as_references || mask)
        job.set_init_image(pictures.front());
    if (mask)
        job.set_mask(*mask);
    for (const std::string& picture : pictures.subspan(as_references ? 0 : 1))
        job.add_reference_images(picture);
}

void set_edit(const EditOptions& options, const contract::ImageFacts* facts, contract::ImageJob& job,
              const Reading& reading) {
    job.set_prompt(options.prompt);
    set_options(options.options, facts, job, reading);
    set_previews(options.streaming, facts, job);
    if (options.strength && job.init_image().empty())
        reading.at("strength").fault(FaultKind::rule, "needs a mask: this model takes pictures as references");
    else if (options.strength)
        job.set_strength(static_cast<float>(*options.strength));
    if (options.image_cfg_scale)
        job.set_image_cfg_scale(static_cast<float>(*options.image_cfg_scale));
}

void set_upscale(const UpscaleOptions& options, const contract::ImageFacts* facts, contract::UpscaleJob& job,
                 const Reading& reading) {
    if (facts != nullptr && !facts->upscaling())
        return reading.at("model").fault(FaultKind::not_allowed, "has no upscaler");
    const std::uint32_t only = facts == nullptr ? 0 : facts->upscale_factor();
    if (options.factor && only > 0 && static_cast<std::uint32_t>(*options.factor) != only)
        reading.at("factor").fault(FaultKind::not_allowed, fmt::format("must be {}, as this upscaler does", only));
    job.set_factor(static_cast<std::uint32_t>(options.factor.value_or(0)));
    set_encoding(options.delivery, *job.mutable_encoding());
}

}  // namespace

JobOrFaults to_job(const Request& request, const contract::ModelFacts* facts) {
    return filled([&](backends::Job& made, const Reading& root) {
        contract::ImageJob& job = *made.mutable_image();
        job.set_prompt(request.prompt);
        set_options(request.options, image_facts(facts), job, root);
        set_previews(request.streaming, image_facts(facts), job);
        if (request.init_image)
            job.set_init_image(to_bytes(*request.init_image, root.at("init_image")));
        if (request.mask)
            job.set_mask(to_bytes(*request.mask, root.at("mask")));
        if (request.strength)
            job.set_strength(static_cast<float>(*request.strength));
    });
}

JobOrFaults to_job(const EditForm& form, const contract::ModelFacts* facts) {
    return filled([&](backends::Job& made, const Reading& root) {
        std::vector<std::string> pictures;
        for (const File& file : form.image)
            pictures.push_back(file.bytes);
        const auto mask = form.mask ? std::optional(form.mask->bytes) : std::nullopt;
        set_pictures(pictures, mask, image_facts(facts), *made.mutable_image(), root.at("image"));
        set_edit(form.options, image_facts(facts), *made.mutable_image(), root);
    });
}

JobOrFaults to_job(const EditBody& body, const contract::ModelFacts* facts) {
    return filled([&](backends::Job& made, const Reading& root) {
        std::vector<std::string> pictures;
        const Reading images = root.at("images");
        for (std::size_t i = 0; i < body.images.size(); ++i) {
            const Reading image = images.at(i);
            pictures.push_back(to_bytes(body.images[i].image_url.value_or(""), image.at("image_url")));
        }
        std::optional<std::string> mask;
        const Reading mask_reading = root.at("mask");
        if (body.mask)
            mask = to_bytes(body.mask->image_url.value_or(""), mask_reading.at("image_url"));
        set_pictures(pictures, mask, image_facts(facts), *made.mutable_image(), images);
        set_edit(body.options, image_facts(facts), *made.mutable_image(), root);
    });
}

JobOrFaults to_job(const VariationForm& form, const contract::ModelFacts* facts) {
    return filled([&](backends::Job& made, const Reading& root) {
        contract::ImageJob& job = *made.mutable_image();
        // Models that take references would be asked to do nothing with them: all go on from the picture.
        job.set_init_image(form.image.bytes);
        set_options(form.options, image_facts(facts), job, root);
        if (form.strength)
            job.set_strength(static_cast<float>(*form.strength));
    });
}

JobOrFaults to_job(const UpscaleForm& form, const contract::ModelFacts* facts) {
    return filled([&](backends::Job& made, const Reading& root) {
        made.mutable_upscale()->set_image(form.image.bytes);
        set_upscale(form.options, image_facts(facts), *made.mutable_upscale(), root);
    });
}

JobOrFaults to_job(const UpscaleBody& body, const contract::ModelFacts* facts) {
    return filled([&](backends::Job& made, const Reading& root) {
        made.mutable_upscale()->set_image(to_bytes(body.image, root.at("image")));
        set_upscale(body.options, image_facts(facts), *made.mutable_upscale(), root);
    });
}

}  // namespace gateway::api::images
