#include "gateway/api/responses/events.hpp"

namespace gateway::api::responses {
namespace {

schema::Options number() {
    return {.doc = "Which event of the stream, from 0.", .required = true, .minimum = 0};
}

schema::Options index() {
    return {.doc = "Which item of the output, from 0.", .required = true, .minimum = 0};
}

schema::Options type(const char* pattern) {
    return {.doc = "The event's name.", .required = true, .pattern = pattern};
}

}  // namespace

const schema::Object<ResponseEvent>& describe(schema::Type<ResponseEvent>) {
    using T = ResponseEvent;
    static const auto table =
        schema::Object<T>("ResponseStateEvent", "The response as a whole is in another state.")
            .field("type", &T::type, type("^response\\.(created|queued|in_progress|completed|incomplete|failed)$"))
            .field("sequence_number", &T::sequence_number, number())
            .field("response", &T::response, {.doc = "The response as it is now.", .required = true});
    return table;
}

const schema::Object<ItemEvent>& describe(schema::Type<ItemEvent>) {
    using T = ItemEvent;
    static const auto table = schema::Object<T>("ResponseItemEvent", "An item of the output begins or is done.")
                                  .field("type", &T::type, type("^response\\.output_item\\.(added|done)$"))
                                  .field("sequence_number", &T::sequence_number, number())
                                  .field("output_index", &T::output_index, index())
                                  .field("item", &T::item, {.doc = "The item as it is now.", .required = true});
    return table;
}

const schema::Object<PartPlace>& describe(schema::Type<PartPlace>) {
    using T = PartPlace;
    static const auto table = schema::Object<T>("", "")
                                  .field("item_id", &T::item_id, {.doc = "The item's id.", .required = true})
                                  .field("output_index", &T::output_index, index())
                                  .field("content_index", &T::content_index,
                                         {.doc = "Which part of the item, from 0.", .required = true, .minimum = 0});
    return table;
}

const schema::Object<PartEvent>& describe(schema::Type<PartEvent>) {
    using T = PartEvent;
    static const auto table = schema::Object<T>("ResponsePartEvent", "A part of an item begins or is done.")
                                  .field("type", &T::type, type("^response\\.content_part\\.(added|done)$"))
                                  .field("sequence_number", &T::sequence_number, number())
                                  .include(&T::place)
                                  .field("part", &T::part, {.doc = "The part as it is now.", .required = true});
    return table;
}

const schema::Object<TextDelta>& describe(schema::Type<TextDelta>) {
    using T = TextDelta;
    static const auto table =
        schema::Object<T>("ResponseTextDelta", "More text.")
            .constant("type", "response.output_text.delta")
            .field("sequence_number", &T::sequence_number, number())
            .include(&T::place)
            .field("delta", &T::delta, {.doc = "What is new.", .required = true})
            .field("logprobs", &T::logprobs, {.doc = "Of the new tokens, when asked for.", .required = true});
    return table;
}

const schema::Object<TextDone>& describe(schema::Type<TextDone>) {
    using T = TextDone;
    static const auto table =
        schema::Object<T>("ResponseTextDone", "A text is complete.")
            .constant("type", "response.output_text.done")
            .field("sequence_number", &T::sequence_number, number())
            .include(&T::place)
            .field("text", &T::text, {.doc = "All of it.", .required = true})
            .field("logprobs", &T::logprobs, {.doc = "Of all its tokens, when asked for.", .required = true});
    return table;
}

const schema::Object<ReasoningDelta>& describe(schema::Type<ReasoningDelta>) {
    using T = ReasoningDelta;
    static const auto table = schema::Object<T>("ResponseReasoningDelta", "More thinking.")
                                  .constant("type", "response.reasoning_text.delta")
                                  .field("sequence_number", &T::sequence_number, number())
                                  .include(&T::place)
                                  .field("delta", &T::delta, {.doc = "What is new.", .required = true});
    return table;
}

const schema::Object<ReasoningDone>& describe(schema::Type<ReasoningDone>) {
    using T = ReasoningDone;
    static const auto table = schema::Object<T>("ResponseReasoningDone", "The thinking is complete.")
                                  .constant("type", "response.reasoning_text.done")
                                  .field("sequence_number", &T::sequence_number, number())
                                  .include(&T::place)
                                  .field("text", &T::text, {.doc = "All of it.", .required = true});
    return table;
}

const schema::Object<ArgumentsDelta>& describe(schema::Type<ArgumentsDelta>) {
    using T = ArgumentsDelta;
    static const auto table = schema::Object<T>("ResponseArgumentsDelta", "More of the arguments of a call.")
                                  .constant("type", "response.function_call_arguments.delta")
                                  .field("sequence_number", &T::sequence_number, number())
                                  .field("item_id", &T::item_id, {.doc = "The call's id as an item.", .required = true})
                                  .field("output_index", &T::output_index, index())
                                  .field("delta", &T::delta, {.doc = "What is new.", .required = true});
    return table;
}

const schema::Object<ArgumentsDone>& describe(schema::Type<ArgumentsDone>) {
    using T = ArgumentsDone;
    static const auto table =
        schema::Object<T>("ResponseArgumentsDone", "The arguments of a call are complete.")
            .constant("type", "response.function_call_arguments.done")
            .field("sequence_number", &T::sequence_number, number())
            .field("item_id", &T::item_id, {.doc = "The call's id as an item.", .required = true})
            .field("output_index", &T::output_index, index())
            .field("name", &T::name, {.doc = "Which function.", .required = true})
            .field("arguments", &T::arguments, {.doc = "All of them, as JSON text.", .required = true});
    return table;
}

}  // namespace gateway::api::responses
