#include "gateway/api/responses/answer.hpp"

#include <boost/json/array.hpp>

namespace gateway::api::responses {

const schema::Enum<Status>& describe(schema::Type<Status>) {
    using enum Status;
    static const schema::Enum<Status> names({{"queued", queued},
                                             {"in_progress", in_progress},
                                             {"completed", completed},
                                             {"incomplete", incomplete},
                                             {"failed", failed},
                                             {"cancelled", cancelled}});
    return names;
}

const schema::Object<Problem>& describe(schema::Type<Problem>) {
    static const auto table =
        schema::Object<Problem>("ResponseError", "Why a response failed.")
            .field("code", &Problem::code,
                   {.doc = "`server_error`, `rate_limit_exceeded` or `invalid_prompt`.", .required = true})
            .field("message", &Problem::message, {.doc = "For people.", .required = true});
    return table;
}

const schema::Object<IncompleteDetails>& describe(schema::Type<IncompleteDetails>) {
    static const auto table =
        schema::Object<IncompleteDetails>("ResponseIncompleteDetails", "Why a response ends early.")
            .field(
                "reason", &IncompleteDetails::reason,
                {.doc = "`max_output_tokens`: no more tokens were allowed, or the context is full.", .required = true});
    return table;
}

const schema::Object<InputTokensDetails>& describe(schema::Type<InputTokensDetails>) {
    using T = InputTokensDetails;
    static const auto table =
        schema::Object<T>("ResponseInputTokensDetails", "Where the prompt's tokens came from.")
            .field("cached_tokens", &T::cached_tokens,
                   {.doc = "Evaluated already for an earlier request.", .required = true, .minimum = 0})
            .field("cache_write_tokens", &T::cache_write_tokens,
                   {.doc = "Always 0: keeping work for later has no price here.", .required = true, .minimum = 0});
    return table;
}

const schema::Object<OutputTokensDetails>& describe(schema::Type<OutputTokensDetails>) {
    using T = OutputTokensDetails;
    static const auto table =
        schema::Object<T>("ResponseOutputTokensDetails", "What the answer's tokens were for.")
            .field("reasoning_tokens", &T::reasoning_tokens, {.doc = "Thinking.", .required = true, .minimum = 0});
    return table;
}

const schema::Object<Usage>& describe(schema::Type<Usage>) {
    static const auto table =
        schema::Object<Usage>("ResponseUsage", "Token counts of the response.")
            .field("input_tokens", &Usage::input_tokens,
                   {.doc = "Of the whole conversation.", .required = true, .minimum = 0})
            .field("input_tokens_details", &Usage::input_tokens_details, {.doc = "More exactly.", .required = true})
            .field("output_tokens", &Usage::output_tokens, {.doc = "Of the answer.", .required = true, .minimum = 0})
            .field("output_tokens_details", &Usage::output_tokens_details, {.doc = "More exactly.", .required = true})
            .field("total_tokens", &Usage::total_tokens, {.doc = "The sum.", .required = true, .minimum = 0});
    return table;
}

const schema::Object<RepeatedTool>& describe(schema::Type<RepeatedTool>) {
    using T = RepeatedTool;
    static const auto table = schema::Object<T>("ResponseRepeatedTool", "A function of the request.")
                                  .constant("type", "function")
                                  .field("name", &T::name, {.doc = "Its name.", .required = true})
                                  .field("description", &T::description, {.doc = "What it does.", .required = true})
                                  .field("parameters", &T::parameters, {.doc = "A JSON Schema.", .required = true})
                                  .field("strict", &T::strict, {.doc = "As in the request.", .required = true});
    return table;
}

const schema::Object<RepeatedReasoning>& describe(schema::Type<RepeatedReasoning>) {
    using T = RepeatedReasoning;
    static const auto table = schema::Object<T>("ResponseRepeatedReasoning", "As in the request.")
                                  .field("effort", &T::effort, {.doc = "How long.", .required = true})
                                  .field("summary", &T::summary, {.doc = "Without effect.", .required = true});
    return table;
}

const schema::Object<Response>& describe(schema::Type<Response>) {
    using R = Response;
    static const auto table =
        schema::Object<R>("Response", "An answer, and what it was asked with.")
            .field("id", &R::id,
                   {.doc = "Its name.", .required = true, .example = "resp_0123456789abcdef0123456789abcdef"})
            .constant("object", "response")
            .field("created_at", &R::created_at, {.doc = "Unix time in seconds.", .required = true})
            .field("completed_at", &R::completed_at, {.doc = "When it was complete, else null.", .required = true})
            .field("status", &R::status, {.doc = "How far it is.", .required = true})
            .field("background", &R::background, {.doc = "As asked for.", .required = true})
            .field("error", &R::error, {.doc = "Why it failed, else null.", .required = true})
            .field("incomplete_details", &R::incomplete_details,
                   {.doc = "Why it ends early, else null.", .required = true})
            .field("instructions", &R::instructions, {.doc = "As asked for.", .required = true})
            .field("max_output_tokens", &R::max_output_tokens, {.doc = "As asked for.", .required = true})
            .field("max_tool_calls", &R::max_tool_calls, {.doc = "As asked for.", .required = true})
            .field("model", &R::model, {.doc = "Which model answers.", .required = true})
            .field("output", &R::output, {.doc = "What the model said, in order.", .required = true})
            .field("parallel_tool_calls", &R::parallel_tool_calls, {.doc = "As asked for.", .required = true})
            .field("previous_response_id", &R::previous_response_id, {.doc = "What it goes on from.", .required = true})
            .field("prompt_cache_key", &R::prompt_cache_key, {.doc = "As asked for.", .required = true})
            .field("reasoning", &R::reasoning, {.doc = "As asked for.", .required = true})
            .field("safety_identifier", &R::safety_identifier, {.doc = "As asked for.", .required = true})
            .field("service_tier", &R::service_tier, {.doc = "`default`, `flex` or `priority`.", .required = true})
            .field("store", &R::store, {.doc = "Whether it is kept.", .required = true})
            .field("temperature", &R::temperature, {.doc = "As asked for; null: the model's own.", .required = true})
            .field("text", &R::text, {.doc = "As asked for.", .required = true})
            .field("tool_choice", &R::tool_choice, {.doc = "As asked for.", .required = true})
            .field("tools", &R::tools, {.doc = "As asked for.", .required = true})
            .field("top_logprobs", &R::top_logprobs, {.doc = "As asked for.", .required = true})
            .field("top_p", &R::top_p, {.doc = "As asked for; null: the model's own.", .required = true})
            .field("truncation", &R::truncation, {.doc = "Always `disabled`.", .required = true})
            .field("usage", &R::usage, {.doc = "Token counts, once it has ended."})
            .field("user", &R::user, {.doc = "As asked for."})
            .field("metadata", &R::metadata, {.doc = "As asked for.", .required = true});
    return table;
}

const schema::Object<Deleted>& describe(schema::Type<Deleted>) {
    static const auto table = schema::Object<Deleted>("DeletedResponse", "It is gone.")
                                  .field("id", &Deleted::id, {.doc = "What was deleted.", .required = true})
                                  .constant("object", "response")
                                  .field("deleted", &Deleted::deleted, {.doc = "Always true.", .required = true});
    return table;
}

const schema::Object<ItemList>& describe(schema::Type<ItemList>) {
    using T = ItemList;
    static const auto table =
        schema::Object<T>("ResponseItemList", "A part of the items that a response was asked with.")
            .constant("object", "list")
            .field("data", &T::data, {.doc = "The items.", .required = true})
            .field("first_id", &T::first_id, {.doc = "Of the first one here.", .required = true})
            .field("last_id", &T::last_id,
                   {.doc = "Of the last one here: `after` for the next part.", .required = true})
            .field("has_more", &T::has_more, {.doc = "Whether more come after these.", .required = true});
    return table;
}

}  // namespace gateway::api::responses
