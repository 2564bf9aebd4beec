#pragma once

/// Where a request says a picture is.

#include <string_view>

#include "engine.pb.h"
#include "schema/schema.hpp"

namespace gateway::api {

/// A `data:` URL becomes the data, another address is left for whoever downloads. What is neither is a fault at
/// `reading`, which stands at the address.
void add_image(std::string_view address, llm_gateway::engine::v1::Media& image, const schema::Reading& reading);

}  // namespace gateway::api
