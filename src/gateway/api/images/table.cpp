#include "gateway/api/images/table.hpp"

#include "gateway/api/error_body.hpp"
#include "gateway/api/form_body.hpp"
#include "gateway/api/images/edits.hpp"
#include "gateway/api/images/endpoint.hpp"
#include "gateway/api/images/examples.hpp"
#include "gateway/api/images/files.hpp"
#include "gateway/api/images/types.hpp"
#include "gateway/api/query.hpp"

namespace gateway::api::images {
namespace {

using http::Method;

const std::vector<int> job_errors{400, 401, 404, 408, 413, 415, 429, 499, 500, 503, 504};

template <auto answer>
std::function<http::Handler(const Services&)> answered_by() {
    return [](const Services& services) -> http::Handler {
        return [services](http::Exchange& exchange) { return answer(exchange, services); };
    };
}

}  // namespace

std::vector<Endpoint> make_picture_endpoints() {
    return {
        {.method = Method::post,
         .path = "/v1/images/edits",
         .id = "createImageEdit",
         .tag = "Images",
         .summary = "Change a picture",
         .doc = "Takes OpenAI's request, as a form or as JSON, with the extensions of `POST /v1/images/generations`. "
                "Pictures are PNG, JPEG or WebP of any size; how a camera was held is seen to. A model that takes "
                "pictures as references gets all of them, another goes on from the one it is given; with a mask it "
                "draws only what the mask says. Streams begin and fail as those of generations.",
         .body = json<EditBody>(edit_examples()),
         .other_bodies = {form<EditForm>(edit_form_examples())},
         .draws = true,
         .answers = {{200,
                      "The pictures, or with `stream` the events on the way to them.",
                      {json<Response>(),
                       event_stream("ImageEditStreamEvent",
                                    "The event's name is the `type` in its data. One `image_edit.completed` for each "
                                    "picture. A fault is an error without a name, and the last event.",
                                    {named<EditPartialImage>(), named<EditCompleted>(), named<EditQueued>(),
                                     named<EditProgress>(), unnamed<ErrorBody>()},
                                    edit_stream_examples())}}},
         .errors = job_errors,
         .handler = answered_by<&edit>()},
        {.method = Method::post,
         .path = "/v1/images/variations",
         .id = "createImageVariation",
         .tag = "Images",
         .summary = "Draw pictures like a picture",
         .doc = "Takes OpenAI's form with the extensions of `POST /v1/images/generations`. Goes on from the picture, "
                "without a prompt.",
         .body = form<VariationForm>(variation_examples()),
         .draws = true,
         .answers = {{200, "The pictures.", {json<Response>()}}},
         .errors = job_errors,
         .handler = answered_by<&vary>()},
        {.method = Method::post,
         .path = "/v1/images/upscale",
         .id = "upscaleImage",
         .tag = "Images",
         .summary = "Enlarge a picture",
         .doc = "Extension. For models with an upscaler, such as Real-ESRGAN.",
         .body = json<UpscaleBody>(upscale_examples()),
         .other_bodies = {form<UpscaleForm>(upscale_form_examples())},
         .draws = true,
         .answers = {{200, "The picture.", {json<Response>()}}},
         .errors = job_errors,
         .handler = answered_by<&upscale>()},
        {.method = Method::get,
         .path = "/v1/images/files/{file}",
         .id = "getImageFile",
         .tag = "Images",
         .summary = "A picture by its address",
         .doc = "Extension. What an answer with `response_format: \"url\"` leads to. The address is enough, without a "
                "key, until the time in it is over.",
         .access = http::Access::open,
         .query = query_of<FileQuery>(),
         .answers = {{200,
                      "The file.",
                      {{.media_type = "image/png"}, {.media_type = "image/jpeg"}, {.media_type = "image/webp"}}}},
         .errors = {400, 404, 429, 500},
         .handler = answered_by<&send_file>()}};
}

}  // namespace gateway::api::images
