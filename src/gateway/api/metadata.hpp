#pragma once

/// The notes that clients attach to what is kept: at most 16, names of at most 64 characters, values of at most 512.

#include <map>
#include <optional>
#include <string>

#include "schema/object.hpp"

namespace gateway::api {

using Metadata = std::map<std::string, std::string>;

/// Options of a field with metadata.
schema::Options metadata_options(std::string doc);
/// Its check.
std::optional<std::string> check_metadata(const std::optional<Metadata>& metadata);

}  // namespace gateway::api
