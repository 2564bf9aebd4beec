#include "gateway/api/a1111/table.hpp"

#include "gateway/api/a1111/answers.hpp"
#include "gateway/api/a1111/endpoint.hpp"
#include "gateway/api/a1111/examples.hpp"
#include "gateway/api/a1111/types.hpp"
#include "gateway/api/query.hpp"

namespace gateway::api::a1111 {
namespace {

using http::Method;

constexpr const char* tag = "AUTOMATIC1111";
const std::vector<int> job_errors{400, 401, 404, 408, 413, 415, 429, 499, 500, 503, 504};
const std::vector<int> body_errors{400, 401, 404, 408, 413, 415, 500};
const std::vector<int> lookup_errors{400, 401, 500};

using Answering = http::asio::awaitable<void> (*)(http::Exchange&, const Services&);

std::function<http::Handler(const Services&)> handled_by(Answering answer) {
    return [answer](const Services& services) {
        return [answer, services](http::Exchange& exchange) { return answer(exchange, services); };
    };
}

template <typename Item>
Endpoint list_of(const char* path, const char* id, const char* summary, Answering answer) {
    return {.method = Method::get,
            .path = path,
            .id = id,
            .tag = tag,
            .summary = summary,
            .answers = {{200, "All of them.", {json<std::vector<Item>>()}}},
            .errors = {401},
            .handler = handled_by(answer)};
}

Endpoint stop_at(const char* path, const char* id) {
    return {.method = Method::post,
            .path = path,
            .id = id,
            .tag = tag,
            .summary = "Stop what is drawn",
            .doc =
                "For the client who asks. The request that waits for it gets the pictures that are done, and the one "
                "that is not, as far as it is. `skip` ends the whole request, as `interrupt` does.",
            .answers = {{200, "It stops within one step.", {json<Nothing>()}}},
            .errors = lookup_errors,
            .handler = handled_by(&interrupt)};
}

}  // namespace

std::vector<Endpoint> make_endpoints() {
    return {
        {.method = Method::post,
         .path = "/sdapi/v1/txt2img",
         .id = "a1111Txt2Img",
         .tag = tag,
         .summary = "Draw pictures",
         .doc =
             "Runs the same jobs as `/v1/images/generations`. What clients send without a meaning here is accepted and "
             "listed in the header `x-ignored-fields`; what would change the picture and cannot be done is refused by "
             "name.",
         .body = json<Txt2ImgRequest>(txt2img_examples()),
         .draws = true,
         .answers = {{200, "The pictures.", {json<ImagesAnswer>()}}},
         .errors = job_errors,
         .handler = handled_by(&txt2img)},
        {.method = Method::post,
         .path = "/sdapi/v1/img2img",
         .id = "a1111Img2Img",
         .tag = tag,
         .summary = "Draw pictures from a picture",
         .doc = "As `txt2img`.",
         .body = json<Img2ImgRequest>(img2img_examples()),
         .draws = true,
         .answers = {{200, "The pictures.", {json<ImagesAnswer>()}}},
         .errors = job_errors,
         .handler = handled_by(&img2img)},
        {.method = Method::post,
         .path = "/sdapi/v1/extra-single-image",
         .id = "a1111ExtraSingleImage",
         .tag = tag,
         .summary = "Enlarge a picture",
         .body = json<ExtraSingleImageRequest>(extra_examples()),
         .draws = true,
         .answers = {{200, "The larger picture.", {json<ExtraAnswer>()}}},
         .errors = job_errors,
         .handler = handled_by(&extra_single_image)},
        {.method = Method::post,
         .path = "/sdapi/v1/png-info",
         .id = "a1111PngInfo",
         .tag = tag,
         .summary = "Read the settings that a PNG keeps",
         .body = json<PngInfoRequest>(png_info_examples()),
         .answers = {{200, "The settings.", {json<PngInfo>()}}},
         .errors = body_errors,
         .handler = handled_by(&png_info)},
        {.method = Method::get,
         .path = "/sdapi/v1/progress",
         .id = "a1111Progress",
         .tag = tag,
         .summary = "Show how far the job is",
         .doc = "That of the client who asks: what is drawn, or else what will be next.",
         .query = query_of<ProgressQuery>(),
         .answers = {{200, "How far.", {json<Progress>()}}},
         .errors = lookup_errors,
         .handler = handled_by(&progress)},
        stop_at("/sdapi/v1/interrupt", "a1111Interrupt"),
        stop_at("/sdapi/v1/skip", "a1111Skip"),
        {.method = Method::get,
         .path = "/sdapi/v1/options",
         .id = "a1111GetOptions",
         .tag = tag,
         .summary = "Show the settings",
         .answers = {{200, "Those that have a meaning here.", {json<Options>()}}},
         .errors = {401},
         .handler = handled_by(&get_options)},
        {.method = Method::post,
         .path = "/sdapi/v1/options",
         .id = "a1111SetOptions",
         .tag = tag,
         .summary = "Change the settings",
         .doc =
             "Of the client who asks, for its requests here, until the server ends. Other settings have no effect and "
             "are listed in the header `x-ignored-fields`.",
         .body = json<Settings>(options_examples()),
         .answers = {{200, "They are changed.", {json<Nothing>()}}},
         .errors = body_errors,
         .handler = handled_by(&set_options)},
        list_of<Sampler>("/sdapi/v1/samplers", "a1111Samplers", "List the samplers", &list_samplers),
        list_of<Scheduler>("/sdapi/v1/schedulers", "a1111Schedulers", "List the schedulers", &list_schedulers),
        list_of<Checkpoint>("/sdapi/v1/sd-models", "a1111Models", "List the image models", &list_models),
        list_of<Upscaler>("/sdapi/v1/upscalers", "a1111Upscalers", "List the models that enlarge", &list_upscalers),
        list_of<std::string>("/sdapi/v1/sd-vae", "a1111Autoencoders", "List the autoencoders to choose from: none",
                             &list_none),
        list_of<LatentMode>("/sdapi/v1/latent-upscale-modes", "a1111LatentUpscaleModes",
                            "List what enlarges a picture between two passes", &list_latent_modes),
        list_of<std::string>("/sdapi/v1/prompt-styles", "a1111PromptStyles", "List the styles: none", &list_none),
        list_of<std::string>("/sdapi/v1/hypernetworks", "a1111Hypernetworks", "List the hypernetworks: none",
                             &list_none),
        list_of<std::string>("/sdapi/v1/face-restorers", "a1111FaceRestorers", "List the face restorers: none",
                             &list_none),
        {.method = Method::get,
         .path = "/sdapi/v1/scripts",
         .id = "a1111Scripts",
         .tag = tag,
         .summary = "List the scripts: none",
         .answers = {{200, "None.", {json<Scripts>()}}},
         .errors = {401},
         .handler = handled_by(&list_scripts)},
        list_of<LoraItem>("/sdapi/v1/loras", "a1111Loras", "List the LoRA adapters", &list_loras),
    };
}

}  // namespace gateway::api::a1111
