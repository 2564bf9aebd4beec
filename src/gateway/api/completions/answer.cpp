#include "gateway/api/completions/answer.hpp"

namespace gateway::api::completions {

const schema::Object<Logprobs>& describe(schema::Type<Logprobs>) {
    using T = Logprobs;
    static const auto table =
        schema::Object<T>("CompletionLogprobs", "Log probabilities; the lists have one element for each token.")
            .field("tokens", &T::tokens, {.doc = "The tokens as text.", .required = true})
            .field(
                "token_logprobs", &T::token_logprobs,
                {.doc = "Natural logarithms of their probabilities, before temperature and filters. Null for a token "
                        "with nothing before it.",
                 .required = true})
            .field(
                "top_logprobs", &T::top_logprobs,
                {.doc = "Those of the likeliest tokens at each place, and of the one that is there.", .required = true})
            .field("text_offset", &T::text_offset,
                   {.doc = "Where each token begins in the choice's text, in characters.", .required = true});
    return table;
}

const schema::Enum<FinishReason>& describe(schema::Type<FinishReason>) {
    using enum FinishReason;
    static const schema::Enum<FinishReason> names(
        {{"stop", stop}, {"length", length}},
        "`stop`: the answer is complete or a stop text came. `length`: no more tokens were allowed or the context is "
        "full.");
    return names;
}

const schema::Object<Choice>& describe(schema::Type<Choice>) {
    using T = Choice;
    static const auto table =
        schema::Object<T>("CompletionChoice", "One of the answers, or in a stream what is new in it.")
            .field("text", &T::text, {.doc = "The text.", .required = true})
            .field("index", &T::index,
                   {.doc = "Which answer, from 0: those to the first prompt, then those to the second.",
                    .required = true,
                    .minimum = 0})
            .field("logprobs", &T::logprobs, {.doc = "When asked for, else null.", .required = true})
            .field("finish_reason", &T::finish_reason,
                   {.doc = "Why it ends; in a stream null until the last event of this answer.", .required = true});
    return table;
}

const schema::Object<Completion>& describe(schema::Type<Completion>) {
    using T = Completion;
    static const auto table =
        schema::Object<T>("CreateCompletionResponse", "The answers, or one event of a stream of them.")
            .field("id", &T::id, {.doc = "Name of this answer.", .required = true, .example = "cmpl-1"})
            .constant("object", "text_completion")
            .field("created", &T::created, {.doc = "Unix time in seconds.", .required = true})
            .field("model", &T::model, {.doc = "Which model answered.", .required = true})
            .field("choices", &T::choices,
                   {.doc = "The answers in the order of their index. In a stream what is new; empty in the event with "
                           "the usage.",
                    .required = true})
            .field("usage", &T::usage,
                   {.doc = "Token counts. In a stream only with `include_usage`: null, and the counts in the last "
                           "event."})
            .field("system_fingerprint", &T::system_fingerprint,
                   {.doc = "Changes with the model file and the engine.", .required = true});
    return table;
}

}  // namespace gateway::api::completions
