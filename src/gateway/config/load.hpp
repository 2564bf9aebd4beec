#pragma once

/// From a configuration file to settings, or every fault of it with its line.

#include "gateway/config/settings.hpp"

#include <expected>
#include <filesystem>
#include <string>
#include <string_view>

namespace gateway::config {

/// Reads YAML text. Relative paths are meant from `folder`; keys from `server.api_keys_file` are added to
/// `server.api_keys`.
std::expected<Settings, schema::Faults> load_text(std::string_view text, const std::filesystem::path& folder);

/// As `load_text`, with the file's own folder. A file that cannot be read is a fault.
std::expected<Settings, schema::Faults> load_file(const std::filesystem::path& file);

/// The keys of a file, one a line; `#` begins a comment. A file without any is an error, or the server would be open to
/// everybody.
base::Result<std::vector<schema::Secret>> read_keys(const std::filesystem::path& file);

/// Model files that are not there. Not a fault of `load_file`: a model that cannot be loaded must not keep the others
/// away.
schema::Faults missing_files(const Settings& settings);

/// One line for each fault, in the form of compilers: `file.yaml:12: server.prot: is not known here; …`.
std::string describe_faults(const schema::Faults& faults, const std::filesystem::path& file);

/// What `llm-gateway config check FILE` prints and exits with: 0 when all is well, 1 otherwise.
struct CheckReport {
    std::string text;
    int exit_status = 0;
};
CheckReport check_file(const std::filesystem::path& file);

}  // namespace gateway::config
