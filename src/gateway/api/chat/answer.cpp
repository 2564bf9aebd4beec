#include "gateway/api/chat/answer.hpp"

namespace gateway::api::chat {

const schema::Object<TopLogprob>& describe(schema::Type<TopLogprob>) {
    using T = TopLogprob;
    static const auto table =
        schema::Object<T>("TopLogprob", "One of the likeliest tokens at a place.")
            .field("token", &T::token, {.doc = "The token as text.", .required = true})
            .field("logprob", &T::logprob, {.doc = "Natural logarithm of its probability.", .required = true})
            .field("bytes", &T::bytes, {.doc = "Its bytes; a token may be part of a character.", .required = true});
    return table;
}

const schema::Object<TokenLogprob>& describe(schema::Type<TokenLogprob>) {
    using T = TokenLogprob;
    static const auto table =
        schema::Object<T>("TokenLogprob", "A token of the answer with its log probability.")
            .field("token", &T::token, {.doc = "The token as text.", .required = true})
            .field("logprob", &T::logprob,
                   {.doc = "Natural logarithm of its probability, before temperature and filters.", .required = true})
            .field("bytes", &T::bytes, {.doc = "Its bytes; a token may be part of a character.", .required = true})
            .field("top_logprobs", &T::top_logprobs,
                   {.doc = "The likeliest tokens at this place, best first.", .required = true});
    return table;
}

const schema::Object<Logprobs>& describe(schema::Type<Logprobs>) {
    static const auto table =
        schema::Object<Logprobs>("Logprobs", "Log probabilities of the tokens.")
            .field("content", &Logprobs::content,
                   {.doc = "Of all tokens of the answer, thinking and tool calls included.", .required = true})
            .field("refusal", &Logprobs::refusal, {.doc = "Always null.", .required = true});
    return table;
}

const schema::Enum<FinishReason>& describe(schema::Type<FinishReason>) {
    using enum FinishReason;
    static const schema::Enum<FinishReason> names(
        {{"stop", stop}, {"length", length}, {"tool_calls", tool_calls}, {"content_filter", content_filter}},
        "`stop`: the answer is complete or a stop text came. `length`: no more tokens were allowed or the context is "
        "full. "
        "`tool_calls`: calls are to be made.");
    return names;
}

const schema::Object<PromptTokensDetails>& describe(schema::Type<PromptTokensDetails>) {
    using T = PromptTokensDetails;
    static const auto table =
        schema::Object<T>("PromptTokensDetails", "Where the prompt's tokens came from.")
            .field("cached_tokens", &T::cached_tokens,
                   {.doc = "Evaluated already for an earlier request.", .required = true, .minimum = 0})
            .field("audio_tokens", &T::audio_tokens, {.doc = "Always 0.", .required = true, .minimum = 0});
    return table;
}

const schema::Object<CompletionTokensDetails>& describe(schema::Type<CompletionTokensDetails>) {
    using T = CompletionTokensDetails;
    static const auto table =
        schema::Object<T>("CompletionTokensDetails", "What the answer's tokens were for.")
            .field("reasoning_tokens", &T::reasoning_tokens, {.doc = "Thinking.", .required = true, .minimum = 0})
            .field("audio_tokens", &T::audio_tokens, {.doc = "Always 0.", .required = true, .minimum = 0})
            .field("accepted_prediction_tokens", &T::accepted_prediction_tokens,
                   {.doc = "Guessed from `prediction`, and right.", .required = true, .minimum = 0})
            .field("rejected_prediction_tokens", &T::rejected_prediction_tokens,
                   {.doc = "Guessed from `prediction`, and wrong. Not part of the answer.",
                    .required = true,
                    .minimum = 0});
    return table;
}

const schema::Object<Usage>& describe(schema::Type<Usage>) {
    static const auto table =
        schema::Object<Usage>("CompletionUsage", "Token counts of the request.")
            .field("prompt_tokens", &Usage::prompt_tokens, {.doc = "Of the prompt.", .required = true, .minimum = 0})
            .field("completion_tokens", &Usage::completion_tokens,
                   {.doc = "Of all answers.", .required = true, .minimum = 0})
            .field("total_tokens", &Usage::total_tokens, {.doc = "The sum.", .required = true, .minimum = 0})
            .field("prompt_tokens_details", &Usage::prompt_tokens_details, {.doc = "More exactly.", .required = true})
            .field("completion_tokens_details", &Usage::completion_tokens_details,
                   {.doc = "More exactly.", .required = true});
    return table;
}

const schema::Object<AnswerMessage>& describe(schema::Type<AnswerMessage>) {
    using T = AnswerMessage;
    static const auto table =
        schema::Object<T>("AnswerMessage", "What the model says.")
            .constant("role", "assistant")
            .field("content", &T::content, {.doc = "The text; null only beside `tool_calls`.", .required = true})
            .field("refusal", &T::refusal, {.doc = "Always null.", .required = true})
            .field("reasoning_content", &T::reasoning_content,
                   {.doc = "Extension: what the model thought before, when it is one that thinks."})
            .field("tool_calls", &T::tool_calls, {.doc = "The calls it asks for."});
    return table;
}

const schema::Object<Choice>& describe(schema::Type<Choice>) {
    static const auto table =
        schema::Object<Choice>("Choice", "One of the answers.")
            .field("index", &Choice::index, {.doc = "From 0.", .required = true, .minimum = 0})
            .field("message", &Choice::message, {.doc = "The answer.", .required = true})
            .field("logprobs", &Choice::logprobs, {.doc = "When asked for, else null.", .required = true})
            .field("finish_reason", &Choice::finish_reason, {.doc = "Why it ends.", .required = true});
    return table;
}

const schema::Object<Completion>& describe(schema::Type<Completion>) {
    using T = Completion;
    static const auto table =
        schema::Object<T>("CreateChatCompletionResponse", "The whole answer.")
            .field("id", &T::id, {.doc = "Name of this answer.", .required = true, .example = "chatcmpl-1"})
            .constant("object", "chat.completion")
            .field("created", &T::created, {.doc = "Unix time in seconds.", .required = true})
            .field("model", &T::model, {.doc = "Which model answered.", .required = true})
            .field("choices", &T::choices, {.doc = "As many as asked for.", .required = true})
            .field("usage", &T::usage, {.doc = "Token counts.", .required = true})
            .field("service_tier", &T::service_tier, {.doc = "`default`, `flex` or `priority`.", .required = true})
            .field("system_fingerprint", &T::system_fingerprint,
                   {.doc = "Changes with the model file and the engine: equal seeds then give equal answers only where "
                           "it is equal.",
                    .required = true})
            .field("metadata", &T::metadata, {.doc = "As the request has it."});
    return table;
}

const schema::Object<FunctionDelta>& describe(schema::Type<FunctionDelta>) {
    static const auto table = schema::Object<FunctionDelta>("FunctionDelta", "A piece of a call.")
                                  .field("name", &FunctionDelta::name, {.doc = "In the first piece only."})
                                  .field("arguments", &FunctionDelta::arguments, {.doc = "More of the JSON text."});
    return table;
}

const schema::Object<ToolCallDelta>& describe(schema::Type<ToolCallDelta>) {
    using T = ToolCallDelta;
    static const auto table =
        schema::Object<T>("ToolCallDelta", "A piece of a tool call.")
            .field("index", &T::index, {.doc = "Which call of the answer, from 0.", .required = true, .minimum = 0})
            .field("id", &T::id, {.doc = "In the first piece only."})
            .field("type", &T::type, {.doc = "`function`, in the first piece only."})
            .field("function", &T::function, {.doc = "Its name, or more of its arguments.", .required = true});
    return table;
}

const schema::Object<Delta>& describe(schema::Type<Delta>) {
    static const auto table =
        schema::Object<Delta>("Delta", "What is new in an answer.")
            .field("role", &Delta::role, {.doc = "`assistant`, in the first chunk of the answer only."})
            .field("content", &Delta::content, {.doc = "More text."})
            .field("reasoning_content", &Delta::reasoning_content, {.doc = "Extension: more thinking."})
            .field("tool_calls", &Delta::tool_calls, {.doc = "Pieces of calls."});
    return table;
}

const schema::Object<ChunkChoice>& describe(schema::Type<ChunkChoice>) {
    using T = ChunkChoice;
    static const auto table =
        schema::Object<T>("ChunkChoice", "What is new in one of the answers.")
            .field("index", &T::index, {.doc = "Which answer, from 0.", .required = true, .minimum = 0})
            .field("delta", &T::delta, {.doc = "What is new.", .required = true})
            .field("logprobs", &T::logprobs, {.doc = "Of the new tokens, when asked for, else null.", .required = true})
            .field("finish_reason", &T::finish_reason,
                   {.doc = "Null until the last chunk of this answer.", .required = true});
    return table;
}

const schema::Object<PromptProgress>& describe(schema::Type<PromptProgress>) {
    using T = PromptProgress;
    static const auto table =
        schema::Object<T>("PromptProgress", "Extension of llama.cpp: how far the prompt is evaluated.")
            .field("total", &T::total, {.doc = "Tokens of the prompt.", .required = true, .minimum = 0})
            .field("cache", &T::cache, {.doc = "Of these evaluated already before.", .required = true, .minimum = 0})
            .field("processed", &T::processed,
                   {.doc = "Done so far, cached ones included.", .required = true, .minimum = 0})
            .field("time_ms", &T::time_ms, {.doc = "Since the first of these chunks.", .required = true, .minimum = 0});
    return table;
}

const schema::Object<Chunk>& describe(schema::Type<Chunk>) {
    using T = Chunk;
    static const auto table =
        schema::Object<T>("CreateChatCompletionStreamResponse", "One event of a streamed answer.")
            .field("id", &T::id, {.doc = "The same in all chunks.", .required = true, .example = "chatcmpl-1"})
            .constant("object", "chat.completion.chunk")
            .field("created", &T::created, {.doc = "Unix time in seconds, the same in all chunks.", .required = true})
            .field("model", &T::model, {.doc = "Which model answers.", .required = true})
            .field("choices", &T::choices, {.doc = "What is new; empty in the chunk with the usage.", .required = true})
            .field("usage", &T::usage, {.doc = "With `include_usage`: null, and the counts in the last chunk."})
            .field("prompt_progress", &T::prompt_progress, {.doc = "Extension: with `return_progress` only."})
            .field("obfuscation", &T::obfuscation, {.doc = "With `include_obfuscation`: hides how long the delta is."})
            .field("service_tier", &T::service_tier, {.doc = "`default`, `flex` or `priority`.", .required = true})
            .field("system_fingerprint", &T::system_fingerprint, {.doc = "As in the whole answer.", .required = true});
    return table;
}

}  // namespace gateway::api::chat
