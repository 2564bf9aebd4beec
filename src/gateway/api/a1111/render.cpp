#include "gateway/api/a1111/render.hpp"

#include "base/base64.hpp"
#include "gateway/api/a1111/names.hpp"
#include "gateway/api/a1111/png_text.hpp"

namespace gateway::api::a1111 {
namespace {

namespace contract = llm_gateway::engine::v1;
using boost::json::array;
using boost::json::object;

std::string own_or(const std::string& own, const std::string& standard) {
    return own.empty() ? standard : own;
}

/// The settings as they were used.
object settings_of(const contract::ImageJob& job, const contract::ImageFacts& facts) {
    object settings;
    settings["prompt"] = job.prompt();
    settings["negative_prompt"] = job.negative_prompt();
    settings["steps"] = job.has_steps() ? job.steps() : facts.default_steps();
    settings["cfg_scale"] = job.has_cfg_scale() ? job.cfg_scale() : facts.default_cfg_scale();
    settings["sampler_name"] = sampler_label(own_or(job.sampler(), facts.default_sampler()));
    settings["scheduler"] = scheduler_label(own_or(job.scheduler(), facts.default_scheduler()));
    if (job.has_strength())
        settings["denoising_strength"] = job.strength();
    if (job.has_clip_skip())
        settings["clip_skip"] = job.clip_skip();
    return settings;
}

}  // namespace

void Pictures::add(const backends::Event& event) {
    if (event.has_image_preview()) {
        unfinished_ = event.image_preview().data();
    } else if (event.has_image_done()) {
        const auto& done = event.image_done();
        done_.push_back({.file = done.data(), .seed = done.seed(), .width = done.width(), .height = done.height()});
        unfinished_.clear();
    }
}

std::vector<Pictures::Picture> Pictures::take(bool interrupted) {
    if (interrupted && !unfinished_.empty()) {
        Picture unfinished{.file = std::move(unfinished_)};
        if (!done_.empty()) {
            unfinished = {.file = std::move(unfinished.file),
                          .seed = done_.back().seed + 1,
                          .width = done_.back().width,
                          .height = done_.back().height};
        }
        done_.push_back(std::move(unfinished));
    }
    return std::move(done_);
}

ImagesAnswer to_answer(const std::vector<Pictures::Picture>& pictures, const contract::ImageJob& job,
                       const backends::ModelName& model, const contract::ImageFacts* facts,
                       const schema::Value& parameters, bool send_images) {
    static const contract::ImageFacts unknown;
    ImagesAnswer answer;
    object info = settings_of(job, facts == nullptr ? unknown : *facts);
    array seeds;
    array texts;
    array prompts;
    array negative_prompts;
    for (const Pictures::Picture& picture : pictures) {
        const auto kept = png_texts(picture.file);
        const auto text = kept.find("parameters");
        seeds.push_back(picture.seed);
        texts.push_back(boost::json::string(text == kept.end() ? std::string() : text->second));
        prompts.push_back(info["prompt"]);
        negative_prompts.push_back(info["negative_prompt"]);
        if (send_images)
            answer.images.push_back(base::encode_base64(picture.file));
    }
    if (!pictures.empty()) {
        info["seed"] = pictures.front().seed;
        info["width"] = pictures.front().width;
        info["height"] = pictures.front().height;
    }
    info["batch_size"] = pictures.size();
    info["all_seeds"] = std::move(seeds);
    info["all_prompts"] = std::move(prompts);
    info["all_negative_prompts"] = std::move(negative_prompts);
    info["infotexts"] = std::move(texts);
    info["sd_model_name"] = model.value();
    info["index_of_first_image"] = 0;
    info["extra_generation_params"] = object{};
    info["styles"] = array{};
    answer.info = schema::write_json(info);
    if (const auto* members = parameters.if_object())
        for (const auto& member : *members)
            answer.parameters.emplace(member.key(), member.value());
    return answer;
}

}  // namespace gateway::api::a1111
