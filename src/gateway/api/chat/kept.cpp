#include "gateway/api/chat/kept.hpp"

#include <fmt/format.h>

#include "schema/schema.hpp"

namespace gateway::api::chat {
namespace {

struct KeptMessages {
    std::vector<KeptMessage> messages;
};

const schema::Object<KeptMessages>& describe(schema::Type<KeptMessages>) {
    static const auto table =
        schema::Object<KeptMessages>("", "").field("messages", &KeptMessages::messages, {.required = true});
    return table;
}

/// The texts of a content, one after the other; nothing for null.
std::optional<std::string> text_of(const schema::Value& content) {
    if (content.is_string())
        return std::string(content.get_string());
    if (!content.is_array())
        return std::nullopt;
    std::string text;
    for (const schema::Value& part : content.get_array())
        if (const auto* piece = part.get_object().if_contains("text"); piece != nullptr && piece->is_string())
            text += piece->get_string();
    return text;
}

std::optional<std::string> text_at(const boost::json::object& object, const char* key) {
    const auto* value = object.if_contains(key);
    return value != nullptr && value->is_string() ? std::optional(std::string(value->get_string())) : std::nullopt;
}

KeptMessage to_kept(const Message& message, std::string id) {
    const schema::Value written = schema::shape_of<Message>().write(&message);
    const boost::json::object& object = written.get_object();
    KeptMessage kept{.id = std::move(id),
                     .role = text_at(object, "role").value_or("user"),
                     .content = {},
                     .refusal = text_at(object, "refusal"),
                     .content_parts = {},
                     .tool_calls = {},
                     .tool_call_id = text_at(object, "tool_call_id")};
    if (const auto* content = object.if_contains("content")) {
        kept.content = text_of(*content);
        if (const auto* parts = content->if_array())
            kept.content_parts.emplace(parts->begin(), parts->end());
    }
    if (const auto* assistant = std::get_if<AssistantMessage>(&message))
        kept.tool_calls = assistant->tool_calls;
    return kept;
}

}  // namespace

std::vector<KeptMessage> to_kept_messages(const std::vector<Message>& messages, const std::string& completion_id) {
    std::vector<KeptMessage> kept;
    kept.reserve(messages.size());
    for (const Message& message : messages)
        kept.push_back(to_kept(message, fmt::format("{}-{}", completion_id, kept.size())));
    return kept;
}

store::Entry to_entry(store::Key key, std::int64_t created, std::string model, const Request& request) {
    KeptMessages messages{to_kept_messages(request.messages, key.id)};
    return {.key = std::move(key),
            .created = created,
            .model = std::move(model),
            .previous = {},
            .metadata = request.metadata.value_or(Metadata{}),
            .body = {},
            .input = schema::to_text(messages),
            .events = {}};
}

std::vector<KeptMessage> to_messages(const store::Entry& entry) {
    auto parsed = schema::parse<KeptMessages>(entry.input);
    return parsed ? std::move(parsed->value.messages) : std::vector<KeptMessage>{};
}

std::optional<Completion> to_completion(const store::Entry& entry) {
    auto parsed = schema::parse<Completion>(entry.body);
    if (!parsed)
        return std::nullopt;
    parsed->value.metadata = entry.metadata;
    return std::move(parsed->value);
}

const schema::Enum<Order>& describe(schema::Type<Order>) {
    static const schema::Enum<Order> names({{"asc", Order::ascending}, {"desc", Order::descending}});
    return names;
}

const schema::Object<MessagesQuery>& describe(schema::Type<MessagesQuery>) {
    using T = MessagesQuery;
    static const auto table =
        schema::Object<T>("", "")
            .field("limit", &T::limit, {.doc = "At most so many.", .minimum = 1, .maximum = 100})
            .field("order", &T::order, {.doc = "`asc`: from the first one on; `desc`: from the last one back."})
            .field("after", &T::after, {.doc = "Only those after the one with this id.", .min_length = 1});
    return table;
}

const schema::Object<ListQuery>& describe(schema::Type<ListQuery>) {
    using T = ListQuery;
    static const auto table =
        schema::Object<T>("", "")
            .include(&T::page)
            .field("model", &T::model, {.doc = "Only those of this model.", .min_length = 1})
            .field("metadata", &T::metadata,
                   {.doc = "Only those that have all of these: `metadata[topic]=demo`.", .max_items = 16});
    return table;
}

const schema::Object<Update>& describe(schema::Type<Update>) {
    static const auto table =
        schema::Object<Update>("UpdateChatCompletionRequest", "What is to be changed of a kept completion.")
            .field(
                "metadata", &Update::metadata,
                [] {
                    auto options = metadata_options("Instead of what was there.");
                    options.required = true;
                    return options;
                }(),
                [](const Metadata& metadata) { return check_metadata(metadata); });
    return table;
}

const schema::Object<CompletionList>& describe(schema::Type<CompletionList>) {
    using T = CompletionList;
    static const auto table =
        schema::Object<T>("ChatCompletionList", "A part of the kept completions.")
            .constant("object", "list")
            .field("data", &T::data, {.doc = "The completions.", .required = true})
            .field("first_id", &T::first_id, {.doc = "Of the first one here.", .required = true})
            .field("last_id", &T::last_id,
                   {.doc = "Of the last one here: `after` for the next part.", .required = true})
            .field("has_more", &T::has_more, {.doc = "Whether more come after these.", .required = true});
    return table;
}

const schema::Object<DeletedCompletion>& describe(schema::Type<DeletedCompletion>) {
    using T = DeletedCompletion;
    static const auto table = schema::Object<T>("ChatCompletionDeleted", "It is gone.")
                                  .constant("object", "chat.completion.deleted")
                                  .field("id", &T::id, {.doc = "What was deleted.", .required = true})
                                  .field("deleted", &T::deleted, {.doc = "Always true.", .required = true});
    return table;
}

const schema::Object<KeptMessage>& describe(schema::Type<KeptMessage>) {
    using T = KeptMessage;
    static const auto table =
        schema::Object<T>("ChatCompletionKeptMessage", "A message that a kept completion was asked with.")
            .field("id", &T::id, {.doc = "Its name.", .required = true})
            .field("role", &T::role, {.doc = "Who says it.", .required = true})
            .field("content", &T::content, {.doc = "Its text; of parts, their texts together.", .required = true})
            .field("refusal", &T::refusal, {.doc = "An earlier refusal.", .required = true})
            .field("content_parts", &T::content_parts, {.doc = "Its parts, when it has any.", .required = true})
            .field("tool_calls", &T::tool_calls, {.doc = "Calls it asks for."})
            .field("tool_call_id", &T::tool_call_id, {.doc = "Which call it answers."});
    return table;
}

const schema::Object<MessageList>& describe(schema::Type<MessageList>) {
    using T = MessageList;
    static const auto table =
        schema::Object<T>("ChatCompletionMessageList", "A part of the messages of a kept completion.")
            .constant("object", "list")
            .field("data", &T::data, {.doc = "The messages.", .required = true})
            .field("first_id", &T::first_id, {.doc = "Of the first one here.", .required = true})
            .field("last_id", &T::last_id,
                   {.doc = "Of the last one here: `after` for the next part.", .required = true})
            .field("has_more", &T::has_more, {.doc = "Whether more come after these.", .required = true});
    return table;
}

}  // namespace gateway::api::chat
