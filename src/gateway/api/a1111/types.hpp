#pragma once

/// AUTOMATIC1111's requests, as its clients send them: with every field, most of them at the value that means nothing.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schema/schema.hpp"

namespace gateway::api::a1111 {

/// Settings of the web UI that we have too.
struct Settings {
    std::optional<std::string> sd_model_checkpoint;
    std::optional<std::int32_t> clip_skip;
};

/// What both ways of drawing take.
struct Drawing {
    std::string prompt;
    std::string negative_prompt;
    std::optional<std::int64_t> seed;
    std::optional<std::string> sampler_name;
    std::optional<std::string> sampler_index;
    std::optional<std::string> scheduler;
    std::int32_t batch_size = 1;
    std::int32_t n_iter = 1;
    std::optional<std::int32_t> steps;
    std::optional<double> cfg_scale;
    std::optional<double> distilled_cfg_scale;
    std::optional<std::int32_t> width;
    std::optional<std::int32_t> height;
    std::optional<double> eta;
    std::optional<Settings> override_settings;
    std::optional<bool> send_images;

    // Refused unless they mean nothing.
    std::optional<std::vector<std::string>> styles;
    std::optional<double> subseed_strength;
    std::optional<std::int32_t> seed_resize_from_h;
    std::optional<std::int32_t> seed_resize_from_w;
    std::optional<bool> restore_faces;
    std::optional<bool> tiling;
    std::optional<double> s_churn;
    std::optional<double> s_noise;
    std::optional<double> s_min_uncond;
    std::optional<std::string> script_name;
    std::optional<std::string> refiner_checkpoint;
    std::optional<std::map<std::string, schema::Value>> alwayson_scripts;
};

struct Txt2ImgRequest {
    Drawing drawing;
    std::optional<double> denoising_strength;

    // Of the second pass.
    std::optional<bool> enable_hr;
    std::optional<double> hr_scale;
    std::optional<std::string> hr_upscaler;
    std::optional<std::int32_t> hr_second_pass_steps;
    std::optional<std::int32_t> hr_resize_x;
    std::optional<std::int32_t> hr_resize_y;
    std::optional<std::string> hr_checkpoint_name;
    std::optional<std::string> hr_sampler_name;
    std::optional<std::string> hr_scheduler;
    std::optional<std::string> hr_prompt;
    std::optional<std::string> hr_negative_prompt;
};

struct Img2ImgRequest {
    Drawing drawing;
    std::vector<std::string> init_images;
    std::optional<double> denoising_strength;
    std::optional<std::string> mask;
    std::optional<std::string> latent_mask;
    std::optional<std::int32_t> inpainting_mask_invert;
};

struct PngInfoRequest {
    std::string image;
};

struct ExtraSingleImageRequest {
    std::string image;
    std::optional<std::int32_t> resize_mode;
    std::optional<double> upscaling_resize;
    std::optional<std::string> upscaler_1;
    std::optional<std::string> upscaler_2;
    std::optional<double> gfpgan_visibility;
    std::optional<double> codeformer_visibility;
};

struct ProgressQuery {
    bool skip_current_image = false;
};

const schema::Object<Settings>& describe(schema::Type<Settings>);
const schema::Object<Drawing>& describe(schema::Type<Drawing>);
const schema::Object<Txt2ImgRequest>& describe(schema::Type<Txt2ImgRequest>);
const schema::Object<Img2ImgRequest>& describe(schema::Type<Img2ImgRequest>);
const schema::Object<PngInfoRequest>& describe(schema::Type<PngInfoRequest>);
const schema::Object<ExtraSingleImageRequest>& describe(schema::Type<ExtraSingleImageRequest>);
const schema::Object<ProgressQuery>& describe(schema::Type<ProgressQuery>);

}  // namespace gateway::api::a1111
