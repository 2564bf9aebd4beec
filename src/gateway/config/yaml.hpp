#pragma once

/// YAML text as the same kind of value that JSON gives, and where everything was. yaml.cpp is the only user of
/// yaml-cpp.

#include "schema/fault.hpp"

#include <boost/json/value.hpp>
#include <expected>
#include <map>
#include <string>
#include <string_view>

namespace gateway::config {

struct YamlDocument {
    /// An empty document is an empty object.
    boost::json::value value;
    /// Path of a field or element -> its line, from 1.
    std::map<std::string, int> lines;
};

/// Plain scalars become null, booleans and numbers by the rules of YAML 1.2 (`yes` and `on` are text); quoted ones are
/// text. A key twice, a second document and unreasonable size are faults, as is anything that is not YAML.
std::expected<YamlDocument, schema::Faults> read_yaml(std::string_view text);

}  // namespace gateway::config
