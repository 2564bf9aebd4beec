#pragma once

/// Requests and streams that the documentation of pictures shows. In forms "<...>" stands for a file.

#include "gateway/api/examples.hpp"

namespace gateway::api::images {

Examples edit_examples();
Examples edit_form_examples();
Examples edit_stream_examples();
Examples variation_examples();
Examples upscale_examples();
Examples upscale_form_examples();

}  // namespace gateway::api::images
