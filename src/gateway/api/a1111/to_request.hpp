#pragma once

/// From AUTOMATIC1111's request to our own for the same picture. Pure.

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/api/a1111/choices.hpp"
#include "gateway/api/a1111/types.hpp"
#include "gateway/api/images/types.hpp"

namespace gateway::api::a1111 {

/// What the request does not say is as `choice` says, or the model's default. Its pictures are moved into the result.
std::expected<images::Request, schema::Faults> to_images_request(Img2ImgRequest& request, const Choice& choice);

/// The second pass that the request asks for.
std::optional<images::Hires> to_hires(const Txt2ImgRequest& request);

/// Without the hash that the web UI puts behind a model's name: "model [6ce0161689]".
std::string model_of_title(std::string_view title);

/// The name that a field of our own request has in AUTOMATIC1111's.
std::string to_a1111_path(std::string_view images_path);

}  // namespace gateway::api::a1111
