// What there is, as AUTOMATIC1111's clients ask for it: of all image models together.
#include <algorithm>
#include <set>

#include "gateway/api/a1111/answers.hpp"
#include "gateway/api/a1111/endpoint.hpp"
#include "gateway/api/a1111/names.hpp"

namespace gateway::api::a1111 {
namespace {

namespace contract = llm_gateway::engine::v1;
using http::asio::awaitable;

std::vector<backends::ModelStatus> image_models(const Services& services) {
    auto models = services.catalogue.models();
    std::erase_if(models, [](const auto& model) { return model.kind != backends::ModelKind::image; });
    return models;
}

/// Names that the facts of any model have, each once, in the order of the models.
template <typename Names>
std::vector<std::string> names_in(const Services& services, Names names) {
    std::vector<std::string> all;
    for (const auto& model : image_models(services))
        if (model.facts && model.facts->has_image())
            for (const std::string& name : names(model.facts->image()))
                if (std::ranges::find(all, name) == all.end())
                    all.push_back(name);
    return all;
}

template <typename T>
awaitable<void> send_list(http::Exchange& exchange, std::vector<T> list) {
    co_await exchange.send(http::json_response(schema::write_json(schema::to_json(list))));
}

}  // namespace

awaitable<void> list_samplers(http::Exchange& exchange, const Services& services) {
    std::vector<Sampler> list;
    for (const auto& name : names_in(services, [](const contract::ImageFacts& facts) { return facts.samplers(); }))
        list.push_back({.name = sampler_label(name), .aliases = {name}, .options = {}});
    co_await send_list(exchange, std::move(list));
}

awaitable<void> list_schedulers(http::Exchange& exchange, const Services& services) {
    std::vector<Scheduler> list{{.name = "automatic", .label = "Automatic", .aliases = {}}};
    for (const auto& name : names_in(services, [](const contract::ImageFacts& facts) { return facts.schedulers(); }))
        list.push_back({.name = name, .label = scheduler_label(name), .aliases = {}});
    co_await send_list(exchange, std::move(list));
}

awaitable<void> list_models(http::Exchange& exchange, const Services& services) {
    std::vector<Checkpoint> list;
    for (const auto& model : image_models(services)) {
        const std::string& name = model.name.value();
        Checkpoint checkpoint{
            .title = name, .model_name = name, .hash = {}, .sha256 = {}, .filename = name, .config = {}};
        if (model.facts && !model.facts->file_sha256().empty())
            checkpoint.sha256 = model.facts->file_sha256();
        list.push_back(std::move(checkpoint));
    }
    co_await send_list(exchange, std::move(list));
}

awaitable<void> list_upscalers(http::Exchange& exchange, const Services& services) {
    std::vector<Upscaler> list{{.name = "None"}};
    for (const auto& model : image_models(services))
        if (model.facts && model.facts->image().upscaling())
            list.push_back({.name = model.name.value(),
                            .model_name = model.name.value(),
                            .model_path = {},
                            .model_url = {},
                            .scale = model.facts->image().upscale_factor()});
    co_await send_list(exchange, std::move(list));
}

awaitable<void> list_loras(http::Exchange& exchange, const Services& services) {
    std::vector<LoraItem> list;
    for (const auto& name : names_in(services, [](const contract::ImageFacts& facts) { return facts.loras(); }))
        list.push_back({.name = name, .alias = name, .path = name, .metadata = {}});
    co_await send_list(exchange, std::move(list));
}

awaitable<void> list_latent_modes(http::Exchange& exchange, const Services& services) {
    std::vector<LatentMode> list;
    for (const auto& name :
         names_in(services, [](const contract::ImageFacts& facts) { return facts.hires_upscalers(); }))
        if (name.starts_with("latent"))
            list.push_back({.name = hires_upscaler_label(name)});
    co_await send_list(exchange, std::move(list));
}

awaitable<void> list_none(http::Exchange& exchange, const Services&) {
    co_await send_list(exchange, std::vector<std::string>());
}

awaitable<void> list_scripts(http::Exchange& exchange, const Services&) {
    co_await exchange.send(http::json_response(schema::to_text(Scripts{})));
}

}  // namespace gateway::api::a1111
