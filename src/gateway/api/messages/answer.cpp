#include "gateway/api/messages/answer.hpp"

#include <boost/json/array.hpp>

namespace gateway::api::messages {

const schema::Enum<StopReason>& describe(schema::Type<StopReason>) {
    using enum StopReason;
    static const schema::Enum<StopReason> names(
        {{"end_turn", end_turn},
         {"max_tokens", max_tokens},
         {"stop_sequence", stop_sequence},
         {"tool_use", tool_use},
         {"refusal", refusal},
         {"model_context_window_exceeded", model_context_window_exceeded}},
        "`end_turn`: the answer is complete. `max_tokens`: no more tokens were allowed. `stop_sequence`: one of "
        "`stop_sequences` came. `tool_use`: calls are to be made. `model_context_window_exceeded`: the context is "
        "full. `refusal` is never given here.");
    return names;
}

const schema::Object<OutputTokensDetails>& describe(schema::Type<OutputTokensDetails>) {
    using D = OutputTokensDetails;
    static const auto table =
        schema::Object<D>("MessagesOutputTokensDetails", "What the answer's tokens were for.")
            .field("thinking_tokens", &D::thinking_tokens, {.doc = "Thinking.", .required = true, .minimum = 0});
    return table;
}

const schema::Object<TokenCounts>& describe(schema::Type<TokenCounts>) {
    using T = TokenCounts;
    static const auto table =
        schema::Object<T>("", "")
            .field("input_tokens", &T::input_tokens,
                   {.doc = "Evaluated for this request; 0 when it has a `cache_control`: then they are counted as the "
                           "next.",
                    .required = true,
                    .minimum = 0})
            .field("cache_creation_input_tokens", &T::cache_creation_input_tokens,
                   {.doc = "Evaluated for this request and kept, when it has a `cache_control`. Every prompt is kept.",
                    .required = true,
                    .minimum = 0})
            .field("cache_read_input_tokens", &T::cache_read_input_tokens,
                   {.doc = "Evaluated already for an earlier request.", .required = true, .minimum = 0})
            .field("output_tokens", &T::output_tokens, {.doc = "Of the answer.", .required = true, .minimum = 0})
            .field("output_tokens_details", &T::output_tokens_details, {.doc = "More exactly.", .required = true});
    return table;
}

const schema::Object<Usage>& describe(schema::Type<Usage>) {
    static const auto table =
        schema::Object<Usage>("MessagesUsage", "Token counts. The prompt has the sum of the first three.")
            .include(&Usage::counts)
            .constant("cache_creation", nullptr)
            .constant("inference_geo", nullptr)
            .constant("server_tool_use", nullptr)
            .constant("service_tier", "standard");
    return table;
}

const schema::Object<StreamUsage>& describe(schema::Type<StreamUsage>) {
    static const auto table = schema::Object<StreamUsage>("MessagesStreamUsage", "Token counts of the whole answer.")
                                  .include(&StreamUsage::counts)
                                  .constant("server_tool_use", nullptr);
    return table;
}

const schema::Object<AnswerText>& describe(schema::Type<AnswerText>) {
    static const auto table = schema::Object<AnswerText>("MessagesAnswerText", "Text.")
                                  .constant("type", "text")
                                  .field("text", &AnswerText::text, {.doc = "The text.", .required = true})
                                  // Null is as good by the description, but not for the provider of Vercel's SDK.
                                  .constant("citations", boost::json::array{});
    return table;
}

const schema::Object<AnswerToolUse>& describe(schema::Type<AnswerToolUse>) {
    using T = AnswerToolUse;
    static const auto table =
        schema::Object<T>("MessagesAnswerToolUse", "A call that the model wants to be made.")
            .constant("type", "tool_use")
            .field("id", &T::id,
                   {.doc = "Name of this call; the `tool_result` that answers it repeats it.", .required = true})
            .field("name", &T::name, {.doc = "The tool.", .required = true, .min_length = 1})
            .field("input", &T::input,
                   {.doc = "The arguments. Empty in an answer that was cut off inside of them.", .required = true})
            .constant("caller", boost::json::object{{"type", "direct"}});
    return table;
}

const schema::Object<Answer>& describe(schema::Type<Answer>) {
    static const auto table =
        schema::Object<Answer>("MessagesAnswer", "The whole answer.")
            .field("id", &Answer::id, {.doc = "Name of this answer.", .required = true, .example = "msg_1"})
            .constant("type", "message")
            .constant("role", "assistant")
            .field("model", &Answer::model, {.doc = "Which model answered.", .required = true})
            .field("content", &Answer::content, {.doc = "What it says, in order.", .required = true})
            .field("stop_reason", &Answer::stop_reason,
                   {.doc = "Why it ends; null only at the start of a stream.", .required = true})
            .field("stop_sequence", &Answer::stop_sequence,
                   {.doc = "Which of `stop_sequences` came, or null.", .required = true})
            .constant("stop_details", nullptr)
            .field("usage", &Answer::usage, {.doc = "Token counts.", .required = true})
            .constant("container", nullptr);
    return table;
}

const schema::Object<TokenCount>& describe(schema::Type<TokenCount>) {
    static const auto table = schema::Object<TokenCount>("MessagesTokenCount", "How long a prompt is.")
                                  .field("input_tokens", &TokenCount::input_tokens,
                                         {.doc = "Tokens of the prompt.", .required = true, .minimum = 0});
    return table;
}

const schema::Object<MessageStart>& describe(schema::Type<MessageStart>) {
    static const auto table =
        schema::Object<MessageStart>("MessagesMessageStart", "The first event.")
            .constant("type", "message_start")
            .field("message", &MessageStart::message, {.doc = "The answer, empty so far.", .required = true});
    return table;
}

const schema::Object<BlockStart>& describe(schema::Type<BlockStart>) {
    static const auto table =
        schema::Object<BlockStart>("MessagesContentBlockStart", "A block begins.")
            .constant("type", "content_block_start")
            .field("index", &BlockStart::index, {.doc = "Its place in `content`.", .required = true, .minimum = 0})
            .field("content_block", &BlockStart::content_block, {.doc = "The block, empty so far.", .required = true});
    return table;
}

const schema::Object<Ping>& describe(schema::Type<Ping>) {
    static const auto table =
        schema::Object<Ping>("MessagesPing", "Nothing; may come at any time.").constant("type", "ping");
    return table;
}

const schema::Object<TextDelta>& describe(schema::Type<TextDelta>) {
    static const auto table = schema::Object<TextDelta>("MessagesTextDelta", "More text.")
                                  .constant("type", "text_delta")
                                  .field("text", &TextDelta::text, {.doc = "What follows.", .required = true});
    return table;
}

const schema::Object<ThinkingDelta>& describe(schema::Type<ThinkingDelta>) {
    static const auto table =
        schema::Object<ThinkingDelta>("MessagesThinkingDelta", "More thoughts.")
            .constant("type", "thinking_delta")
            .field("thinking", &ThinkingDelta::thinking, {.doc = "What follows.", .required = true});
    return table;
}

const schema::Object<SignatureDelta>& describe(schema::Type<SignatureDelta>) {
    static const auto table =
        schema::Object<SignatureDelta>("MessagesSignatureDelta", "Ends a block of thoughts.")
            .constant("type", "signature_delta")
            .field("signature", &SignatureDelta::signature, {.doc = "Always `unsigned`.", .required = true});
    return table;
}

const schema::Object<InputJsonDelta>& describe(schema::Type<InputJsonDelta>) {
    static const auto table =
        schema::Object<InputJsonDelta>("MessagesInputJsonDelta", "More of the arguments' JSON text.")
            .constant("type", "input_json_delta")
            .field("partial_json", &InputJsonDelta::partial_json, {.doc = "What follows.", .required = true});
    return table;
}

const schema::Object<BlockDelta>& describe(schema::Type<BlockDelta>) {
    static const auto table =
        schema::Object<BlockDelta>("MessagesContentBlockDelta", "More of a block.")
            .constant("type", "content_block_delta")
            .field("index", &BlockDelta::index, {.doc = "Which block.", .required = true, .minimum = 0})
            .field("delta", &BlockDelta::delta, {.doc = "What is added to it.", .required = true});
    return table;
}

const schema::Object<BlockStop>& describe(schema::Type<BlockStop>) {
    static const auto table =
        schema::Object<BlockStop>("MessagesContentBlockStop", "A block is complete.")
            .constant("type", "content_block_stop")
            .field("index", &BlockStop::index, {.doc = "Which block.", .required = true, .minimum = 0});
    return table;
}

const schema::Object<Ending>& describe(schema::Type<Ending>) {
    static const auto table = schema::Object<Ending>("MessagesEnding", "How an answer ends.")
                                  .field("stop_reason", &Ending::stop_reason, {.doc = "Why.", .required = true})
                                  .field("stop_sequence", &Ending::stop_sequence,
                                         {.doc = "Which of `stop_sequences` came, or null.", .required = true})
                                  .constant("stop_details", nullptr)
                                  .constant("container", nullptr);
    return table;
}

const schema::Object<MessageDelta>& describe(schema::Type<MessageDelta>) {
    static const auto table =
        schema::Object<MessageDelta>("MessagesMessageDelta", "All blocks are complete.")
            .constant("type", "message_delta")
            .field("delta", &MessageDelta::delta, {.doc = "How the answer ends.", .required = true})
            .field("usage", &MessageDelta::usage, {.doc = "Token counts of all of it.", .required = true});
    return table;
}

const schema::Object<MessageStop>& describe(schema::Type<MessageStop>) {
    static const auto table =
        schema::Object<MessageStop>("MessagesMessageStop", "The last event.").constant("type", "message_stop");
    return table;
}

const schema::Object<ErrorDetails>& describe(schema::Type<ErrorDetails>) {
    static const auto table =
        schema::Object<ErrorDetails>("MessagesError", "What is wrong.")
            .field("type", &ErrorDetails::type,
                   {.doc = "`invalid_request_error`, `authentication_error`, `not_found_error`, `request_too_large`, "
                           "`rate_limit_error`, `timeout_error`, `overloaded_error` or `api_error`.",
                    .required = true})
            .field("message", &ErrorDetails::message, {.doc = "For people.", .required = true})
            .field("param", &ErrorDetails::param, {.doc = "Extension: path of the field at fault."});
    return table;
}

const schema::Object<ErrorBody>& describe(schema::Type<ErrorBody>) {
    static const auto table = schema::Object<ErrorBody>("MessagesErrorResponse", "Every error looks like this.")
                                  .constant("type", "error")
                                  .field("error", &ErrorBody::error, {.doc = "What is wrong.", .required = true})
                                  .field("request_id", &ErrorBody::request_id,
                                         {.doc = "Name of the request in the server's log.", .required = true});
    return table;
}

}  // namespace gateway::api::messages
