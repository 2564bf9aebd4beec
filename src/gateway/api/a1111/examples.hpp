#pragma once

#include "gateway/api/examples.hpp"

namespace gateway::api::a1111 {

Examples txt2img_examples();
Examples img2img_examples();
Examples extra_examples();
Examples png_info_examples();
Examples options_examples();

/// Of the operations of this folder; none for others.
Examples answer_examples(std::string_view operation);

}  // namespace gateway::api::a1111
