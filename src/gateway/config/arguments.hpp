#pragma once

/// Settings from the command line and the environment, laid over those of the file.

#include "base/result.hpp"
#include "gateway/config/settings.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::config {

/// `--model [NAME=]PATH[,KEY=VALUE,…]`: a chat model; the keys are those of the file, e.g. `context=8192`. Without a
/// name it is the file's name without its extension. A comma that no `KEY=` follows belongs to the value before it.
base::Result<Model> parse_model_argument(std::string_view argument);

/// `--image-model [NAME=]PATH[,taesd=PATH,vae=PATH,…]`. The path may be empty when `diffusion_model` is given and a
/// name.
base::Result<Model> parse_image_model_argument(std::string_view argument);

/// What was said on the command line, as it was said.
struct CommandLine {
    std::vector<std::string> models;
    std::vector<std::string> image_models;
    std::optional<std::string> host;
    std::optional<std::uint16_t> port;
    /// More keys, as `server.api_keys_file`.
    std::optional<std::filesystem::path> api_keys_file;
    std::optional<std::filesystem::path> workers_folder;
    std::optional<std::string> log_level;
    std::optional<std::string> log_format;
};

/// Host, port, log and workers' folder override the file's, keys are added. Models of the command line come first, and
/// replace those of the file that have the same name.
base::Result<Settings> apply(const CommandLine& command_line, Settings settings);

/// Adds the keys of LLM_GATEWAY_API_KEY and of LLM_GATEWAY_API_KEYS (separated by commas). `variable` looks one up, as
/// `std::getenv` does.
Settings apply_environment(const std::function<const char*(const char*)>& variable, Settings settings);

}  // namespace gateway::config
