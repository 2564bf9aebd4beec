#pragma once

/// Prompt and settings as the text that image tools of this field read and write ("parameters", in the form of
/// AUTOMATIC1111's web UI): prompt, negative prompt and one line of settings.

#include <string>

#include "worker/image/picture_engine.hpp"

namespace worker::image {

std::string metadata_text(const DrawRequest& request, const PictureModel& model);

}  // namespace worker::image
