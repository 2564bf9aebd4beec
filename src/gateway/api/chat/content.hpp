#pragma once

/// From the messages of a request to those of a job.

#include <vector>

#include "engine.pb.h"
#include "gateway/api/chat/messages.hpp"

namespace gateway::api::chat {

/// Adds every message to `chat`. Faults (a picture that cannot be used, a kind of part the model cannot take) go to
/// `reading`, which stands at the list of messages. `facts` may be null: then nothing is known about the model yet.
void add_messages(const std::vector<Message>& messages, const llm_gateway::engine::v1::ModelFacts* facts,
                  llm_gateway::engine::v1::Chat& chat, const schema::Reading& reading);

}  // namespace gateway::api::chat
