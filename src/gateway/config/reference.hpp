#pragma once

/// The pages about configuration, made from the tables, so that they cannot say anything else than what is read.

#include <string>

namespace gateway::config {

/// docs/configuration.md: every key with its type, default and meaning.
std::string reference();

/// docs/llm-gateway.example.yaml: a file that is complete, works as it stands where the model files exist, and says
/// every default.
std::string example();

}  // namespace gateway::config
