#include "gateway/api/chat/types.hpp"

#include <boost/json/array.hpp>

namespace gateway::api::chat {
namespace {

using schema::FaultKind;
using schema::Reading;

/// What happens to a field that would change the meaning of the answer and that nothing here can do.
auto refuse(std::string reason) {
    return [reason = std::move(reason)](const Refused&) -> std::optional<std::string> { return reason; };
}

std::optional<std::string> check_modalities(const std::optional<std::vector<std::string>>& modalities) {
    if (!modalities)
        return std::nullopt;
    for (const auto& modality : *modalities)
        if (modality != "text")
            return "can only be [\"text\"]: answers are written, not spoken";
    return std::nullopt;
}

std::optional<std::string> check_store(const std::optional<bool>& store) {
    if (store.value_or(false))
        return "cannot be true: answers are not kept on the server";
    return std::nullopt;
}

void check_streaming(const Request& request, const Reading& reading) {
    if (request.stream_options && !request.stream.value_or(false))
        reading.at("stream_options").fault(FaultKind::rule, "is only allowed when stream is true");
    if (request.return_progress.value_or(false) && !request.stream.value_or(false))
        reading.at("return_progress").fault(FaultKind::rule, "is only allowed when stream is true");
}

void check_logprobs(const Request& request, const Reading& reading) {
    if (request.top_logprobs && !request.logprobs.value_or(false))
        reading.at("top_logprobs").fault(FaultKind::rule, "needs logprobs to be true");
}

void check_lengths(const Request& request, const Reading& reading) {
    if (request.max_tokens && request.max_completion_tokens && request.max_tokens != request.max_completion_tokens)
        reading.at("max_tokens").fault(FaultKind::rule, "is another number than max_completion_tokens");
    const auto most = request.max_completion_tokens ? request.max_completion_tokens : request.max_tokens;
    if (most && request.sampling.min_tokens.value_or(0) > *most)
        reading.at("min_tokens").fault(FaultKind::rule, "is larger than the most tokens the answer may have");
}

void check_form(const Request& request, const Reading& reading) {
    if (!request.grammar)
        return;
    if (request.response_format && !std::holds_alternative<PlainText>(*request.response_format))
        reading.at("grammar").fault(FaultKind::rule, "cannot be given together with response_format");
    if (request.tools && !request.tools->empty())
        reading.at("grammar").fault(FaultKind::rule, "cannot be given together with tools");
}

void check_tool_names(const Request& request, const Reading& reading) {
    if (!request.tools)
        return;
    const Reading tools = reading.at("tools");
    for (std::size_t i = 0; i < request.tools->size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if ((*request.tools)[i].function.name == (*request.tools)[j].function.name) {
                const Reading tool = tools.at(i);
                const Reading function = tool.at("function");
                function.at("name").fault(FaultKind::rule, "is the name of another tool as well");
                break;
            }
}

bool has_tool(const Request& request, const std::string& name) {
    if (request.tools)
        for (const auto& tool : *request.tools)
            if (tool.function.name == name)
                return true;
    return false;
}

void check_tool_choice(const Request& request, const Reading& reading) {
    if (!request.tool_choice)
        return;
    const Reading choice = reading.at("tool_choice");
    const auto check_name = [&](const std::string& name) {
        if (!has_tool(request, name))
            choice.fault(FaultKind::rule, "names the function \"" + name + "\", which is not among the tools");
    };
    if (const auto* mode = std::get_if<ToolChoiceMode>(&*request.tool_choice)) {
        if (*mode == ToolChoiceMode::required && (!request.tools || request.tools->empty()))
            choice.fault(FaultKind::rule, "cannot be \"required\" without tools");
    } else if (const auto* named = std::get_if<NamedTool>(&*request.tool_choice)) {
        check_name(named->function.name);
    } else if (const auto* allowed = std::get_if<AllowedToolsChoice>(&*request.tool_choice)) {
        for (const auto& tool : allowed->allowed_tools.tools)
            check_name(tool.function.name);
    }
}

schema::Value example_messages() {
    return boost::json::array{{{"role", "system"}, {"content", "Answer in one sentence."}},
                              {{"role", "user"}, {"content", "Why is the sky blue?"}}};
}

}  // namespace

const schema::Object<StreamOptions>& describe(schema::Type<StreamOptions>) {
    static const auto table =
        schema::Object<StreamOptions>("StreamOptions", "What a stream contains beside the answer.")
            .field("include_usage", &StreamOptions::include_usage,
                   {.doc = "A last chunk without choices carries the token counts."})
            .ignored<bool>("include_obfuscation", {.doc = "Accepted without effect: nothing is obfuscated."});
    return table;
}

const schema::Object<Prediction>& describe(schema::Type<Prediction>) {
    static const auto table =
        schema::Object<Prediction>("Prediction", "What the answer is expected to say, such as the file to be edited.")
            .constant("type", "content")
            .field("content", &Prediction::content, {.doc = "The text.", .required = true});
    return table;
}

const schema::Enum<ReasoningEffort>& describe(schema::Type<ReasoningEffort>) {
    using enum ReasoningEffort;
    static const schema::Enum<ReasoningEffort> names({{"none", none},
                                                      {"minimal", minimal},
                                                      {"low", low},
                                                      {"medium", medium},
                                                      {"high", high},
                                                      {"xhigh", xhigh},
                                                      {"max", max}});
    return names;
}

const schema::Enum<ServiceTier>& describe(schema::Type<ServiceTier>) {
    using enum ServiceTier;
    static const schema::Enum<ServiceTier> names({{"auto", automatic},
                                                  {"default", standard},
                                                  {"flex", flex},
                                                  {"scale", scale},
                                                  {"priority", priority},
                                                  {"fast", fast}});
    return names;
}

const schema::Object<Request>& describe(schema::Type<Request>) {
    using R = Request;
    static const auto table =
        schema::Object<R>("CreateChatCompletionRequest", "A conversation, and how it is to be continued.")
            .field("model", &R::model,
                   {.doc = "A name from GET /v1/models.",
                    .required = true,
                    .min_length = 1,
                    .example = "smollm2-135m-instruct"})
            .field("messages", &R::messages,
                   {.doc = "The conversation so far.",
                    .required = true,
                    .min_items = 1,
                    .max_items = 100000,
                    .example = example_messages()})
            .field("stream", &R::stream, {.doc = "Send the answer piece by piece as server-sent events."})
            .field("stream_options", &R::stream_options, {.doc = "Only together with `stream`."})
            .field("n", &R::n, {.doc = "How many independent answers.", .minimum = 1, .maximum = 8})
            .field("max_completion_tokens", &R::max_completion_tokens,
                   {.doc = "Most tokens of each answer, reasoning included. Default: until the context is full.",
                    .minimum = 1,
                    .example = 200})
            .field("max_tokens", &R::max_tokens,
                   {.doc = "The older name of `max_completion_tokens`; both may only be given with the same number.",
                    .deprecated = true,
                    .minimum = 1})
            .field("stop", &R::stop,
                   {.doc = "The answer ends before the first of these texts.", .min_length = 1, .max_items = 4})
            .include(&R::sampling)
            .field("logprobs", &R::logprobs, {.doc = "Also send the log probability of each token."})
            .field("top_logprobs", &R::top_logprobs,
                   {.doc = "Also those of so many likeliest tokens at each place.", .minimum = 0, .maximum = 20})
            .field("tools", &R::tools, {.doc = "Functions that the model may ask to be called.", .max_items = 1024})
            .field("tool_choice", &R::tool_choice,
                   {.doc = "Whether and which. Default: `auto` with tools, `none` without."})
            .field("parallel_tool_calls", &R::parallel_tool_calls,
                   {.doc = "One answer may contain several calls. Default true."})
            .field("response_format", &R::response_format, {.doc = "The form that the answer must have."})
            .field("grammar", &R::grammar,
                   {.doc = "Extension of llama.cpp. A GBNF grammar that the answer must match.", .min_length = 1})
            .field("reasoning_effort", &R::reasoning_effort,
                   {.doc = "How long models that think may think, as their templates know it; `none` switches it off "
                           "where the model "
                           "can."})
            .field("chat_template_kwargs", &R::chat_template_kwargs,
                   {.doc = "Extension of llama.cpp and vLLM. Variables for the model's chat template.",
                    .example = {{"enable_thinking", false}}})
            .field("service_tier", &R::service_tier,
                   {.doc = "`priority` and `fast` run before others, `flex` after them."})
            .field(
                "return_progress", &R::return_progress,
                {.doc = "Extension of llama.cpp. Stream chunks with `prompt_progress` while the prompt is evaluated; "
                        "needs `stream`."})
            .field("modalities", &R::modalities, {.doc = "Only `[\"text\"]`."}, check_modalities)
            .field("store", &R::store, {.doc = "Only `false`: answers are not kept."}, check_store)
            .ignored<std::map<std::string, std::string>>("metadata",
                                                         {.doc = "Accepted without effect.", .max_items = 16})
            .ignored<std::string>("user", {.doc = "Accepted without effect.", .deprecated = true})
            .ignored<std::string>("safety_identifier", {.doc = "Accepted without effect."})
            .ignored<std::string>("prompt_cache_key",
                                  {.doc = "Accepted without effect: prompts that begin alike share work anyway."})
            .ignored<std::string>("prompt_cache_retention", {.doc = "Accepted without effect.", .deprecated = true})
            .ignored("prompt_cache_options", {.doc = "Accepted without effect."})
            .field("prediction", &R::prediction,
                   {.doc = "A text that the answer will largely repeat. It makes the answer faster as far as that is "
                           "true, and does not change it."})
            .ignored<std::string>("verbosity", {.doc = "Accepted without effect: say it in the messages."})
            .field("audio", &R::refused, {.doc = "Refused."},
                   refuse("is not supported: answers are written, not spoken"))
            .field("web_search_options", &R::refused, {.doc = "Refused."},
                   refuse("is not supported: this server does not search the web"))
            .field("moderation", &R::refused, {.doc = "Refused."},
                   refuse("is not supported: this server does not judge texts"))
            .field("functions", &R::refused, {.doc = "Refused: use `tools`.", .deprecated = true},
                   refuse("is not supported: use tools"))
            .field("function_call", &R::refused, {.doc = "Refused: use `tool_choice`.", .deprecated = true},
                   refuse("is not supported: use tool_choice"))
            .field("json_schema", &R::refused, {.doc = "Refused: use `response_format`."},
                   refuse("is not supported: use response_format"))
            .field("guided_json", &R::refused, {.doc = "Refused: use `response_format`."},
                   refuse("is not supported: use response_format"))
            .field("guided_regex", &R::refused, {.doc = "Refused: use `grammar`."},
                   refuse("is not supported: use grammar"))
            .field("guided_choice", &R::refused, {.doc = "Refused: use `response_format` with an enum."},
                   refuse("is not supported: use response_format with an enum"))
            .field("guided_grammar", &R::refused, {.doc = "Refused: use `grammar`."},
                   refuse("is not supported: use grammar"))
            .field("structured_outputs", &R::refused, {.doc = "Refused: use `response_format`."},
                   refuse("is not supported: use response_format"))
            .check(check_streaming)
            .check(check_logprobs)
            .check(check_lengths)
            .check(check_form)
            .check(check_tool_names)
            .check(check_tool_choice);
    return table;
}

}  // namespace gateway::api::chat
