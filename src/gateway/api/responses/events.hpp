#pragma once

/// The events of a streamed response, in OpenAI's shapes. The name of each event is the `type` in its data;
/// `sequence_number` counts from 0 without gaps.

#include <cstdint>
#include <string>
#include <vector>

#include "gateway/api/responses/answer.hpp"

namespace gateway::api::responses {

/// `response.created`, `.queued`, `.in_progress`, and the last one: `.completed`, `.incomplete` or `.failed`.
struct ResponseEvent {
    std::string type;
    std::int64_t sequence_number = 0;
    Response response;
};

/// `response.output_item.added` and `.done`.
struct ItemEvent {
    std::string type;
    std::int64_t sequence_number = 0;
    std::int64_t output_index = 0;
    Item item;
};

using Part = std::variant<OutputText, ReasoningText>;

/// Where a part is.
struct PartPlace {
    std::string item_id;
    std::int64_t output_index = 0;
    std::int64_t content_index = 0;
};

/// `response.content_part.added` and `.done`.
struct PartEvent {
    std::string type;
    std::int64_t sequence_number = 0;
    PartPlace place;
    Part part;
};

/// `response.output_text.delta`.
struct TextDelta {
    std::int64_t sequence_number = 0;
    PartPlace place;
    std::string delta;
    std::vector<chat::TokenLogprob> logprobs;
};

/// `response.output_text.done`.
struct TextDone {
    std::int64_t sequence_number = 0;
    PartPlace place;
    std::string text;
    std::vector<chat::TokenLogprob> logprobs;
};

/// `response.reasoning_text.delta`.
struct ReasoningDelta {
    std::int64_t sequence_number = 0;
    PartPlace place;
    std::string delta;
};

/// `response.reasoning_text.done`.
struct ReasoningDone {
    std::int64_t sequence_number = 0;
    PartPlace place;
    std::string text;
};

/// `response.function_call_arguments.delta`.
struct ArgumentsDelta {
    std::int64_t sequence_number = 0;
    std::string item_id;
    std::int64_t output_index = 0;
    std::string delta;
};

/// `response.function_call_arguments.done`.
struct ArgumentsDone {
    std::int64_t sequence_number = 0;
    std::string item_id;
    std::int64_t output_index = 0;
    std::string name;
    std::string arguments;
};

const schema::Object<ResponseEvent>& describe(schema::Type<ResponseEvent>);
const schema::Object<ItemEvent>& describe(schema::Type<ItemEvent>);
const schema::Object<PartPlace>& describe(schema::Type<PartPlace>);
const schema::Object<PartEvent>& describe(schema::Type<PartEvent>);
const schema::Object<TextDelta>& describe(schema::Type<TextDelta>);
const schema::Object<TextDone>& describe(schema::Type<TextDone>);
const schema::Object<ReasoningDelta>& describe(schema::Type<ReasoningDelta>);
const schema::Object<ReasoningDone>& describe(schema::Type<ReasoningDone>);
const schema::Object<ArgumentsDelta>& describe(schema::Type<ArgumentsDelta>);
const schema::Object<ArgumentsDone>& describe(schema::Type<ArgumentsDone>);

}  // namespace gateway::api::responses
