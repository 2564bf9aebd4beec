#pragma once

/// Items as the messages that chat knows. Pure.

#include <string>
#include <vector>

#include "gateway/api/chat/messages.hpp"
#include "gateway/api/responses/items.hpp"

namespace gateway::api::responses {

/// An item and where it came from, for complaints: "input[2]", or "previous_response_id" for what was kept.
struct PlacedItem {
    Item item;
    std::string path;
};

struct Conversation {
    std::vector<chat::Message> messages;
    /// Of each message, the path of the item it was made of (of the last one, when there were several).
    std::vector<std::string> paths;
};

/// Reasoning, text and calls that follow each other are one message of the assistant, as templates want it. A call that
/// was cut off is left out: nobody can have made it. References must have been replaced before.
Conversation to_messages(const std::vector<PlacedItem>& items);

}  // namespace gateway::api::responses
