#pragma once

/// The events of a job as bytes to be kept, so that the stream of a response can be shown again.

#include <string>
#include <string_view>
#include <vector>

#include "gateway/backends/backend.hpp"

namespace gateway::api::responses {

void append(const backends::Event& event, std::string& record);

/// What `append` wrote. Stops where the bytes make no sense.
std::vector<backends::Event> read_record(std::string_view record);

}  // namespace gateway::api::responses
