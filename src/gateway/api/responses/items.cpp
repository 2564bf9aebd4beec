#include "gateway/api/responses/items.hpp"

#include "schema/json.hpp"

namespace gateway::api::responses {
namespace {

using schema::Value;

/// Chooses by `type`, which clients leave out where it goes without saying.
class ItemShape final : public schema::Shape {
public:
    schema::Kinds kinds() const override { return schema::Kinds::object; }

    void read(const Value& value, void* target, const schema::Options& options,
              const schema::Reading& reading) const override {
        AnyItem& held = static_cast<Item*>(target)->held;
        const auto* object = value.if_object();
        const Value* type = object != nullptr ? object->if_contains("type") : nullptr;
        if (object == nullptr || (type != nullptr && !type->is_null()))
            return schema::shape_of<AnyItem>().read(value, &held, options, reading);
        if (object->contains("id") && !object->contains("role"))
            return schema::shape_of<ItemReference>().read(value, &held.emplace<ItemReference>(), options, reading);
        schema::shape_of<Message>().read(value, &held.emplace<Message>(), options, reading);
    }

    Value write(const void* source) const override {
        return schema::shape_of<AnyItem>().write(&static_cast<const Item*>(source)->held);
    }

    boost::json::object document(const schema::Options&, schema::Components& components) const override {
        return components.refer("ResponseItem", this, [&] {
            auto described = schema::shape_of<AnyItem>().document({}, components);
            described["description"] =
                "A part of a conversation. `type` decides; without it, it is a message, or a reference when it has "
                "nothing but an id.";
            return described;
        });
    }
};

}  // namespace

std::string id_of(const Item& item) {
    if (const auto* reference = std::get_if<ItemReference>(&item.held))
        return reference->id;
    return std::visit(
        [](const auto& held) -> std::string {
            if constexpr (requires { held.id.value_or(""); })
                return held.id.value_or("");
            return {};
        },
        item.held);
}

const schema::Object<InputText>& describe(schema::Type<InputText>) {
    static const auto table = schema::Object<InputText>("ResponseInputText", "Text.")
                                  .constant("type", "input_text")
                                  .field("text", &InputText::text, {.doc = "The text.", .required = true})
                                  .ignored("prompt_cache_breakpoint", {.doc = "Accepted without effect."});
    return table;
}

const schema::Object<InputImage>& describe(schema::Type<InputImage>) {
    static const auto table =
        schema::Object<InputImage>("ResponseInputImage", "A picture, for models that see.")
            .constant("type", "input_image")
            .field("image_url", &InputImage::image_url,
                   {.doc = "A `data:` URL with the picture in base64, or an `https:` or `http:` URL of a host that the "
                           "server is set up to download from.",
                    .required = true,
                    .example = "data:image/png;base64,iVBORw0KGgo="})
            .field("detail", &InputImage::detail, {.doc = "Kept, but without effect: the model decides."})
            .ignored("prompt_cache_breakpoint", {.doc = "Accepted without effect."});
    return table;
}

const schema::Object<OutputText>& describe(schema::Type<OutputText>) {
    static const auto table = schema::Object<OutputText>("ResponseOutputText", "Text that the model wrote.")
                                  .constant("type", "output_text")
                                  .field("text", &OutputText::text, {.doc = "The text.", .required = true})
                                  .field("annotations", &OutputText::annotations, {.doc = "Always empty."})
                                  .field("logprobs", &OutputText::logprobs,
                                         {.doc = "Of its tokens, with `include: [\"message.output_text.logprobs\"]`."});
    return table;
}

const schema::Object<Refusal>& describe(schema::Type<Refusal>) {
    static const auto table =
        schema::Object<Refusal>("ResponseRefusal", "An earlier refusal; the model sees it as text.")
            .constant("type", "refusal")
            .field("refusal", &Refusal::refusal, {.doc = "What was said.", .required = true});
    return table;
}

const schema::Enum<ItemStatus>& describe(schema::Type<ItemStatus>) {
    using enum ItemStatus;
    static const schema::Enum<ItemStatus> names(
        {{"in_progress", in_progress}, {"completed", completed}, {"incomplete", incomplete}});
    return names;
}

const schema::Enum<Role>& describe(schema::Type<Role>) {
    using enum Role;
    static const schema::Enum<Role> names(
        {{"user", user}, {"assistant", assistant}, {"system", system}, {"developer", developer}});
    return names;
}

const schema::Object<Message>& describe(schema::Type<Message>) {
    static const auto table =
        schema::Object<Message>("ResponseMessage", "What somebody says.")
            .field("id", &Message::id, {.doc = "Its name, once it has one."})
            .constant("type", "message", {.doc = "May be left out."})
            .field("status", &Message::status, {.doc = "Whether it is whole."})
            .field("role", &Message::role, {.doc = "Who says it.", .required = true})
            .field("content", &Message::content, {.doc = "Text, or parts of several kinds.", .required = true})
            .ignored<std::string>("phase", {.doc = "Accepted without effect."});
    return table;
}

const schema::Object<FunctionCall>& describe(schema::Type<FunctionCall>) {
    static const auto table =
        schema::Object<FunctionCall>("ResponseFunctionCall", "A call that the model wants to be made.")
            .field("id", &FunctionCall::id, {.doc = "Its name as an item, once it has one."})
            .constant("type", "function_call")
            .field("call_id", &FunctionCall::call_id,
                   {.doc = "Name of the call; the output that answers it repeats it.", .required = true})
            .field("name", &FunctionCall::name, {.doc = "Which function.", .required = true, .min_length = 1})
            .field("arguments", &FunctionCall::arguments,
                   {.doc = "The JSON text of an object. In answers it is what the model wrote: check it before use.",
                    .required = true,
                    .example = R"({"city": "Hamburg"})"})
            .field("status", &FunctionCall::status, {.doc = "Whether it is whole."})
            .ignored("namespace", {.doc = "Accepted without effect."})
            .ignored("caller", {.doc = "Accepted without effect."});
    return table;
}

const schema::Object<FunctionCallOutput>& describe(schema::Type<FunctionCallOutput>) {
    using T = FunctionCallOutput;
    static const auto table =
        schema::Object<T>("ResponseFunctionCallOutput", "What a called function returned.")
            .field("id", &T::id, {.doc = "Its name as an item, once it has one."})
            .constant("type", "function_call_output")
            .field("call_id", &T::call_id, {.doc = "Which call it answers.", .required = true, .min_length = 1})
            .field("output", &T::output, {.doc = "The result.", .required = true})
            .field("status", &T::status, {.doc = "Whether it is whole."});
    return table;
}

const schema::Object<SummaryText>& describe(schema::Type<SummaryText>) {
    static const auto table = schema::Object<SummaryText>("ResponseReasoningSummary", "What was thought, in short.")
                                  .constant("type", "summary_text")
                                  .field("text", &SummaryText::text, {.doc = "The text.", .required = true});
    return table;
}

const schema::Object<ReasoningText>& describe(schema::Type<ReasoningText>) {
    static const auto table = schema::Object<ReasoningText>("ResponseReasoningText", "What was thought.")
                                  .constant("type", "reasoning_text")
                                  .field("text", &ReasoningText::text, {.doc = "The text.", .required = true});
    return table;
}

const schema::Object<Reasoning>& describe(schema::Type<Reasoning>) {
    static const auto table =
        schema::Object<Reasoning>("ResponseReasoning", "What the model thought before it answered.")
            .field("id", &Reasoning::id, {.doc = "Its name as an item, once it has one."})
            .constant("type", "reasoning")
            .field("summary", &Reasoning::summary, {.doc = "Empty in answers: nothing is summed up."})
            .field("content", &Reasoning::content, {.doc = "The thoughts themselves."})
            .field("status", &Reasoning::status, {.doc = "Whether it is whole."})
            .ignored<std::string>("encrypted_content",
                                  {.doc = "Accepted without effect: thoughts are in `content`, in the open."});
    return table;
}

const schema::Object<ItemReference>& describe(schema::Type<ItemReference>) {
    static const auto table =
        schema::Object<ItemReference>("ResponseItemReference", "An item that is kept on the server.")
            .constant("type", "item_reference", {.doc = "May be left out."})
            .field("id", &ItemReference::id,
                   {.doc = "Of an item of an earlier response that was kept.", .required = true, .min_length = 1});
    return table;
}

const schema::Shape& describe(schema::Type<Item>) {
    static const ItemShape shape;
    return shape;
}

}  // namespace gateway::api::responses
