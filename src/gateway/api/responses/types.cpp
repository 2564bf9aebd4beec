#include "gateway/api/responses/types.hpp"

#include <algorithm>
#include <boost/json/array.hpp>

#include "gateway/api/strict_schema.hpp"

namespace gateway::api::responses {
namespace {

using schema::FaultKind;
using schema::Reading;

auto refuse(std::string reason) {
    return [reason = std::move(reason)](const chat::Refused&) -> std::optional<std::string> { return reason; };
}

bool has_tool(const Prompt& prompt, const std::string& name) {
    return std::ranges::any_of(functions_of(prompt.tools),
                               [&](const PlacedFunction& tool) { return tool.function->name == name; });
}

void check_tool_names(const Prompt& prompt, const Reading& reading) {
    const Reading tools = reading.at("tools");
    const auto functions = functions_of(prompt.tools);
    for (std::size_t i = 0; i < functions.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (functions[i].function->name == functions[j].function->name) {
                const Reading tool = tools.at(functions[i].place);
                tool.at("name").fault(FaultKind::rule, "is the name of another tool as well");
                break;
            }
}

void check_tool_choice(const Prompt& prompt, const Reading& reading) {
    if (!prompt.tool_choice)
        return;
    const Reading choice = reading.at("tool_choice");
    const auto check_name = [&](const std::string& name) {
        if (!has_tool(prompt, name))
            choice.fault(FaultKind::rule, "names the function \"" + name + "\", which is not among the tools");
    };
    if (const auto* mode = std::get_if<chat::ToolChoiceMode>(&*prompt.tool_choice)) {
        if (*mode == chat::ToolChoiceMode::required && functions_of(prompt.tools).empty())
            choice.fault(FaultKind::rule, "cannot be \"required\" without tools");
    } else if (const auto* named = std::get_if<ToolName>(&*prompt.tool_choice)) {
        check_name(named->name);
    } else if (const auto* allowed = std::get_if<AllowedTools>(&*prompt.tool_choice)) {
        for (const auto& tool : allowed->tools)
            check_name(tool.name);
    }
}

void check_input(const Prompt& prompt, const Reading& reading) {
    const auto* items = prompt.input ? std::get_if<std::vector<Item>>(&*prompt.input) : nullptr;
    const bool nothing = !prompt.input || (items != nullptr && items->empty());
    if (nothing && !prompt.previous_response_id)
        reading.at("input").fault(FaultKind::missing, "is required");
}

void check_background(const Request& request, const Reading& reading) {
    if (request.background.value_or(false) && !request.store.value_or(true))
        reading.at("background").fault(FaultKind::rule, "needs store: who asks later must find the answer");
    if (request.stream_options && !request.stream.value_or(false))
        reading.at("stream_options").fault(FaultKind::rule, "is only allowed when stream is true");
}

}  // namespace

bool wants(const std::optional<std::vector<Include>>& include, Include what) {
    return include && std::ranges::find(*include, what) != include->end();
}

const schema::Object<ToolName>& describe(schema::Type<ToolName>) {
    static const auto table =
        schema::Object<ToolName>("ResponseToolName", "Names one tool.")
            .constant("type", "function")
            .field("name", &ToolName::name, {.doc = "One of `tools`.", .required = true, .min_length = 1});
    return table;
}

const schema::Object<AllowedTools>& describe(schema::Type<AllowedTools>) {
    static const auto table =
        schema::Object<AllowedTools>("ResponseAllowedTools", "Only some of `tools` may be called in this answer.")
            .constant("type", "allowed_tools")
            .field("mode", &AllowedTools::mode,
                   {.doc = "`auto`: the model may call one of them. `required`: it must.", .required = true})
            .field("tools", &AllowedTools::tools, {.doc = "Which ones.", .required = true, .min_items = 1});
    return table;
}

const schema::Object<JsonSchemaFormat>& describe(schema::Type<JsonSchemaFormat>) {
    using T = JsonSchemaFormat;
    static const auto table =
        schema::Object<T>("ResponseJsonSchema", "JSON that matches a schema.")
            .constant("type", "json_schema")
            .field("name", &T::name, {.doc = "A name for it.", .required = true, .example = "person"})
            .field("schema", &T::schema,
                   {.doc = "The JSON Schema.",
                    .required = true,
                    .example = {{"type", "object"},
                                {"properties", {{"name", {{"type", "string"}}}}},
                                {"required", boost::json::array{"name"}}}})
            .field("description", &T::description, {.doc = "Kept, but without effect: say it in the input."})
            .field(
                "strict", &T::strict,
                {.doc =
                     "The answer matches the schema exactly; it always does here. When this is true, the schema must "
                     "be one that OpenAI takes: see docs/structured-output.md."})
            .check([](const T& format, const schema::Reading& reading) {
                if (format.strict.value_or(false))
                    check_strict_schema(format.schema, reading.at("schema"));
            });
    return table;
}

const schema::Object<TextSettings>& describe(schema::Type<TextSettings>) {
    static const auto table =
        schema::Object<TextSettings>("ResponseText", "The form of the text.")
            .field("format", &TextSettings::format, {.doc = "Any text, some JSON object, or JSON of one schema."})
            .ignored<std::string>("verbosity", {.doc = "Accepted without effect: say it in the instructions."});
    return table;
}

const schema::Object<ReasoningSettings>& describe(schema::Type<ReasoningSettings>) {
    using T = ReasoningSettings;
    static const auto table =
        schema::Object<T>("ResponseReasoningSettings", "For models that think.")
            .field("effort", &T::effort,
                   {.doc = "How long the model may think, as its template knows it; `none` switches it off where the "
                           "model can."})
            .field("summary", &T::summary,
                   {.doc = "Kept, but without effect: thoughts come as they are, and are not summed up."})
            .ignored<std::string>("generate_summary", {.doc = "Accepted without effect.", .deprecated = true})
            .ignored<std::string>("context", {.doc = "Accepted without effect."})
            .ignored<std::string>("mode", {.doc = "Accepted without effect."});
    return table;
}

const schema::Enum<Truncation>& describe(schema::Type<Truncation>) {
    static const schema::Enum<Truncation> names({{"disabled", Truncation::disabled}});
    return names;
}

const schema::Enum<Include>& describe(schema::Type<Include>) {
    using enum Include;
    static const schema::Enum<Include> names({{"message.output_text.logprobs", output_text_logprobs},
                                              {"reasoning.encrypted_content", encrypted_reasoning},
                                              {"message.input_image.image_url", input_image_url},
                                              {"file_search_call.results", file_search_results},
                                              {"web_search_call.results", web_search_results},
                                              {"web_search_call.action.sources", web_search_sources},
                                              {"computer_call_output.output.image_url", computer_image_url},
                                              {"code_interpreter_call.outputs", code_interpreter_outputs}});
    return names;
}

const schema::Object<StreamOptions>& describe(schema::Type<StreamOptions>) {
    static const auto table =
        schema::Object<StreamOptions>("ResponseStreamOptions", "About the stream.")
            .ignored<bool>("include_obfuscation", {.doc = "Accepted without effect: nothing is obfuscated."});
    return table;
}

const schema::Object<Prompt>& describe(schema::Type<Prompt>) {
    using P = Prompt;
    static const auto table =
        schema::Object<P>("ResponseInputTokensRequest", "What the model is to see.")
            .field("model", &P::model,
                   {.doc = "A name from GET /v1/models.",
                    .required = true,
                    .min_length = 1,
                    .example = "smollm2-135m-instruct"})
            .field("input", &P::input,
                   {.doc = "A text, or items: messages, calls with their outputs, reasoning, references to items that "
                           "are kept. May only be absent with `previous_response_id`.",
                    .max_items = 30000,
                    .example = "Why is the sky blue?"})
            .field("instructions", &P::instructions,
                   {.doc = "A system message before everything else. Those of earlier responses are not taken over."})
            .field("previous_response_id", &P::previous_response_id,
                   {.doc = "Goes on from a response that is kept: the model sees that whole conversation first.",
                    .min_length = 1,
                    .example = "resp_0123456789abcdef0123456789abcdef"})
            .field("tools", &P::tools,
                   {.doc = "Functions that the model may ask to be called. What OpenAI runs on its own servers "
                           "(`web_search`, `mcp` and so on) and tools of type `custom` may stand beside them, without "
                           "effect; alone they are refused.",
                    .max_items = 1024},
                   check_tools)
            .field("tool_choice", &P::tool_choice,
                   {.doc = "Whether and which. Default: `auto` with tools, `none` without."})
            .field("parallel_tool_calls", &P::parallel_tool_calls,
                   {.doc = "One answer may contain several calls. Default true."})
            .field("text", &P::text, {.doc = "The form that the answer must have."})
            .field("reasoning", &P::reasoning, {.doc = "For models that think."})
            .field("truncation", &P::truncation, {.doc = "Only `disabled`: nothing is ever left out in silence."})
            .field("conversation", &P::refused, {.doc = "Refused: use `previous_response_id`."},
                   refuse("is not supported: use previous_response_id"))
            .ignored<std::string>("personality", {.doc = "Accepted without effect."})
            .check(check_tool_names)
            .check(check_tool_choice)
            .check(check_input);
    return table;
}

const schema::Object<Request>& describe(schema::Type<Request>) {
    using R = Request;
    static const auto table =
        schema::Object<R>("CreateResponseRequest", "A conversation, and how it is to be continued.")
            .include(&R::prompt)
            .field("stream", &R::stream, {.doc = "Send the answer as server-sent events."})
            .field("stream_options", &R::stream_options, {.doc = "Only together with `stream`."})
            .field("background", &R::background,
                   {.doc = "Answer at once, and do the work even when the client leaves: ask with GET later. Needs "
                           "`store`."})
            .field("store", &R::store,
                   {.doc = "Keep the response for GET and for `previous_response_id`. Default: true where the server "
                           "keeps anything."})
            .field("metadata", &R::metadata, metadata_options("Kept with the response."), check_metadata)
            .field("max_output_tokens", &R::max_output_tokens,
                   {.doc = "Most tokens of the answer, reasoning included. Default: until the context is full.",
                    .minimum = 1,
                    .example = 200})
            .field("max_tool_calls", &R::max_tool_calls,
                   {.doc = "Kept, but without effect: it is about tools that run on the server.", .minimum = 0})
            .include(&R::sampling)
            .include(&R::adapters)
            .field(
                "top_logprobs", &R::top_logprobs,
                {.doc = "Also the log probabilities of so many likeliest tokens at each place; turns on those of the "
                        "tokens themselves.",
                 .minimum = 0,
                 .maximum = 20})
            .field("include", &R::include,
                   {.doc = "`message.output_text.logprobs` adds log probabilities. The others are about what is here "
                           "anyway or never.",
                    .max_items = 64})
            .field("service_tier", &R::service_tier,
                   {.doc = "`priority` and `fast` run before others, `flex` after them."})
            .field("prompt_cache_key", &R::prompt_cache_key,
                   {.doc = "Kept, but without effect: prompts that begin alike share work anyway."})
            .field("safety_identifier", &R::safety_identifier, {.doc = "Kept, but without effect."})
            .field("user", &R::user, {.doc = "Kept, but without effect.", .deprecated = true})
            .ignored<std::string>("prompt_cache_retention", {.doc = "Accepted without effect.", .deprecated = true})
            .ignored("prompt_cache_options", {.doc = "Accepted without effect."})
            .field("prompt", &R::refused, {.doc = "Refused: send the instructions themselves."},
                   refuse("is not supported: there are no prompt templates here, send the instructions themselves"))
            .field("moderation", &R::refused, {.doc = "Refused."},
                   refuse("is not supported: this server does not judge texts"))
            .field("context_management", &R::refused, {.doc = "Refused."},
                   refuse("is not supported: nothing is left out of a conversation here"))
            .check(check_background);
    return table;
}

const schema::Object<RetrieveQuery>& describe(schema::Type<RetrieveQuery>) {
    using T = RetrieveQuery;
    static const auto table =
        schema::Object<T>("", "")
            .field("include", &T::include,
                   {.doc = "Without effect: what was asked for at the start is there.", .max_items = 64})
            .field("stream", &T::stream,
                   {.doc = "The events again, of a response with `background` and `stream`; also while it is made."})
            .field("starting_after", &T::starting_after,
                   {.doc = "With `stream`: only events after this `sequence_number`.", .minimum = 0})
            .ignored<bool>("include_obfuscation", {.doc = "Accepted without effect: nothing is obfuscated."})
            .check([](const T& query, const Reading& reading) {
                if (query.starting_after && !query.stream.value_or(false))
                    reading.at("starting_after").fault(FaultKind::rule, "is only allowed when stream is true");
            });
    return table;
}

const schema::Enum<Order>& describe(schema::Type<Order>) {
    static const schema::Enum<Order> names({{"asc", Order::ascending}, {"desc", Order::descending}});
    return names;
}

const schema::Object<InputItemsQuery>& describe(schema::Type<InputItemsQuery>) {
    using T = InputItemsQuery;
    static const auto table =
        schema::Object<T>("", "")
            .field("limit", &T::limit, {.doc = "At most so many items.", .minimum = 1, .maximum = 100})
            .field("order", &T::order, {.doc = "`asc`: from the first one on; `desc`: from the last one back."})
            .field("after", &T::after, {.doc = "Only those after the item with this id.", .min_length = 1})
            .field("include", &T::include, {.doc = "Without effect: items are whole anyway.", .max_items = 64});
    return table;
}

}  // namespace gateway::api::responses
