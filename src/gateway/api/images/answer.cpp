// Tables of the answers.
#include "gateway/api/images/types.hpp"

namespace gateway::api::images {

const schema::Object<Picture>& describe(schema::Type<Picture>) {
    static const auto table =
        schema::Object<Picture>("Image", "A picture.")
            .field("b64_json", &Picture::b64_json, {.doc = "The file in base64."})
            .field("url", &Picture::url,
                   {.doc = "Instead, with `response_format: \"url\"`: where the file is for a while."})
            .field("seed", &Picture::seed,
                   {.doc = "Extension: gives this picture again. Absent where a picture was only enlarged."});
    return table;
}

const schema::Object<Response>& describe(schema::Type<Response>) {
    static const auto table =
        schema::Object<Response>("ImagesResponse", "The pictures.")
            .field("created", &Response::created, {.doc = "Unix time in seconds.", .required = true})
            .field("data", &Response::data, {.doc = "As many as asked for.", .required = true})
            .field("background", &Response::background, {.doc = "Always `opaque`.", .required = true})
            .field("output_format", &Response::output_format, {.doc = "Kind of file.", .required = true})
            .field("size", &Response::size, {.doc = "`WIDTHxHEIGHT`.", .required = true, .example = "512x512"});
    return table;
}

const schema::Object<UsageDetails>& describe(schema::Type<UsageDetails>) {
    static const auto table =
        schema::Object<UsageDetails>("ImageUsageDetails", "What went in.")
            .field("text_tokens", &UsageDetails::text_tokens, {.doc = "Always 0.", .required = true})
            .field("image_tokens", &UsageDetails::image_tokens, {.doc = "Always 0.", .required = true});
    return table;
}

const schema::Object<Usage>& describe(schema::Type<Usage>) {
    static const auto table =
        schema::Object<Usage>("ImageUsage", "Always 0: these pictures are not made of tokens.")
            .field("input_tokens", &Usage::input_tokens, {.doc = "Always 0.", .required = true})
            .field("output_tokens", &Usage::output_tokens, {.doc = "Always 0.", .required = true})
            .field("total_tokens", &Usage::total_tokens, {.doc = "Always 0.", .required = true})
            .field("input_tokens_details", &Usage::input_tokens_details, {.doc = "What went in.", .required = true});
    return table;
}

const schema::Object<UnfinishedPicture>& describe(schema::Type<UnfinishedPicture>) {
    using T = UnfinishedPicture;
    static const auto table =
        schema::Object<T>("", "")
            .field("b64_json", &T::b64_json, {.doc = "A PNG in base64, of the final size.", .required = true})
            .field("created_at", &T::created_at, {.doc = "Unix time in seconds.", .required = true})
            .field("size", &T::size, {.doc = "What was asked for: `WIDTHxHEIGHT` or `auto`.", .required = true})
            .field("quality", &T::quality, {.doc = "Always `auto`.", .required = true})
            .field("background", &T::background, {.doc = "Always `opaque`.", .required = true})
            .field("output_format", &T::output_format, {.doc = "Kind of file: always `png` here.", .required = true})
            .field("partial_image_index", &T::partial_image_index, {.doc = "From 0.", .required = true, .minimum = 0})
            .field("image_index", &T::image_index,
                   {.doc = "Extension: which of the pictures, from 0.", .required = true, .minimum = 0});
    return table;
}

const schema::Object<CompletedPicture>& describe(schema::Type<CompletedPicture>) {
    using T = CompletedPicture;
    static const auto table =
        schema::Object<T>("", "")
            .field("b64_json", &T::b64_json, {.doc = "The file in base64.", .required = true})
            .field("created_at", &T::created_at, {.doc = "Unix time in seconds.", .required = true})
            .field("size", &T::size, {.doc = "`WIDTHxHEIGHT`.", .required = true, .example = "512x512"})
            .field("quality", &T::quality, {.doc = "Always `auto`.", .required = true})
            .field("background", &T::background, {.doc = "Always `opaque`.", .required = true})
            .field("output_format", &T::output_format, {.doc = "Kind of file.", .required = true})
            .field("usage", &T::usage, {.doc = "Token counts.", .required = true})
            .field("image_index", &T::image_index,
                   {.doc = "Extension: which of the pictures, from 0.", .required = true, .minimum = 0})
            .field("seed", &T::seed, {.doc = "Extension: gives this picture again.", .required = true});
    return table;
}

const schema::Object<Place>& describe(schema::Type<Place>) {
    static const auto table =
        schema::Object<Place>("", "")
            .field("job_id", &Place::job_id, {.doc = "For `/v1/images/jobs`.", .required = true})
            .field("position", &Place::position, {.doc = "Jobs that run before it.", .required = true, .minimum = 0})
            .field("predicted_seconds", &Place::predicted_seconds,
                   {.doc = "Until the last picture is done, once the model has drawn something to tell from.",
                    .minimum = 0});
    return table;
}

const schema::Object<Step>& describe(schema::Type<Step>) {
    static const auto table =
        schema::Object<Step>("", "")
            .field("image_index", &Step::image_index,
                   {.doc = "Which of the pictures, from 0.", .required = true, .minimum = 0})
            .field("step", &Step::step, {.doc = "Finished steps.", .required = true, .minimum = 0})
            .field("steps", &Step::steps, {.doc = "All steps.", .required = true, .minimum = 0})
            .field("predicted_seconds", &Step::predicted_seconds,
                   {.doc = "Until the last picture is done.", .minimum = 0});
    return table;
}

const schema::Object<PartialImage>& describe(schema::Type<PartialImage>) {
    static const auto table = schema::Object<PartialImage>("ImageGenPartialImageEvent", "An unfinished picture.")
                                  .constant("type", "image_generation.partial_image")
                                  .include(&PartialImage::picture);
    return table;
}

const schema::Object<Completed>& describe(schema::Type<Completed>) {
    static const auto table = schema::Object<Completed>("ImageGenCompletedEvent", "A finished picture.")
                                  .constant("type", "image_generation.completed")
                                  .include(&Completed::picture);
    return table;
}

const schema::Object<Queued>& describe(schema::Type<Queued>) {
    static const auto table =
        schema::Object<Queued>(
            "ImageGenQueuedEvent",
            "Extension: where a request stands in the line, at first and whenever that changes; with "
            "`return_progress` only.")
            .constant("type", "image_generation.queued")
            .include(&Queued::place);
    return table;
}

const schema::Object<Progress>& describe(schema::Type<Progress>) {
    static const auto table = schema::Object<Progress>("ImageGenProgressEvent",
                                                       "Extension: how far a picture is; with `return_progress` only.")
                                  .constant("type", "image_generation.progress")
                                  .include(&Progress::step);
    return table;
}

const schema::Object<EditPartialImage>& describe(schema::Type<EditPartialImage>) {
    static const auto table = schema::Object<EditPartialImage>("ImageEditPartialImageEvent", "An unfinished picture.")
                                  .constant("type", "image_edit.partial_image")
                                  .include(&EditPartialImage::picture);
    return table;
}

const schema::Object<EditCompleted>& describe(schema::Type<EditCompleted>) {
    static const auto table = schema::Object<EditCompleted>("ImageEditCompletedEvent", "A finished picture.")
                                  .constant("type", "image_edit.completed")
                                  .include(&EditCompleted::picture);
    return table;
}

const schema::Object<EditQueued>& describe(schema::Type<EditQueued>) {
    static const auto table =
        schema::Object<EditQueued>(
            "ImageEditQueuedEvent",
            "Extension: where a request stands in the line, at first and whenever that changes; with "
            "`return_progress` only.")
            .constant("type", "image_edit.queued")
            .include(&EditQueued::place);
    return table;
}

const schema::Object<EditProgress>& describe(schema::Type<EditProgress>) {
    static const auto table =
        schema::Object<EditProgress>("ImageEditProgressEvent",
                                     "Extension: how far a picture is; with `return_progress` only.")
            .constant("type", "image_edit.progress")
            .include(&EditProgress::step);
    return table;
}

}  // namespace gateway::api::images
