#pragma once

/// Cross-origin calls from browsers. Private to this folder: middleware.cpp puts it in its place.

#include "http/middleware.hpp"

namespace http {

/// Answers preflights of allowed origins and marks every other answer as readable by them. An origin that is not
/// allowed gets no such mark, so its browser keeps the answer from it.
Middleware cors(CorsOptions options);

}  // namespace http
