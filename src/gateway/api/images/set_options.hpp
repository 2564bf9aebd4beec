#pragma once

/// What all requests for pictures put into a job. Private to this folder.

#include "gateway/api/images/options.hpp"
#include "gateway/backends/backend.hpp"

namespace gateway::api::images {

/// Faults go to `reading`, which stands at the request.
void set_options(const Options& options, const llm_gateway::engine::v1::ImageFacts* facts,
                 llm_gateway::engine::v1::ImageJob& job, const schema::Reading& reading);

/// As many previews as are asked for, evenly over the steps. After the options.
void set_previews(const Streaming& streaming, const llm_gateway::engine::v1::ImageFacts* facts,
                  llm_gateway::engine::v1::ImageJob& job);

void set_encoding(const Delivery& delivery, llm_gateway::engine::v1::ImageEncoding& encoding);

/// The bytes of a picture given as base64 or as a data: URL with base64.
std::string to_bytes(std::string_view text, const schema::Reading& reading);

}  // namespace gateway::api::images
