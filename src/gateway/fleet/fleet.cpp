#include "gateway/fleet/fleet.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace gateway::fleet {

Fleet::Fleet(boost::asio::io_context& io, backends::Executor& executor, const base::Clock& clock, RuntimeFolder folder,
             std::vector<WorkerSpec> specs)
    : folder_(std::move(folder)) {
    for (auto& spec : specs) {
        // Numbered, not named: a socket's path is short, and a model's name may be anything.
        const auto socket_stem = folder_.path() / std::to_string(workers_.size());
        workers_.push_back(std::make_unique<Worker>(io, executor, clock, std::move(spec), socket_stem));
    }
}

Fleet::~Fleet() = default;

void Fleet::start(const std::vector<Observer*>& observers) {
    for (const auto& worker : workers_) {
        worker->start(observers);
    }
}

void Fleet::stop() {
    for (const auto& worker : workers_) {
        worker->stop();
    }
}

bool Fleet::stopped() const {
    return std::ranges::all_of(workers_, [](const auto& worker) { return worker->stopped(); });
}

void Fleet::tick() {
    for (const auto& worker : workers_) {
        worker->tick();
    }
}

std::vector<WorkerSnapshot> Fleet::workers() const {
    std::vector<WorkerSnapshot> result;
    for (const auto& worker : workers_) {
        result.push_back(worker->snapshot());
    }
    return result;
}

std::vector<backends::ModelStatus> Fleet::models() const {
    std::vector<backends::ModelStatus> result;
    for (const auto& worker : workers_) {
        result.push_back(worker->status());
    }
    return result;
}

std::optional<backends::ModelStatus> Fleet::find(const backends::ModelName& name) const {
    const auto found = std::ranges::find(workers_, name, [](const auto& worker) { return worker->spec().name; });
    return found == workers_.end() ? std::nullopt : std::optional((*found)->status());
}

std::optional<backends::ModelName> Fleet::default_model(backends::ModelKind kind) const {
    std::optional<backends::ModelName> first;
    for (const auto& worker : workers_) {
        const WorkerSpec& spec = worker->spec();
        if (spec.kind != kind) {
            continue;
        }
        if (spec.is_default) {
            return spec.name;
        }
        if (!first) {
            first = spec.name;
        }
    }
    return first;
}

}  // namespace gateway::fleet
