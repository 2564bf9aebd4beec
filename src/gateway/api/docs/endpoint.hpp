#pragma once

#include "http/message.hpp"

namespace gateway::api::docs {

/// GET /docs: the page of Swagger UI.
http::Response page(const http::Request& request);

/// GET /docs/{file}: what the page loads. 404 for anything else.
http::Response file(const http::Request& request);

/// GET /: leads to the page.
http::Response to_page();

}  // namespace gateway::api::docs
