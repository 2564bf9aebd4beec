#pragma once

/// Chat completions that were made with `store: true`: what is kept of them, and what their endpoints take and answer.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gateway/api/chat/answer.hpp"
#include "gateway/api/chat/types.hpp"
#include "gateway/api/metadata.hpp"
#include "gateway/store/entry.hpp"
#include "schema/object.hpp"

namespace gateway::api::chat {

enum class Order { ascending, descending };

struct MessagesQuery {
    std::int32_t limit = 20;
    Order order = Order::ascending;
    std::optional<std::string> after;
};

struct ListQuery {
    MessagesQuery page;
    std::optional<std::string> model;
    std::optional<Metadata> metadata;
};

struct Update {
    Metadata metadata;
};

struct CompletionList {
    std::vector<Completion> data;
    std::string first_id;
    std::string last_id;
    bool has_more = false;
};

struct DeletedCompletion {
    std::string id;
    bool deleted = true;
};

/// A message of the request, as it is listed.
struct KeptMessage {
    std::string id;
    std::string role;
    /// The texts of all parts.
    std::optional<std::string> content;
    std::optional<std::string> refusal;
    /// Null for a content that is a plain text.
    std::optional<std::vector<schema::Value>> content_parts;
    std::optional<std::vector<ToolCall>> tool_calls;
    std::optional<std::string> tool_call_id;
};

struct MessageList {
    std::vector<KeptMessage> data;
    std::string first_id;
    std::string last_id;
    bool has_more = false;
};

/// The messages, each with a name.
std::vector<KeptMessage> to_kept_messages(const std::vector<Message>& messages, const std::string& completion_id);

/// What is kept of a completion; its body is added when it is complete.
store::Entry to_entry(store::Key key, std::int64_t created, std::string model, const Request& request);
std::vector<KeptMessage> to_messages(const store::Entry& entry);
std::optional<Completion> to_completion(const store::Entry& entry);

const schema::Enum<Order>& describe(schema::Type<Order>);
const schema::Object<MessagesQuery>& describe(schema::Type<MessagesQuery>);
const schema::Object<ListQuery>& describe(schema::Type<ListQuery>);
const schema::Object<Update>& describe(schema::Type<Update>);
const schema::Object<CompletionList>& describe(schema::Type<CompletionList>);
const schema::Object<DeletedCompletion>& describe(schema::Type<DeletedCompletion>);
const schema::Object<KeptMessage>& describe(schema::Type<KeptMessage>);
const schema::Object<MessageList>& describe(schema::Type<MessageList>);

}  // namespace gateway::api::chat
