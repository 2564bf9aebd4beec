#include "gateway/api/images/render.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/base64.hpp"
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

/// The event as that of a generation or of an edit.
template <typename Generation, typename Edit, typename Content>
StreamEvent stream_event(StreamForm::Of of, Content content) {
    return of == StreamForm::Of::edit ? stream_event(Edit{std::move(content)})
                                      : stream_event(Generation{std::move(content)});
}

}  // namespace

void Collector::add(const backends::Event& event) {
    if (!event.has_image_done())
        return;
    const auto& done = event.image_done();
    if (done.image() >= collected_.pictures.size())
        return;
    collected_.pictures[done.image()] = {.bytes = done.data(), .media_type = done.media_type(), .seed = done.seed()};
    collected_.size = to_size(done);
}

std::optional<FinishedPictures> Collector::take() {
    if (std::ranges::any_of(collected_.pictures, [](const FinishedPicture& one) { return one.bytes.empty(); }))
        return std::nullopt;
    return std::move(collected_);
}

Response to_response(FinishedPictures finished, const std::vector<std::string>& addresses, std::int64_t created,
                     OutputFormat format, Seeds seeds) {
    Response response{.created = created,
                      .data = {},
                      .background = "opaque",
                      .output_format = format,
                      .size = std::move(finished.size)};
    for (std::size_t i = 0; i < finished.pictures.size(); ++i) {
        Picture& picture = response.data.emplace_back();
        if (addresses.empty())
            picture.b64_json = base::encode_base64(std::exchange(finished.pictures[i].bytes, {}));
        else
            picture.url = addresses.at(i);
        if (seeds == Seeds::shown)
            picture.seed = finished.pictures[i].seed;
    }
    return response;
}

std::vector<StreamEvent> EventWriter::place_in_line() const {
    const auto job = form_.progress && form_.job ? form_.job() : std::nullopt;
    if (!job)
        return {};
    return {stream_event<Queued, EditQueued>(form_.of, Place{.job_id = job->id,
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
            return {stream_event<PartialImage, EditPartialImage>(
                form_.of, UnfinishedPicture{.b64_json = base::encode_base64(preview.data()),
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
            return {stream_event<Progress, EditProgress>(
                form_.of, Step{.image_index = static_cast<std::int32_t>(progress.image()),
                               .step = static_cast<std::int32_t>(progress.step()),
                               .steps = static_cast<std::int32_t>(progress.steps()),
                               .predicted_seconds = job ? job->predicted_seconds : std::nullopt})};
        }
        case backends::Event::kImageDone: {
            const auto& done = event.image_done();
            return {stream_event<Completed, EditCompleted>(
                form_.of, CompletedPicture{.b64_json = base::encode_base64(done.data()),
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
