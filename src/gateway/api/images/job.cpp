#include "gateway/api/images/job.hpp"

#include "base/base64.hpp"

namespace gateway::drawing {

const schema::Enum<State>& describe(schema::Type<State>) {
    using enum State;
    static const schema::Enum<State> names({{"queued", queued},
                                            {"in_progress", running},
                                            {"completed", finished},
                                            {"failed", failed},
                                            {"cancelled", cancelled}});
    return names;
}

}  // namespace gateway::drawing

namespace gateway::api::images {

ImageJob to_image_job(const drawing::JobStatus& status, bool with_preview) {
    ImageJob job{
        .id = status.id,
        .created_at = std::chrono::duration_cast<std::chrono::seconds>(status.created.time_since_epoch()).count(),
        .model = status.model.value(),
        .status = status.state,
        .position = static_cast<std::int32_t>(status.position),
        .pictures = static_cast<std::int32_t>(status.pictures),
        .pictures_done = static_cast<std::int32_t>(status.pictures_done),
        .step = static_cast<std::int32_t>(status.step),
        .steps = static_cast<std::int32_t>(status.steps),
        .progress = status.progress,
        .predicted_seconds = status.predicted_seconds,
        .preview = {},
        .error = {}};
    if (with_preview && status.preview)
        job.preview = JobPreview{.b64_json = base::encode_base64(*status.preview)};
    if (status.state == drawing::State::failed)
        job.error = JobFault{.message = status.problem};
    return job;
}

const schema::Object<JobPreview>& describe(schema::Type<JobPreview>) {
    static const auto table =
        schema::Object<JobPreview>("ImageJobPreview", "An unfinished picture.")
            .field("b64_json", &JobPreview::b64_json, {.doc = "A PNG in base64.", .required = true});
    return table;
}

const schema::Object<JobFault>& describe(schema::Type<JobFault>) {
    static const auto table = schema::Object<JobFault>("ImageJobError", "Why a job failed.")
                                  .field("message", &JobFault::message, {.doc = "In words.", .required = true});
    return table;
}

const schema::Object<ImageJob>& describe(schema::Type<ImageJob>) {
    using J = ImageJob;
    static const auto table =
        schema::Object<J>("ImageJob", "Extension: how far a request for pictures is.")
            .constant("object", "image.job")
            .field("id", &J::id, {.doc = "As in the header `x-job-id` of its answer.", .required = true})
            .field("created_at", &J::created_at, {.doc = "Unix time in seconds.", .required = true})
            .field("model", &J::model, {.doc = "Which model draws.", .required = true})
            .field("status", &J::status,
                   {.doc = "`queued`, `in_progress`, `completed`, `failed` or `cancelled`.", .required = true})
            .field("position", &J::position, {.doc = "Jobs that run before it.", .required = true, .minimum = 0})
            .field("pictures", &J::pictures, {.doc = "How many were asked for.", .required = true, .minimum = 1})
            .field("pictures_done", &J::pictures_done, {.doc = "How many are done.", .required = true, .minimum = 0})
            .field("step", &J::step,
                   {.doc = "Finished steps of the picture that is drawn.", .required = true, .minimum = 0})
            .field("steps", &J::steps, {.doc = "All its steps; 0 while unknown.", .required = true, .minimum = 0})
            .field("progress", &J::progress,
                   {.doc = "Share of all steps that are done.", .required = true, .minimum = 0, .maximum = 1})
            .field("predicted_seconds", &J::predicted_seconds,
                   {.doc = "Until its last picture is done, with the jobs before it. Not there while the model has "
                           "drawn nothing to tell from.",
                    .minimum = 0})
            .field("preview", &J::preview, {.doc = "The picture that is drawn, as far as it is."})
            .field("error", &J::error, {.doc = "With `failed`."});
    return table;
}

const schema::Object<ImageJobList>& describe(schema::Type<ImageJobList>) {
    static const auto table = schema::Object<ImageJobList>("ImageJobList", "Extension: image jobs, the oldest first.")
                                  .constant("object", "list")
                                  .field("data", &ImageJobList::data, {.doc = "Without previews.", .required = true});
    return table;
}

const schema::Object<ImageJobQuery>& describe(schema::Type<ImageJobQuery>) {
    static const auto table = schema::Object<ImageJobQuery>("", "").field(
        "preview", &ImageJobQuery::preview, {.doc = "Whether to send the unfinished picture."});
    return table;
}

}  // namespace gateway::api::images
