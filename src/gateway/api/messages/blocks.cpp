#include "gateway/api/messages/blocks.hpp"

namespace gateway::api::messages {
namespace {

constexpr const char* keep_doc = "Keep the prompt up to here. Every prompt is kept anyway, as long as there is room.";

}  // namespace

const schema::Object<CacheControl>& describe(schema::Type<CacheControl>) {
    static const auto table =
        schema::Object<CacheControl>("MessagesCacheControl", "Marks what the client wants kept.")
            .constant("type", "ephemeral")
            .ignored<std::string>("ttl", {.doc = "Accepted without effect: what is not used leaves when room is "
                                                 "needed."});
    return table;
}

const schema::Object<TextBlock>& describe(schema::Type<TextBlock>) {
    static const auto table = schema::Object<TextBlock>("MessagesTextBlock", "Text.")
                                  .constant("type", "text")
                                  .field("text", &TextBlock::text, {.doc = "The text.", .required = true})
                                  .field("cache_control", &TextBlock::cache_control, {.doc = keep_doc})
                                  .ignored("citations", {.doc = "Accepted without effect."});
    return table;
}

const schema::Object<Base64Source>& describe(schema::Type<Base64Source>) {
    static const auto table =
        schema::Object<Base64Source>("MessagesBase64Source", "A file in the request.")
            .constant("type", "base64")
            .field("media_type", &Base64Source::media_type,
                   {.doc = "What kind of file it is.", .required = true, .example = "image/png"})
            .field("data", &Base64Source::data, {.doc = "The file in base64.", .required = true, .min_length = 1});
    return table;
}

const schema::Object<UrlSource>& describe(schema::Type<UrlSource>) {
    static const auto table =
        schema::Object<UrlSource>("MessagesUrlSource",
                                  "A file elsewhere, on a host that the server is set up to download from.")
            .constant("type", "url")
            .field("url", &UrlSource::url, {.doc = "Its https: or http: address.", .required = true});
    return table;
}

const schema::Object<ImageBlock>& describe(schema::Type<ImageBlock>) {
    static const auto table = schema::Object<ImageBlock>("MessagesImageBlock", "A picture, for models that see.")
                                  .constant("type", "image")
                                  .field("source", &ImageBlock::source, {.doc = "The picture.", .required = true})
                                  .field("cache_control", &ImageBlock::cache_control, {.doc = keep_doc});
    return table;
}

const schema::Object<PlainTextSource>& describe(schema::Type<PlainTextSource>) {
    static const auto table = schema::Object<PlainTextSource>("MessagesPlainTextSource", "A text in the request.")
                                  .constant("type", "text")
                                  .constant("media_type", "text/plain")
                                  .field("data", &PlainTextSource::data, {.doc = "The text.", .required = true});
    return table;
}

const schema::Object<DocumentBlock>& describe(schema::Type<DocumentBlock>) {
    static const auto table =
        schema::Object<DocumentBlock>("MessagesDocumentBlock", "A document to read. Plain text only.")
            .constant("type", "document")
            .field("source", &DocumentBlock::source, {.doc = "The text.", .required = true})
            .field("title", &DocumentBlock::title, {.doc = "Shown to the model before the text."})
            .field("context", &DocumentBlock::context, {.doc = "Shown to the model before the text."})
            .field("cache_control", &DocumentBlock::cache_control, {.doc = keep_doc})
            .ignored("citations", {.doc = "Accepted without effect: answers do not cite."});
    return table;
}

const schema::Object<ThinkingBlock>& describe(schema::Type<ThinkingBlock>) {
    static const auto table =
        schema::Object<ThinkingBlock>("MessagesThinkingBlock", "What the model thought before it answered.")
            .constant("type", "thinking")
            .field("thinking", &ThinkingBlock::thinking, {.doc = "The thoughts.", .required = true})
            .field("signature", &ThinkingBlock::signature,
                   {.doc = "Answers say `unsigned`; what comes back is not checked."});
    return table;
}

const schema::Object<RedactedThinkingBlock>& describe(schema::Type<RedactedThinkingBlock>) {
    static const auto table =
        schema::Object<RedactedThinkingBlock>(
            "MessagesRedactedThinkingBlock", "Thoughts that another server has encrypted; the model does not see them.")
            .constant("type", "redacted_thinking")
            .ignored<std::string>("data", {.doc = "Accepted without effect.", .required = true});
    return table;
}

const schema::Object<ToolUseBlock>& describe(schema::Type<ToolUseBlock>) {
    static const auto table =
        schema::Object<ToolUseBlock>("MessagesToolUseBlock", "A call that the model wants to be made.")
            .constant("type", "tool_use")
            .field("id", &ToolUseBlock::id,
                   {.doc = "Name of this call; the `tool_result` that answers it repeats it.", .required = true})
            .field("name", &ToolUseBlock::name, {.doc = "The tool.", .required = true, .min_length = 1})
            .field("input", &ToolUseBlock::input,
                   {.doc = "The arguments. Empty in an answer that was cut off inside of them.", .required = true})
            .field("cache_control", &ToolUseBlock::cache_control, {.doc = keep_doc})
            .ignored("caller", {.doc = "Accepted without effect: it is always the model."});
    return table;
}

const schema::Object<ToolResultBlock>& describe(schema::Type<ToolResultBlock>) {
    static const auto table =
        schema::Object<ToolResultBlock>("MessagesToolResultBlock", "What a called tool returned.")
            .constant("type", "tool_result")
            .field("tool_use_id", &ToolResultBlock::tool_use_id, {.doc = "Which call it answers.", .required = true})
            .field("content", &ToolResultBlock::content, {.doc = "The result."})
            .field("is_error", &ToolResultBlock::is_error, {.doc = "The call failed; the model is told."})
            .field("cache_control", &ToolResultBlock::cache_control, {.doc = keep_doc});
    return table;
}

const schema::Object<UserMessage>& describe(schema::Type<UserMessage>) {
    static const auto table =
        schema::Object<UserMessage>("MessagesUserMessage", "What a person says, and what tools returned.")
            .constant("role", "user")
            .field("content", &UserMessage::content, {.doc = "Text, or blocks of several kinds.", .required = true});
    return table;
}

const schema::Object<AssistantMessage>& describe(schema::Type<AssistantMessage>) {
    static const auto table =
        schema::Object<AssistantMessage>("MessagesAssistantMessage", "What the model said earlier.")
            .constant("role", "assistant")
            .field("content", &AssistantMessage::content,
                   {.doc = "Text, or blocks of several kinds: an earlier answer as it came.", .required = true});
    return table;
}

const schema::Object<SystemMessage>& describe(schema::Type<SystemMessage>) {
    static const auto table =
        schema::Object<SystemMessage>("MessagesSystemMessage", "Instructions in the middle of a conversation.")
            .constant("role", "system")
            .field("content", &SystemMessage::content, {.doc = "The instructions.", .required = true});
    return table;
}

}  // namespace gateway::api::messages
