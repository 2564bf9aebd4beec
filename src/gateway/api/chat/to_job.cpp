#include "gateway/api/chat/to_job.hpp"

#include <algorithm>

#include "gateway/api/chat/content.hpp"
#include "schema/schema.hpp"

namespace gateway::api::chat {
namespace {

namespace contract = llm_gateway::engine::v1;

std::int32_t to_priority(const std::optional<ServiceTier>& tier) {
    switch (tier.value_or(ServiceTier::automatic)) {
        case ServiceTier::flex: return -1;
        case ServiceTier::priority:
        case ServiceTier::fast: return 1;
        default: return 0;
    }
}

void add_tools(const Request& request, contract::Chat& chat) {
    const AllowedToolsChoice* allowed =
        request.tool_choice ? std::get_if<AllowedToolsChoice>(&*request.tool_choice) : nullptr;
    const auto is_allowed = [&](const std::string& name) {
        return allowed == nullptr || std::ranges::any_of(allowed->allowed_tools.tools, [&](const NamedTool& tool) {
                   return tool.function.name == name;
               });
    };
    for (const Tool& tool : request.tools.value_or(std::vector<Tool>{})) {
        if (!is_allowed(tool.function.name))
            continue;
        auto* added = chat.add_tools();
        added->set_name(tool.function.name);
        added->set_description(tool.function.description.value_or(""));
        if (tool.function.parameters)
            added->set_parameters_schema(schema::write_json(*tool.function.parameters));
        added->set_strict(tool.function.strict.value_or(false));
    }
    chat.set_parallel_tool_calls(request.parallel_tool_calls.value_or(true));
}

void set_tool_choice(const Request& request, contract::ToolChoice& choice) {
    choice.set_mode(contract::ToolChoice::AUTO);
    if (!request.tool_choice)
        return;
    if (const auto* mode = std::get_if<ToolChoiceMode>(&*request.tool_choice)) {
        if (*mode == ToolChoiceMode::none)
            choice.set_mode(contract::ToolChoice::NONE);
        else if (*mode == ToolChoiceMode::required)
            choice.set_mode(contract::ToolChoice::REQUIRED);
    } else if (const auto* named = std::get_if<NamedTool>(&*request.tool_choice)) {
        choice.set_mode(contract::ToolChoice::NAMED);
        choice.set_name(named->function.name);
    } else if (const auto* allowed = std::get_if<AllowedToolsChoice>(&*request.tool_choice)) {
        if (allowed->allowed_tools.mode == AllowedTools::Mode::required)
            choice.set_mode(contract::ToolChoice::REQUIRED);
    }
}

void set_output_format(const Request& request, contract::TextJob& text) {
    if (request.grammar)
        text.mutable_output_format()->set_grammar(*request.grammar);
    if (!request.response_format)
        return;
    if (std::holds_alternative<JsonObject>(*request.response_format)) {
        text.mutable_output_format()->set_json_object(true);
    } else if (const auto* format = std::get_if<JsonSchema>(&*request.response_format)) {
        if (format->json_schema.schema)
            text.mutable_output_format()->set_json_schema(schema::write_json(*format->json_schema.schema));
        else
            text.mutable_output_format()->set_json_object(true);
    }
}

void set_stop(const Request& request, contract::TextJob& text) {
    if (!request.stop)
        return;
    if (const auto* one = std::get_if<std::string>(&*request.stop))
        text.add_stop(*one);
    else
        for (const auto& stop : std::get<std::vector<std::string>>(*request.stop))
            text.add_stop(stop);
}

void set_prediction(const Request& request, contract::TextJob& text) {
    if (!request.prediction)
        return;
    if (const auto* whole = std::get_if<std::string>(&request.prediction->content))
        text.set_prediction(*whole);
    else
        for (const auto& part : std::get<std::vector<TextPart>>(request.prediction->content))
            text.mutable_prediction()->append(part.text);
}

}  // namespace

std::expected<backends::Job, schema::Faults> to_job(const Request& request, const contract::ModelFacts* facts) {
    backends::Job job;
    job.set_priority(to_priority(request.service_tier));
    contract::TextJob& text = *job.mutable_text();

    contract::Chat& chat = *text.mutable_chat();
    schema::Findings findings;
    const schema::Reading root(findings);
    add_messages(request.messages, facts, chat, root.at("messages"));
    if (!findings.faults.empty())
        return std::unexpected(std::move(findings.faults));
    add_tools(request, chat);
    set_tool_choice(request, *chat.mutable_tool_choice());
    if (request.reasoning_effort)
        chat.set_reasoning_effort(
            std::string(describe(schema::Type<ReasoningEffort>{}).name(*request.reasoning_effort)));
    if (request.chat_template_kwargs)
        for (const auto& [name, value] : *request.chat_template_kwargs)
            (*chat.mutable_template_arguments())[name] = schema::write_json(value);

    to_sampling(request.sampling, *text.mutable_sampling());
    text.set_choices(static_cast<std::uint32_t>(request.n.value_or(1)));
    if (const auto most = request.max_completion_tokens ? request.max_completion_tokens : request.max_tokens)
        text.set_max_tokens(static_cast<std::uint32_t>(*most));
    text.set_min_tokens(static_cast<std::uint32_t>(request.sampling.min_tokens.value_or(0)));
    text.set_ignore_eos(request.sampling.ignore_eos.value_or(false));
    set_stop(request, text);
    text.set_logprobs(request.logprobs.value_or(false));
    text.set_top_logprobs(static_cast<std::uint32_t>(request.top_logprobs.value_or(0)));
    set_output_format(request, text);
    set_prediction(request, text);
    text.set_report_prompt_progress(request.return_progress.value_or(false));
    return job;
}

}  // namespace gateway::api::chat
