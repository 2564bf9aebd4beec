#pragma once

/// `llm-gateway health URL`: the health check of container images, which have no curl.

#include <string>

namespace gateway {

/// 0 when a GET of `url` ("http://host:port/path") is answered with 200 within three seconds, else 1.
int probe(const std::string& url);

}  // namespace gateway
