#pragma once

/// The items of a conversation in the Responses API: what a client sends as `input`, and what the model says as
/// `output`. One type for both directions, as the output of one request is the input of the next.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gateway/api/chat/answer.hpp"
#include "gateway/api/chat/messages.hpp"
#include "schema/object.hpp"

namespace gateway::api::responses {

// ---------------------------------------------------------------- parts of a message

struct InputText {
    std::string text;
};

struct InputImage {
    /// A `data:` URL with base64.
    std::string image_url;
    std::string detail = "auto";
};

struct OutputText {
    std::string text;
    std::vector<schema::Value> annotations;
    std::vector<chat::TokenLogprob> logprobs;
};

struct Refusal {
    std::string refusal;
};

using ContentPart = std::variant<InputText, InputImage, OutputText, Refusal>;
using Content = std::variant<std::string, std::vector<ContentPart>>;

// ---------------------------------------------------------------- items

enum class ItemStatus { in_progress, completed, incomplete };

enum class Role { user, assistant, system, developer };

struct Message {
    std::optional<std::string> id;
    std::optional<ItemStatus> status;
    Role role = Role::user;
    Content content;
};

struct FunctionCall {
    std::optional<std::string> id;
    std::string call_id;
    std::string name;
    /// JSON text of an object, as the model wrote it.
    std::string arguments;
    std::optional<ItemStatus> status;
};

struct FunctionCallOutput {
    std::optional<std::string> id;
    std::string call_id;
    std::variant<std::string, std::vector<InputText>> output;
    std::optional<ItemStatus> status;
};

struct SummaryText {
    std::string text;
};

struct ReasoningText {
    std::string text;
};

struct Reasoning {
    std::optional<std::string> id;
    std::vector<SummaryText> summary;
    std::optional<std::vector<ReasoningText>> content;
    std::optional<ItemStatus> status;
};

/// An item that is kept on the server, by its id.
struct ItemReference {
    std::string id;
};

using AnyItem = std::variant<Message, FunctionCall, FunctionCallOutput, Reasoning, ItemReference>;

/// Told apart by `type`; without one it is a message, or a reference when it has nothing but an id.
struct Item {
    AnyItem held;
};

/// Empty for an item without one.
std::string id_of(const Item& item);

const schema::Object<InputText>& describe(schema::Type<InputText>);
const schema::Object<InputImage>& describe(schema::Type<InputImage>);
const schema::Object<OutputText>& describe(schema::Type<OutputText>);
const schema::Object<Refusal>& describe(schema::Type<Refusal>);
const schema::Enum<ItemStatus>& describe(schema::Type<ItemStatus>);
const schema::Enum<Role>& describe(schema::Type<Role>);
const schema::Object<Message>& describe(schema::Type<Message>);
const schema::Object<FunctionCall>& describe(schema::Type<FunctionCall>);
const schema::Object<FunctionCallOutput>& describe(schema::Type<FunctionCallOutput>);
const schema::Object<SummaryText>& describe(schema::Type<SummaryText>);
const schema::Object<ReasoningText>& describe(schema::Type<ReasoningText>);
const schema::Object<Reasoning>& describe(schema::Type<Reasoning>);
const schema::Object<ItemReference>& describe(schema::Type<ItemReference>);
const schema::Shape& describe(schema::Type<Item>);

}  // namespace gateway::api::responses
