#pragma once

/// All local workers: started, watched and ended together, and what is known of their models.
///
/// Everything happens on the thread that runs the io_context, which must be the one that made the Fleet and must live
/// as long as the gateway (the kernel ends the workers with that thread).

#include <memory>
#include <optional>
#include <vector>

#include "gateway/backends/catalogue.hpp"
#include "gateway/fleet/observer.hpp"
#include "gateway/fleet/runtime_folder.hpp"
#include "gateway/fleet/worker.hpp"

namespace gateway::fleet {

class Fleet final : public backends::Catalogue {
public:
    /// All references must outlive the fleet. Names must be unique.
    Fleet(boost::asio::io_context& io, backends::Executor& executor, const base::Clock& clock, RuntimeFolder folder,
          std::vector<WorkerSpec> specs);
    /// Kills what still runs.
    ~Fleet() override;

    /// Starts every worker; returns before any is ready. `observers` must outlive the fleet and hear in this order.
    void start(const std::vector<Observer*>& observers);
    /// Asks every worker to end, and kills those that take too long. `tick` must go on until `stopped`.
    void stop();
    bool stopped() const;
    /// To be called ten times a second or so.
    void tick();

    std::vector<WorkerSnapshot> workers() const;
    /// Where the sockets are.
    const std::filesystem::path& folder() const { return folder_.path(); }

    std::vector<backends::ModelStatus> models() const override;
    std::optional<backends::ModelStatus> find(const backends::ModelName& name) const override;
    std::optional<backends::ModelName> default_model(backends::ModelKind kind) const override;

private:
    const RuntimeFolder folder_;
    /// In the order of the configuration.
    std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace gateway::fleet
