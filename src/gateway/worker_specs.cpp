#include "gateway/worker_specs.hpp"

#include <string>

namespace gateway {
namespace {

std::vector<fleet::AdapterSpec> adapters_of(const config::Model& model) {
    std::vector<fleet::AdapterSpec> specs;
    if (const auto* text = std::get_if<config::TextModel>(&model)) {
        for (const config::Adapter& adapter : text->adapters) {
            specs.push_back({.name = adapter.name, .file = adapter.path, .scale = static_cast<float>(adapter.scale)});
        }
    }
    return specs;
}

std::string to_argument(base::log::Level level) {
    switch (level) {
        case base::log::Level::debug: return "debug";
        case base::log::Level::info: return "info";
        case base::log::Level::warning: return "warning";
        case base::log::Level::error: return "error";
    }
    return "info";
}

}  // namespace

std::vector<fleet::WorkerSpec> worker_specs(const config::Settings& settings, const std::filesystem::path& own_folder) {
    const auto& folder = settings.workers.folder.empty() ? own_folder : settings.workers.folder;
    std::vector<fleet::WorkerSpec> specs;
    for (const config::Model& model : settings.models) {
        const bool text = std::holds_alternative<config::TextModel>(model);
        const config::ModelBasics& basics = config::basics(model);
        fleet::Command command{.program = folder / (text ? "llm-gateway-text-worker" : "llm-gateway-image-worker"),
                               .arguments = config::worker_arguments(model),
                               .hidden_environment = {"LLM_GATEWAY_API_KEY", "LLM_GATEWAY_API_KEYS"}};
        const std::string format = settings.log.format == base::log::Format::json ? "json" : "text";
        command.arguments.insert(command.arguments.end(),
                                 {"--log-level", to_argument(settings.log.level), "--log-format", format});
        specs.push_back({.name = backends::ModelName(basics.name),
                         .kind = text ? backends::ModelKind::text : backends::ModelKind::image,
                         .command = std::move(command),
                         .files = config::files(model),
                         .life = {.watchdog_timeout = settings.workers.watchdog_timeout,
                                  .long_steps = !text,
                                  .start_timeout = settings.workers.start_timeout,
                                  .first_backoff = settings.workers.backoff_initial,
                                  .longest_backoff = settings.workers.backoff_max},
                         .is_default = basics.is_default,
                         .adapters = adapters_of(model)});
    }
    return specs;
}

}  // namespace gateway
