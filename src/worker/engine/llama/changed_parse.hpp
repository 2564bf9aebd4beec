#pragma once

/// What is left to deliver of an answer whose parser changed its mind about a part that was sent already.

#include <chat.h>

#include <vector>

#include "worker/engine/engine.hpp"

namespace worker::engine::llama {

/// The reasoning and the content of `final` after what they have in common with those of `sent`: better a seam in the
/// text than a lost end. Tool calls are not looked at.
std::vector<Part> rest_of_changed(const common_chat_msg& sent, const common_chat_msg& final);

}  // namespace worker::engine::llama
