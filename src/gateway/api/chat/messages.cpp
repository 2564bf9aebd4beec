#include "gateway/api/chat/messages.hpp"

#include "schema/json.hpp"

namespace gateway::api::chat {
namespace {

/// Chat templates take arguments apart, so they must be what they claim to be.
std::optional<std::string> check_arguments(const std::string& arguments) {
    if (arguments.empty())
        return std::nullopt;
    const auto value = schema::read_json(arguments);
    if (!value || !value->is_object())
        return "must be the JSON text of an object";
    return std::nullopt;
}

}  // namespace

const schema::Object<TextPart>& describe(schema::Type<TextPart>) {
    static const auto table = schema::Object<TextPart>("TextPart", "Text.")
                                  .constant("type", "text")
                                  .field("text", &TextPart::text, {.doc = "The text.", .required = true});
    return table;
}

const schema::Object<ImageUrl>& describe(schema::Type<ImageUrl>) {
    static const auto table =
        schema::Object<ImageUrl>("ImageUrl", "Where a picture is.")
            .field(
                "url", &ImageUrl::url,
                {.doc = "A `data:` URL with the picture in base64, e.g. `data:image/png;base64,...`; or an `https:` or "
                        "`http:` URL of a host that the server is set up to download from. PNG, JPEG or WebP.",
                 .required = true})
            .ignored<std::string>("detail", {.doc = "Accepted without effect: the model decides."});
    return table;
}

const schema::Object<ImagePart>& describe(schema::Type<ImagePart>) {
    static const auto table = schema::Object<ImagePart>("ImagePart", "A picture, for models that see.")
                                  .constant("type", "image_url")
                                  .field("image_url", &ImagePart::image_url, {.doc = "The picture.", .required = true});
    return table;
}

const schema::Enum<InputAudio::Format>& describe(schema::Type<InputAudio::Format>) {
    using enum InputAudio::Format;
    static const schema::Enum<InputAudio::Format> names({{"wav", wav}, {"mp3", mp3}});
    return names;
}

const schema::Object<InputAudio>& describe(schema::Type<InputAudio>) {
    static const auto table =
        schema::Object<InputAudio>("InputAudio", "Recorded sound.")
            .field("data", &InputAudio::data, {.doc = "The file in base64.", .required = true, .min_length = 1})
            .field("format", &InputAudio::format, {.doc = "What kind of file it is.", .required = true});
    return table;
}

const schema::Object<AudioPart>& describe(schema::Type<AudioPart>) {
    static const auto table =
        schema::Object<AudioPart>("AudioPart", "Sound, for models that hear.")
            .constant("type", "input_audio")
            .field("input_audio", &AudioPart::input_audio, {.doc = "The sound.", .required = true});
    return table;
}

const schema::Object<RefusalPart>& describe(schema::Type<RefusalPart>) {
    static const auto table =
        schema::Object<RefusalPart>("RefusalPart", "An earlier refusal; the model sees it as text.")
            .constant("type", "refusal")
            .field("refusal", &RefusalPart::refusal, {.doc = "What was said.", .required = true});
    return table;
}

const schema::Object<FunctionCall>& describe(schema::Type<FunctionCall>) {
    static const auto table =
        schema::Object<FunctionCall>("FunctionCall", "Which function, with which arguments.")
            .field("name", &FunctionCall::name, {.doc = "The function's name.", .required = true, .min_length = 1})
            .field(
                "arguments", &FunctionCall::arguments,
                {.doc = "The arguments as the JSON text of an object. In answers it is what the model wrote: check it "
                        "before use.",
                 .required = true,
                 .example = R"({"city": "Hamburg"})"},
                check_arguments);
    return table;
}

const schema::Object<ToolCall>& describe(schema::Type<ToolCall>) {
    static const auto table =
        schema::Object<ToolCall>("ToolCall", "A call that the model wants to be made.")
            .field("id", &ToolCall::id,
                   {.doc = "Name of this call; the `tool` message that answers it repeats it.", .required = true})
            .constant("type", "function")
            .field("function", &ToolCall::function, {.doc = "The call.", .required = true});
    return table;
}

const schema::Object<SystemMessage>& describe(schema::Type<SystemMessage>) {
    static const auto table =
        schema::Object<SystemMessage>("SystemMessage", "Instructions for the model.")
            .constant("role", "system")
            .field("content", &SystemMessage::content, {.doc = "The instructions.", .required = true})
            .ignored<std::string>("name", {.doc = "Accepted without effect: say it in the content."});
    return table;
}

const schema::Object<DeveloperMessage>& describe(schema::Type<DeveloperMessage>) {
    static const auto table =
        schema::Object<DeveloperMessage>(
            "DeveloperMessage", "Instructions for the model; the same as `system` for models that know no other.")
            .constant("role", "developer")
            .field("content", &DeveloperMessage::content, {.doc = "The instructions.", .required = true})
            .ignored<std::string>("name", {.doc = "Accepted without effect: say it in the content."});
    return table;
}

const schema::Object<UserMessage>& describe(schema::Type<UserMessage>) {
    static const auto table =
        schema::Object<UserMessage>("UserMessage", "What a person says.")
            .constant("role", "user")
            .field("content", &UserMessage::content, {.doc = "Text, or parts of several kinds.", .required = true})
            .ignored<std::string>("name", {.doc = "Accepted without effect: say it in the content."});
    return table;
}

const schema::Object<AssistantMessage>& describe(schema::Type<AssistantMessage>) {
    static const auto table =
        schema::Object<AssistantMessage>("AssistantMessage", "What the model said earlier.")
            .constant("role", "assistant")
            .field("content", &AssistantMessage::content, {.doc = "The text. May be absent beside `tool_calls`."})
            .ignored<std::string>("name", {.doc = "Accepted without effect: say it in the content."})
            .field("refusal", &AssistantMessage::refusal, {.doc = "An earlier refusal."})
            .field("reasoning_content", &AssistantMessage::reasoning_content,
                   {.doc = "Extension: what the model thought before that answer."})
            .field("tool_calls", &AssistantMessage::tool_calls, {.doc = "The calls it asked for."})
            .field("function_call", &AssistantMessage::function_call,
                   {.doc = "What `tool_calls` was before there could be several.", .deprecated = true})
            .ignored("audio", {.doc = "Accepted without effect: no earlier answer was spoken."})
            .check([](const AssistantMessage& message, const schema::Reading& reading) {
                const bool says_something = message.content || message.refusal || message.tool_calls ||
                                            message.function_call || message.reasoning_content;
                if (!says_something)
                    reading.at("content").fault(schema::FaultKind::missing, "is required without tool_calls");
            });
    return table;
}

const schema::Object<ToolMessage>& describe(schema::Type<ToolMessage>) {
    static const auto table =
        schema::Object<ToolMessage>("ToolMessage", "What a called function returned.")
            .constant("role", "tool")
            .field("content", &ToolMessage::content, {.doc = "The result.", .required = true})
            .field("tool_call_id", &ToolMessage::tool_call_id, {.doc = "Which call it answers.", .required = true});
    return table;
}

const schema::Object<FunctionMessage>& describe(schema::Type<FunctionMessage>) {
    static const auto table =
        schema::Object<FunctionMessage>("FunctionMessage", "What `tool` was before calls had ids.")
            .constant("role", "function")
            .field("content", &FunctionMessage::content, {.doc = "The result.", .required = true})
            .field("name", &FunctionMessage::name, {.doc = "Which function returned it.", .required = true});
    return table;
}

}  // namespace gateway::api::chat
