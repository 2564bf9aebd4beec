#pragma once

/// Who asks, and under which address, when proxies stand in between. Private to this folder: middleware.cpp puts it in
/// its place.

#include "http/middleware.hpp"

namespace http {

/// Sets `Request::base_url`, and `Request::peer` to the client's address. What `X-Forwarded-For`, `-Proto`, `-Host`,
/// `-Port` and `-Prefix` say counts only when the connection comes from one of `trusted`: anybody can send them.
Middleware forwarded(Networks trusted);

}  // namespace http
