#include "gateway/api/a1111/examples.hpp"

#include <boost/json/parse.hpp>
#include <map>

namespace gateway::api::a1111 {
namespace {

using boost::json::array;
using boost::json::object;

/// 64 x 64, grey.
constexpr const char* picture =
    "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAS0lEQVR42u3PMQ0AAAwDoEqv9ErYvQQckD4XAQEBAQEBAQEB"
    "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAYHLAB8+AWnmfUycAAAAAElFTkSuQmCC";

constexpr const char* images = R"({
"images": ["iVBORw0KGgo="],
"parameters": {"prompt": "a lighthouse in a storm", "steps": 4, "width": 64, "height": 64},
"info": "{\"prompt\":\"a lighthouse in a storm\",\"seed\":1,\"all_seeds\":[1]}"})";

constexpr const char* progress = R"({
"progress": 0.25, "eta_relative": 31.5,
"state": {"job": "img-8f14e45fceea167a", "job_count": 1, "job_no": 0, "job_timestamp": "20261130230000",
          "sampling_step": 5, "sampling_steps": 20, "skipped": false, "interrupted": false,
          "stopping_generation": false},
"current_image": "iVBORw0KGgo=", "textinfo": null})";

constexpr const char* options = R"({
"sd_model_checkpoint": "stable-diffusion-1.5", "CLIP_stop_at_last_layers": 1, "samples_format": "png"})";

constexpr const char* nothing = "{}";

constexpr const char* samplers = R"([{"name": "Euler a", "aliases": ["euler_a"], "options": {}}])";

constexpr const char* schedulers = R"([
{"name": "karras", "label": "Karras", "aliases": [], "default_rho": -1.0, "need_inner_model": false}])";

constexpr const char* models = R"([
{"title": "stable-diffusion-1.5", "model_name": "stable-diffusion-1.5", "hash": null, "sha256": null,
 "filename": "stable-diffusion-1.5", "config": null}])";

constexpr const char* upscalers = R"([
{"name": "None", "model_name": null, "model_path": null, "model_url": null, "scale": null}])";

constexpr const char* loras = R"([
{"name": "watercolour", "alias": "watercolour", "path": "watercolour", "metadata": {}}])";

constexpr const char* png_info = R"({
"info": "a boat\nSteps: 20, Size: 64x64", "items": {"parameters": "a boat\nSteps: 20, Size: 64x64"},
"parameters": {"Prompt": "a boat", "Steps": "20", "Size": "64x64"}})";

constexpr const char* extra = R"({"html_info": "", "image": "iVBORw0KGgo="})";

constexpr const char* latent_modes = R"json([{"name": "Latent (nearest-exact)"}])json";

constexpr const char* none = "[]";

constexpr const char* scripts = R"({"txt2img": [], "img2img": []})";

const std::map<std::string_view, const char*> by_operation{
    {"a1111Autoencoders", none},     {"a1111LatentUpscaleModes", latent_modes},
    {"a1111PromptStyles", none},     {"a1111Hypernetworks", none},
    {"a1111FaceRestorers", none},    {"a1111Scripts", scripts},
    {"a1111Txt2Img", images},        {"a1111Img2Img", images},
    {"a1111Progress", progress},     {"a1111GetOptions", options},
    {"a1111SetOptions", nothing},    {"a1111Interrupt", nothing},
    {"a1111Skip", nothing},          {"a1111Samplers", samplers},
    {"a1111Schedulers", schedulers}, {"a1111Models", models},
    {"a1111Upscalers", upscalers},   {"a1111Loras", loras},
    {"a1111PngInfo", png_info},      {"a1111ExtraSingleImage", extra},
};

}  // namespace

Examples txt2img_examples() {
    return {{"picture", object{{"prompt", "a lighthouse in a storm"},
                               {"negative_prompt", "people"},
                               {"sampler_name", "Euler a"},
                               {"width", 64},
                               {"height", 64},
                               {"steps", 4},
                               {"seed", 1}}}};
}

Examples img2img_examples() {
    return {{"picture", object{{"prompt", "a lighthouse in a storm"},
                               {"init_images", array{picture}},
                               {"denoising_strength", 0.75},
                               {"width", 64},
                               {"height", 64},
                               {"steps", 4},
                               {"seed", 1}}}};
}

Examples extra_examples() {
    return {{"picture", object{{"image", picture}}}};
}

Examples png_info_examples() {
    return {{"picture", object{{"image", picture}}}};
}

Examples options_examples() {
    return {{"text encoder", object{{"CLIP_stop_at_last_layers", 1}}}};
}

Examples answer_examples(std::string_view operation) {
    const auto found = by_operation.find(operation);
    if (found == by_operation.end())
        return {};
    return {{"answer", boost::json::parse(found->second)}};
}

}  // namespace gateway::api::a1111
