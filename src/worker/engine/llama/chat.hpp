#pragma once

/// From the contract's chat to a prompt, through the model's chat template.

#include <string>

#include "base/result.hpp"
#include "engine.pb.h"
#include "worker/engine/llama/chat_formats.hpp"
#include "worker/engine/llama/schema_grammars.hpp"

namespace worker::engine::llama {

namespace contract = llm_gateway::engine::v1;

/// What a model takes beside text, and what stands for it in a rendered chat.
struct MediaKinds {
    std::string marker = {};
    bool images = false;
    bool sounds = false;
};

/// Renders the chat. A named tool choice leaves only that tool and requires one call; `none` leaves no tool. The result
/// also brings the grammar and the parser for the answer. Errors name the field.
/// With a required call the grammar of the result allows no free text before it, and the job's schema does not matter;
/// with calls that may come, an answer is calls or fits the schema.
/// A picture or sound becomes the marker, for the model to find it.
base::Result<RenderedChat> render(ChatFormats& formats, SchemaGrammars& schemas, const contract::TextJob& job,
                                  const MediaKinds& media = {});

}  // namespace worker::engine::llama
