#include "gateway/api/models/render.hpp"

#include <fmt/format.h>

namespace gateway::api::models {
namespace {

namespace contract = llm_gateway::engine::v1;

std::string to_size(std::uint32_t width, std::uint32_t height) {
    return fmt::format("{}x{}", width, height);
}

/// A float's decimal digits, without the noise of widening it.
double shown(float value) {
    return std::stod(fmt::format("{}", value));
}

TextDetails to_details(const contract::TextFacts& facts) {
    TextDetails details{.context_length = facts.context_tokens(),
                        .trained_context_length = facts.trained_context_tokens(),
                        .parallel_requests = facts.slots(),
                        .tools = facts.tools(),
                        .reasoning = facts.reasoning(),
                        .images = facts.images(),
                        .audio = facts.audio(),
                        .embeddings = facts.embeddings(),
                        .reranking = facts.reranking(),
                        .fill_in = facts.fill_in(),
                        .writes = !facts.embeddings_only(),
                        .vocabulary = facts.vocabulary(),
                        .embedding_size = {},
                        .pooling = {}};
    if (facts.embeddings())
        details.embedding_size = facts.embedding_size();
    if (!facts.pooling().empty())
        details.pooling = facts.pooling();
    return details;
}

std::vector<std::string> to_modalities(const contract::TextFacts& facts) {
    std::vector<std::string> modalities{"text"};
    if (facts.images())
        modalities.emplace_back("image");
    if (facts.audio())
        modalities.emplace_back("audio");
    return modalities;
}

ImageDetails to_details(const contract::ImageFacts& facts) {
    return {.family = facts.family(),
            .default_size = to_size(facts.default_width(), facts.default_height()),
            .max_size = to_size(facts.max_width(), facts.max_height()),
            .size_multiple = facts.size_multiple(),
            .default_steps = facts.default_steps(),
            .default_cfg_scale = shown(facts.default_cfg_scale()),
            .default_sampler = facts.default_sampler(),
            .default_scheduler = facts.default_scheduler(),
            .samplers = {facts.samplers().begin(), facts.samplers().end()},
            .schedulers = {facts.schedulers().begin(), facts.schedulers().end()},
            .loras = {facts.loras().begin(), facts.loras().end()}};
}

std::int64_t seconds(std::chrono::system_clock::time_point time) {
    return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

/// An adapter may not have been loaded while its model was.
void set_problem(const contract::TextFacts& facts, std::size_t adapter, Model& model) {
    const int place = static_cast<int>(adapter);
    if (place >= facts.adapters_size() || facts.adapters(place).problem().empty())
        return;
    model.state = to_string(backends::ModelState::failed);
    model.problem = facts.adapters(place).problem();
}

}  // namespace

std::string_view to_string(backends::ModelState state) {
    switch (state) {
        case backends::ModelState::loading: return "loading";
        case backends::ModelState::ready: return "ready";
        case backends::ModelState::restarting: return "restarting";
        case backends::ModelState::draining: return "draining";
        case backends::ModelState::failed: return "failed";
    }
    return "?";
}

Model to_model(const NamedModel& named) {
    Model model;
    model.id = named.id();
    model.created = seconds(named.adapter ? named.adapters[*named.adapter].created : named.created);
    model.owned_by = "llm-gateway";
    model.root = named.name.value();
    if (named.adapter)
        model.parent = named.name.value();
    model.kind = named.kind == backends::ModelKind::text ? "text" : "image";
    model.state = to_string(named.state);
    if (!named.problem.empty())
        model.problem = named.problem;
    if (!named.facts)
        return model;
    const contract::ModelFacts& facts = *named.facts;
    model.architecture = facts.architecture();
    model.description = facts.description();
    model.parameters = static_cast<std::int64_t>(facts.parameters());
    model.file_bytes = static_cast<std::int64_t>(facts.file_bytes());
    if (facts.has_text()) {
        model.text = to_details(facts.text());
        for (const auto& adapter : named.adapters)
            model.text->adapters.push_back(adapter.name);
        model.context_length = model.text->context_length;
        model.max_model_len = model.text->context_length;
        model.modalities = to_modalities(facts.text());
        if (named.adapter)
            set_problem(facts.text(), *named.adapter, model);
    }
    if (facts.has_image())
        model.image = to_details(facts.image());
    return model;
}

std::vector<Model> to_models(const backends::ModelStatus& status) {
    std::vector<Model> models{to_model({status, std::nullopt})};
    for (std::size_t i = 0; i < status.adapters.size(); ++i)
        models.push_back(to_model({status, i}));
    return models;
}

}  // namespace gateway::api::models
