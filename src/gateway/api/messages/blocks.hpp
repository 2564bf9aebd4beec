#pragma once

/// The blocks that a message of Anthropic's API is made of: in requests, and those of answers, which come back in the
/// next request.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "schema/object.hpp"

namespace gateway::api::messages {

/// Marks where the part of a prompt ends that the client wants kept. All of every prompt is kept here.
struct CacheControl {};

struct TextBlock {
    std::string text;
    std::optional<CacheControl> cache_control;
};

struct Base64Source {
    std::string media_type;
    std::string data;
};

struct UrlSource {
    std::string url;
};

struct ImageBlock {
    std::variant<Base64Source, UrlSource> source;
    std::optional<CacheControl> cache_control;
};

struct PlainTextSource {
    std::string data;
};

/// A text with a title, for the model to read.
struct DocumentBlock {
    PlainTextSource source;
    std::optional<std::string> title;
    std::optional<std::string> context;
    std::optional<CacheControl> cache_control;
};

struct ThinkingBlock {
    std::string thinking;
    /// Answers here are not signed; what comes back is not checked.
    std::string signature;
};

/// Thinking that only the server which wrote it can read.
struct RedactedThinkingBlock {};

struct ToolUseBlock {
    std::string id;
    std::string name;
    boost::json::object input;
    std::optional<CacheControl> cache_control;
};

using Text = std::variant<std::string, std::vector<TextBlock>>;
using ResultContent = std::variant<std::string, std::vector<std::variant<TextBlock, ImageBlock, DocumentBlock>>>;

struct ToolResultBlock {
    std::string tool_use_id;
    std::optional<ResultContent> content;
    std::optional<bool> is_error;
    std::optional<CacheControl> cache_control;
};

using UserBlock = std::variant<TextBlock, ImageBlock, DocumentBlock, ToolResultBlock>;
using AssistantBlock = std::variant<TextBlock, ThinkingBlock, RedactedThinkingBlock, ToolUseBlock>;

struct UserMessage {
    std::variant<std::string, std::vector<UserBlock>> content;
};

struct AssistantMessage {
    std::variant<std::string, std::vector<AssistantBlock>> content;
};

/// Instructions in the middle of a conversation.
struct SystemMessage {
    Text content;
};

using Message = std::variant<UserMessage, AssistantMessage, SystemMessage>;

const schema::Object<CacheControl>& describe(schema::Type<CacheControl>);
const schema::Object<TextBlock>& describe(schema::Type<TextBlock>);
const schema::Object<Base64Source>& describe(schema::Type<Base64Source>);
const schema::Object<UrlSource>& describe(schema::Type<UrlSource>);
const schema::Object<ImageBlock>& describe(schema::Type<ImageBlock>);
const schema::Object<PlainTextSource>& describe(schema::Type<PlainTextSource>);
const schema::Object<DocumentBlock>& describe(schema::Type<DocumentBlock>);
const schema::Object<ThinkingBlock>& describe(schema::Type<ThinkingBlock>);
const schema::Object<RedactedThinkingBlock>& describe(schema::Type<RedactedThinkingBlock>);
const schema::Object<ToolUseBlock>& describe(schema::Type<ToolUseBlock>);
const schema::Object<ToolResultBlock>& describe(schema::Type<ToolResultBlock>);
const schema::Object<UserMessage>& describe(schema::Type<UserMessage>);
const schema::Object<AssistantMessage>& describe(schema::Type<AssistantMessage>);
const schema::Object<SystemMessage>& describe(schema::Type<SystemMessage>);

}  // namespace gateway::api::messages
