#include "gateway/api/messages/types.hpp"

#include <boost/json/array.hpp>
#include <set>

#include "schema/schema.hpp"

namespace gateway::api::messages {
namespace {

using schema::FaultKind;
using schema::Reading;

constexpr const char* parallel_doc = "At most one call in the answer.";

void check_tools(const Conversation& conversation, const Reading& reading) {
    std::set<std::string> names;
    const Reading tools = reading.at("tools");
    if (conversation.tools)
        for (std::size_t i = 0; i < conversation.tools->size(); ++i)
            if (!names.insert((*conversation.tools)[i].name).second) {
                const Reading tool = tools.at(i);
                tool.at("name").fault(FaultKind::rule, "is the name of another tool as well");
            }
    if (!conversation.tool_choice)
        return;
    const Reading choice = reading.at("tool_choice");
    if (std::holds_alternative<AnyChoice>(*conversation.tool_choice) && names.empty())
        choice.fault(FaultKind::rule, "cannot be \"any\" without tools");
    if (const auto* named = std::get_if<ToolChoiceByName>(&*conversation.tool_choice); named != nullptr)
        if (!names.contains(named->name))
            choice.at("name").fault(FaultKind::rule, "is \"" + named->name + "\", which is not among the tools");
}

schema::Value example_messages() {
    return boost::json::array{{{"role", "user"}, {"content", "Why is the sky blue?"}}};
}

auto refuse(std::string reason) {
    return [reason = std::move(reason)](const chat::Refused&) -> std::optional<std::string> {
        return "is not supported: " + reason;
    };
}

}  // namespace

const schema::Object<Tool>& describe(schema::Type<Tool>) {
    static const auto table =
        schema::Object<Tool>("MessagesTool", "A tool that the client runs. There are none that the server runs.")
            .constant("type", "custom", {.doc = "The only type.", .required = false})
            .field("name", &Tool::name,
                   {.doc = "Its name.", .required = true, .min_length = 1, .max_length = 256, .example = "get_weather"})
            .field("description", &Tool::description, {.doc = "What it does, for the model to read."})
            .field("input_schema", &Tool::input_schema,
                   {.doc = "Its arguments as a JSON Schema.",
                    .required = true,
                    .example = {{"type", "object"}, {"properties", {{"city", {{"type", "string"}}}}}}})
            .field("strict", &Tool::strict, {.doc = "The arguments must match the schema exactly."})
            .field("cache_control", &Tool::cache_control, {.doc = "Keep the prompt up to here, as is done anyway."})
            .ignored("input_examples", {.doc = "Accepted without effect: say it in the description."})
            .ignored<bool>("defer_loading", {.doc = "Accepted without effect: the model sees every tool."})
            .ignored<bool>("eager_input_streaming", {.doc = "Accepted without effect: arguments are always streamed as "
                                                            "they come."})
            .ignored("allowed_callers", {.doc = "Accepted without effect: only the model calls."});
    return table;
}

const schema::Object<AutoChoice>& describe(schema::Type<AutoChoice>) {
    static const auto table =
        schema::Object<AutoChoice>("MessagesToolChoiceAuto", "The model decides.")
            .constant("type", "auto")
            .field("disable_parallel_tool_use", &AutoChoice::disable_parallel_tool_use, {.doc = parallel_doc});
    return table;
}

const schema::Object<AnyChoice>& describe(schema::Type<AnyChoice>) {
    static const auto table =
        schema::Object<AnyChoice>("MessagesToolChoiceAny", "Some tool must be called.")
            .constant("type", "any")
            .field("disable_parallel_tool_use", &AnyChoice::disable_parallel_tool_use, {.doc = parallel_doc});
    return table;
}

const schema::Object<ToolChoiceByName>& describe(schema::Type<ToolChoiceByName>) {
    static const auto table =
        schema::Object<ToolChoiceByName>("MessagesToolChoiceTool", "This tool must be called.")
            .constant("type", "tool")
            .field("name", &ToolChoiceByName::name, {.doc = "One of `tools`.", .required = true, .min_length = 1})
            .field("disable_parallel_tool_use", &ToolChoiceByName::disable_parallel_tool_use, {.doc = parallel_doc});
    return table;
}

const schema::Object<NoneChoice>& describe(schema::Type<NoneChoice>) {
    static const auto table =
        schema::Object<NoneChoice>("MessagesToolChoiceNone", "No tool may be called.").constant("type", "none");
    return table;
}

const schema::Object<ThinkingEnabled>& describe(schema::Type<ThinkingEnabled>) {
    static const auto table =
        schema::Object<ThinkingEnabled>("MessagesThinkingEnabled", "A model that can think does.")
            .constant("type", "enabled")
            .ignored<std::int32_t>("budget_tokens", {.doc = "Accepted without effect: `max_tokens` limits thinking and "
                                                            "answer together."})
            .ignored<std::string>("display", {.doc = "Accepted without effect: all of it is shown."});
    return table;
}

const schema::Object<ThinkingAdaptive>& describe(schema::Type<ThinkingAdaptive>) {
    static const auto table =
        schema::Object<ThinkingAdaptive>("MessagesThinkingAdaptive", "The model decides.")
            .constant("type", "adaptive")
            .ignored<std::string>("display", {.doc = "Accepted without effect: all of it is shown."});
    return table;
}

const schema::Object<ThinkingDisabled>& describe(schema::Type<ThinkingDisabled>) {
    static const auto table =
        schema::Object<ThinkingDisabled>("MessagesThinkingDisabled", "A model whose template can leave it out does.")
            .constant("type", "disabled");
    return table;
}

const schema::Object<JsonFormat>& describe(schema::Type<JsonFormat>) {
    static const auto table =
        schema::Object<JsonFormat>("MessagesJsonFormat", "JSON that matches a schema.")
            .constant("type", "json_schema")
            .field("schema", &JsonFormat::schema,
                   {.doc = "The JSON Schema.",
                    .required = true,
                    .example = {{"type", "object"}, {"properties", {{"name", {{"type", "string"}}}}}}});
    return table;
}

const schema::Enum<OutputConfig::Effort>& describe(schema::Type<OutputConfig::Effort>) {
    using enum OutputConfig::Effort;
    static const schema::Enum<OutputConfig::Effort> names(
        {{"low", low}, {"medium", medium}, {"high", high}, {"xhigh", xhigh}, {"max", max}});
    return names;
}

const schema::Object<OutputConfig>& describe(schema::Type<OutputConfig>) {
    static const auto table =
        schema::Object<OutputConfig>("MessagesOutputConfig", "What the answer is to be like.")
            .field("effort", &OutputConfig::effort,
                   {.doc = "How long models that think may think, as their templates know it."})
            .field("format", &OutputConfig::format, {.doc = "The form that the answer must have."});
    return table;
}

const schema::Object<Conversation>& describe(schema::Type<Conversation>) {
    using C = Conversation;
    static const auto table =
        schema::Object<C>("MessagesConversation", "What the prompt is made of.")
            .field("model", &C::model,
                   {.doc = "A name from GET /v1/models.",
                    .required = true,
                    .min_length = 1,
                    .example = "smollm2-135m-instruct"})
            .field("messages", &C::messages,
                   {.doc = "The conversation so far; messages of one role in a row are one message. Behind one of the "
                           "assistant's the answer goes on where it ends.",
                    .required = true,
                    .min_items = 1,
                    .max_items = 100000,
                    .example = example_messages()})
            .field("system", &C::system, {.doc = "Instructions for the model."})
            .field("tools", &C::tools, {.doc = "Tools that the model may ask to be called.", .max_items = 1024})
            .field("tool_choice", &C::tool_choice, {.doc = "Whether and which. Default: the model decides."})
            .field("thinking", &C::thinking, {.doc = "For models that think. Default: as the model is used to."})
            .field("output_config", &C::output_config, {.doc = "Effort and form of the answer."})
            .field("cache_control", &C::cache_control, {.doc = "Keep the whole prompt, as is done anyway."})
            .ignored<std::string>("speed", {.doc = "Accepted without effect: there is one speed."})
            .ignored("context_management", {.doc = "Accepted without effect: nothing is cut from a conversation."})
            .ignored<std::string>("user_profile_id", {.doc = "Accepted without effect."})
            .field("mcp_servers", &C::refused, {.doc = "Refused: this server calls no other servers."},
                   refuse("this server calls no other servers"))
            .field("output_format", &C::refused, {.doc = "Refused: use `output_config`."}, refuse("use output_config"))
            .check(check_tools);
    return table;
}

const schema::Object<Request>& describe(schema::Type<Request>) {
    using R = Request;
    static const auto table =
        schema::Object<R>("CreateMessageRequest", "A conversation, and how it is to be continued.")
            .include(&R::conversation)
            .field("max_tokens", &R::max_tokens,
                   {.doc = "Most tokens of the answer, thinking included.",
                    .required = true,
                    .minimum = 1,
                    .example = 200})
            .field("stream", &R::stream, {.doc = "Send the answer piece by piece as server-sent events."})
            .field("stop_sequences", &R::stop_sequences,
                   {.doc = "The answer ends before the first of these texts.", .min_length = 1, .max_items = 64})
            .field("temperature", &R::temperature,
                   {.doc = "0 takes the likeliest token each time, larger is more varied. Default 1.",
                    .minimum = 0,
                    .maximum = 1,
                    .example = 0.7})
            .field("top_p", &R::top_p,
                   {.doc = "Only the likeliest tokens that together have this probability are considered.",
                    .minimum = 0,
                    .maximum = 1})
            .field("top_k", &R::top_k, {.doc = "Only the k likeliest tokens are considered; 0: all.", .minimum = 0})
            .include(&R::adapters)
            .ignored<boost::json::object>("metadata", {.doc = "Accepted without effect."})
            .ignored<std::string>("service_tier", {.doc = "Accepted without effect: all requests are alike."})
            .ignored("container", {.doc = "Accepted without effect: no code runs here."})
            .ignored<std::string>("inference_geo", {.doc = "Accepted without effect: it runs here."})
            .ignored("diagnostics", {.doc = "Accepted without effect."});
    return table;
}

const schema::Object<CountRequest>& describe(schema::Type<CountRequest>) {
    static const auto table =
        schema::Object<CountRequest>("CountMessageTokensRequest", "A conversation whose tokens are to be counted.")
            .include(&CountRequest::conversation);
    return table;
}

}  // namespace gateway::api::messages
