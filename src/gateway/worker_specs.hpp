#pragma once

/// From settings to what the fleet runs.

#include <filesystem>
#include <vector>

#include "gateway/config/settings.hpp"
#include "gateway/fleet/worker.hpp"

namespace gateway {

/// One for each model. `own_folder` is where the gateway's program is; the workers' programs are there too, unless the
/// settings say otherwise.
std::vector<fleet::WorkerSpec> worker_specs(const config::Settings& settings, const std::filesystem::path& own_folder);

}  // namespace gateway
