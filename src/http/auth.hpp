#pragma once

/// API keys. Private to this folder: middleware.cpp puts it in its place.

#include <string>
#include <string_view>
#include <vector>

#include "http/middleware.hpp"

namespace http {

/// Takes as long for a wrong key as for a right one of the same length.
bool same_key(std::string_view given, std::string_view expected);

/// Says in the request whose key was used. 401 for a route with `Access::key`, and for paths there are none of, unless one of `keys` is given. No keys: no
/// check.
Middleware auth(std::vector<ApiKey> keys);

}  // namespace http
