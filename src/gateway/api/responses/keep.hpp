#pragma once

/// A response as an entry of the store, and back.

#include <optional>
#include <string>
#include <vector>

#include "gateway/api/responses/answer.hpp"
#include "gateway/api/responses/conversation.hpp"
#include "gateway/api/responses/render.hpp"
#include "gateway/store/entry.hpp"

namespace gateway::api::responses {

/// The items that the response was asked with, as they are listed: each with an id, texts as parts.
std::vector<Item> to_kept_items(const std::vector<PlacedItem>& items, const std::string& response_id);

store::Entry to_entry(std::string owner, const Response& response, const std::vector<Item>& input);

/// One that nobody works on although it was under way is failed: the server ended meanwhile.
Response to_response(const store::Entry& entry);
std::vector<Item> to_input(const store::Entry& entry);

/// What the model has seen and said, the earliest entry first.
std::vector<PlacedItem> to_conversation(const std::vector<store::Entry>& entries);

/// The stream of a response that has ended, events after number `after` only.
std::vector<StreamEvent> replay(const store::Entry& entry, std::int64_t after);

}  // namespace gateway::api::responses
