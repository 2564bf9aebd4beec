#pragma once

/// Names and times of answers.

#include <cstdint>
#include <string>
#include <string_view>

namespace gateway::api {

/// `prefix` and 32 random hexadecimal digits: "chatcmpl-3f…". Not to be guessed, never twice.
std::string new_id(std::string_view prefix);

/// Unix time in seconds.
std::int64_t unix_time();

}  // namespace gateway::api
