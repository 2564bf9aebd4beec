#include "gateway/api/images/render.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gateway/api/base64.hpp"
#include "schema/schema.hpp"

namespace gateway::api::images {
namespace {

namespace contract = llm_gateway::engine::v1;

std::string to_size(const contract::ImageDone& done) {
    return fmt::format("{}x{}", done.width(), done.height());
}

template <typename T>
StreamEvent stream_event(const T& event) {
    const schema::Value value = schema::to_json(event);
    return {.name = std::string(value.at("type").as_string()), .data = schema::write_json(value)};
}

}  // namespace

Collector::Collector(std::int64_t created, OutputFormat format, std::size_t pictures)
    : response_{.created = created,
                .data = std::vector<Picture>(pictures),
                .background = "opaque",
                .output_format = format,
                .size = {}} {}

void Collector::add(const backends::Event& event) {
    if (!event.has_image_done())
        return;
    const auto& done = event.image_done();
    if (done.image() >= response_.data.size())
        return;
    response_.data[done.image()] = {.b64_json = encode_base64(done.data()), .seed = done.seed()};
    response_.size = to_size(done);
}

std::optional<Response> Collector::take_response() {
    if (std::ranges::any_of(response_.data, [](const Picture& picture) { return picture.b64_json.empty(); }))
        return std::nullopt;
    return std::move(response_);
}

std::vector<StreamEvent> EventWriter::place_in_line() const {
    const auto job = form_.progress && form_.job ? form_.job() : std::nullopt;
    if (!job)
        return {};
    return {stream_event(Queued{.job_id = job->id,
                                .position = static_cast<std::int32_t>(job->position),
                                .predicted_seconds = job->predicted_seconds})};
}

std::vector<StreamEvent> EventWriter::begin() const {
    return place_in_line();
}

std::vector<StreamEvent> EventWriter::add(const backends::Event& event) {
    switch (event.event_case()) {
        case backends::Event::kQueued: return place_in_line();
        case backends::Event::kImagePreview: {
            const auto& preview = event.image_preview();
            if (partial_.size() <= preview.image())
                partial_.resize(preview.image() + 1);
            std::int32_t& sent = partial_[preview.image()];
            if (sent >= form_.partial_images)
                return {};
            return {stream_event(PartialImage{.b64_json = encode_base64(preview.data()),
                                              .created_at = form_.created,
                                              .size = form_.size,
                                              .quality = "auto",
                                              .background = "opaque",
                                              .output_format = OutputFormat::png,
                                              .partial_image_index = sent++,
                                              .image_index = static_cast<std::int32_t>(preview.image())})};
        }
        case backends::Event::kImageProgress: {
            const auto& progress = event.image_progress();
            if (!form_.progress)
                return {};
            const auto job = form_.job ? form_.job() : std::nullopt;
            return {stream_event(Progress{.image_index = static_cast<std::int32_t>(progress.image()),
                                          .step = static_cast<std::int32_t>(progress.step()),
                                          .steps = static_cast<std::int32_t>(progress.steps()),
                                          .predicted_seconds = job ? job->predicted_seconds : std::nullopt})};
        }
        case backends::Event::kImageDone: {
            const auto& done = event.image_done();
            return {stream_event(Completed{.b64_json = encode_base64(done.data()),
                                           .created_at = form_.created,
                                           .size = to_size(done),
                                           .quality = "auto",
                                           .background = "opaque",
                                           .output_format = form_.format,
                                           .usage = {},
                                           .image_index = static_cast<std::int32_t>(done.image()),
                                           .seed = done.seed()})};
        }
        default: return {};
    }
}

}  // namespace gateway::api::images
