#pragma once

/// AUTOMATIC1111's answers.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schema/schema.hpp"

namespace gateway::api::a1111 {

struct ImagesAnswer {
    std::vector<std::string> images;
    std::map<std::string, schema::Value> parameters;
    std::string info;
};

struct ProgressState {
    std::string job;
    std::int32_t job_count = 0;
    std::int32_t job_no = 0;
    std::string job_timestamp;
    std::int32_t sampling_step = 0;
    std::int32_t sampling_steps = 0;
    bool skipped = false;
    bool interrupted = false;
    bool stopping_generation = false;
};

struct Progress {
    double progress = 0;
    double eta_relative = 0;
    ProgressState state;
    std::optional<std::string> current_image;
    std::optional<std::string> textinfo;
};

struct Options {
    std::string sd_model_checkpoint;
    std::int32_t clip_skip = 1;
};

struct Nothing {};

struct Sampler {
    std::string name;
    std::vector<std::string> aliases;
    std::map<std::string, std::string> options;
};

struct Scheduler {
    std::string name;
    std::string label;
    std::vector<std::string> aliases;
    double default_rho = -1;
    bool need_inner_model = false;
};

struct Checkpoint {
    std::string title;
    std::string model_name;
    std::optional<std::string> hash;
    std::optional<std::string> sha256;
    std::string filename;
    std::optional<std::string> config;
};

struct Upscaler {
    std::string name;
    std::optional<std::string> model_name;
    std::optional<std::string> model_path;
    std::optional<std::string> model_url;
    std::optional<double> scale;
};

struct LoraItem {
    std::string name;
    std::string alias;
    std::string path;
    std::map<std::string, schema::Value> metadata;
};

struct LatentMode {
    std::string name;
};

struct Scripts {
    std::vector<std::string> txt2img;
    std::vector<std::string> img2img;
};

struct PngInfo {
    std::string info;
    std::map<std::string, std::string> items;
    std::map<std::string, std::string> parameters;
};

struct ExtraAnswer {
    std::string html_info;
    std::string image;
};

const schema::Object<ImagesAnswer>& describe(schema::Type<ImagesAnswer>);
const schema::Object<ProgressState>& describe(schema::Type<ProgressState>);
const schema::Object<Progress>& describe(schema::Type<Progress>);
const schema::Object<Options>& describe(schema::Type<Options>);
const schema::Object<Nothing>& describe(schema::Type<Nothing>);
const schema::Object<Sampler>& describe(schema::Type<Sampler>);
const schema::Object<Scheduler>& describe(schema::Type<Scheduler>);
const schema::Object<Checkpoint>& describe(schema::Type<Checkpoint>);
const schema::Object<Upscaler>& describe(schema::Type<Upscaler>);
const schema::Object<LoraItem>& describe(schema::Type<LoraItem>);
const schema::Object<LatentMode>& describe(schema::Type<LatentMode>);
const schema::Object<Scripts>& describe(schema::Type<Scripts>);
const schema::Object<PngInfo>& describe(schema::Type<PngInfo>);
const schema::Object<ExtraAnswer>& describe(schema::Type<ExtraAnswer>);

}  // namespace gateway::api::a1111
