#pragma once

/// From the messages of a request to those of a job.

#include <vector>

#include "engine.pb.h"
#include "gateway/api/messages/blocks.hpp"

namespace gateway::api::messages {

/// Adds every message to `chat`: those of one role in a row become one, results of tools come before what else the user
/// says, thinking goes with the answer it led to. Faults go to `reading`, which stands at the list of messages. `facts`
/// may be null: then nothing is known about the model yet.
void add_messages(const std::vector<Message>& messages, const llm_gateway::engine::v1::ModelFacts* facts,
                  llm_gateway::engine::v1::Chat& chat, const schema::Reading& reading);

/// Adds a message of the role `system`.
void add_system(const Text& text, llm_gateway::engine::v1::Chat& chat);

}  // namespace gateway::api::messages
