#pragma once

/// The messages of a conversation, one type for each role, as OpenAI's clients send them.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "schema/object.hpp"

namespace gateway::api::chat {

// ---------------------------------------------------------------- parts of a content

struct TextPart {
    std::string text;
};

struct ImageUrl {
    /// A `data:` URL with base64, or where to download it.
    std::string url;
};

struct ImagePart {
    ImageUrl image_url;
};

struct InputAudio {
    enum class Format { wav, mp3 };
    std::string data;
    Format format = Format::wav;
};

struct AudioPart {
    InputAudio input_audio;
};

struct RefusalPart {
    std::string refusal;
};

using TextContent = std::variant<std::string, std::vector<TextPart>>;
using UserContent = std::variant<std::string, std::vector<std::variant<TextPart, ImagePart, AudioPart>>>;
using AssistantContent = std::variant<std::string, std::vector<std::variant<TextPart, RefusalPart>>>;

// ---------------------------------------------------------------- messages

struct FunctionCall {
    std::string name;
    /// JSON text of an object, as the model wrote it.
    std::string arguments;
};

struct ToolCall {
    std::string id;
    FunctionCall function;
};

struct SystemMessage {
    TextContent content;
};

struct DeveloperMessage {
    TextContent content;
};

struct UserMessage {
    UserContent content;
};

struct AssistantMessage {
    std::optional<AssistantContent> content;
    std::optional<std::string> refusal;
    std::optional<std::string> reasoning_content;
    std::optional<std::vector<ToolCall>> tool_calls;
    std::optional<FunctionCall> function_call;
};

struct ToolMessage {
    TextContent content;
    std::string tool_call_id;
};

/// What `ToolMessage` was before tools had ids.
struct FunctionMessage {
    std::optional<std::string> content;
    std::string name;
};

using Message =
    std::variant<SystemMessage, DeveloperMessage, UserMessage, AssistantMessage, ToolMessage, FunctionMessage>;

const schema::Object<TextPart>& describe(schema::Type<TextPart>);
const schema::Object<ImageUrl>& describe(schema::Type<ImageUrl>);
const schema::Object<ImagePart>& describe(schema::Type<ImagePart>);
const schema::Enum<InputAudio::Format>& describe(schema::Type<InputAudio::Format>);
const schema::Object<InputAudio>& describe(schema::Type<InputAudio>);
const schema::Object<AudioPart>& describe(schema::Type<AudioPart>);
const schema::Object<RefusalPart>& describe(schema::Type<RefusalPart>);
const schema::Object<FunctionCall>& describe(schema::Type<FunctionCall>);
const schema::Object<ToolCall>& describe(schema::Type<ToolCall>);
const schema::Object<SystemMessage>& describe(schema::Type<SystemMessage>);
const schema::Object<DeveloperMessage>& describe(schema::Type<DeveloperMessage>);
const schema::Object<UserMessage>& describe(schema::Type<UserMessage>);
const schema::Object<AssistantMessage>& describe(schema::Type<AssistantMessage>);
const schema::Object<ToolMessage>& describe(schema::Type<ToolMessage>);
const schema::Object<FunctionMessage>& describe(schema::Type<FunctionMessage>);

}  // namespace gateway::api::chat
