#pragma once

/// Names for requests. Private to this folder.

#include <string>
#include <string_view>

namespace http {

/// "req_" and 32 random hexadecimal digits.
std::string new_request_id();

/// Fit for logs and headers: 1 to 128 letters, digits and "-_.:".
bool is_sane_request_id(std::string_view id);

}  // namespace http
