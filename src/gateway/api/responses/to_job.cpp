#include "gateway/api/responses/to_job.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "gateway/api/chat/to_job.hpp"
#include "gateway/api/request_path.hpp"

namespace gateway::api::responses {
namespace {

template <typename... Ts>
struct Overloaded : Ts... {
    using Ts::operator()...;
};

chat::ToolChoice to_choice(const ToolChoice& choice) {
    return std::visit(
        Overloaded{[](chat::ToolChoiceMode mode) -> chat::ToolChoice { return mode; },
                   [](const ToolName& tool) -> chat::ToolChoice { return chat::NamedTool{{.name = tool.name}}; },
                   [](const AllowedTools& allowed) -> chat::ToolChoice {
                       chat::AllowedToolsChoice choice;
                       choice.allowed_tools.mode = allowed.mode;
                       for (const ToolName& tool : allowed.tools)
                           choice.allowed_tools.tools.push_back({.function = {.name = tool.name}});
                       return choice;
                   }},
        choice);
}

chat::ResponseFormat to_format(const TextFormat& format) {
    return std::visit(
        Overloaded{[](const JsonSchemaFormat& schema) -> chat::ResponseFormat {
                       return chat::JsonSchema{{.name = schema.name, .schema = schema.schema, .strict = schema.strict}};
                   },
                   [](const auto& other) -> chat::ResponseFormat { return other; }},
        format);
}

chat::Request to_chat(const Request& request) {
    const Prompt& prompt = request.prompt;
    chat::Request chat;
    chat.model = prompt.model;
    chat.max_completion_tokens = request.max_output_tokens;
    chat.logprobs = wants(request.include, Include::output_text_logprobs) || request.top_logprobs.value_or(0) > 0;
    chat.top_logprobs = request.top_logprobs;
    chat.sampling = request.sampling;
    if (prompt.tools) {
        chat.tools.tools.emplace();
        for (const auto& [tool, place] : functions_of(prompt.tools))
            chat.tools.tools->push_back({.function = {.name = tool->name,
                                                      .description = tool->description,
                                                      .parameters = tool->parameters,
                                                      .strict = tool->strict}});
    }
    if (prompt.tool_choice)
        chat.tools.tool_choice = to_choice(*prompt.tool_choice);
    chat.tools.parallel_tool_calls = prompt.parallel_tool_calls;
    if (prompt.text)
        chat.form.response_format = to_format(prompt.text->format);
    if (prompt.reasoning)
        chat.reasoning_effort = prompt.reasoning->effort;
    chat.service_tier = request.service_tier;
    return chat;
}

/// With the prefix "messages[": "messages[3].content[0].image_url.url" -> {3, ".content[0].image_url.url"}.
std::optional<std::pair<std::size_t, std::string_view>> index_in(std::string_view prefix, std::string_view path) {
    if (!path.starts_with(prefix))
        return std::nullopt;
    path.remove_prefix(prefix.size());
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(path.data(), path.data() + path.size(), index);
    path.remove_prefix(static_cast<std::size_t>(end - path.data()));
    if (error != std::errc() || !path.starts_with(']'))
        return std::nullopt;
    return std::pair(index, path.substr(1));
}

/// The path that a field of the chat request has in ours.
std::string from_chat_path(std::string_view chat_path, const Origin& origin) {
    if (const auto message = index_in("messages[", chat_path)) {
        if (message->first >= origin.message_paths.size())
            return "input";
        std::string rest(message->second);
        if (const auto url = rest.find(".image_url.url"); url != std::string::npos)
            rest.erase(url + std::string_view(".image_url").size());
        const std::string& item = origin.message_paths[message->first];
        // Calls are items of their own, and what was kept is not in the request.
        const bool inside = item.starts_with("input[") && rest.starts_with(".content");
        return inside ? item + rest : item;
    }
    static constexpr std::array renamings{
        Renaming{"messages", "input"},
        Renaming{"response_format.json_schema.schema", "text.format.schema"},
        Renaming{"response_format", "text.format"},
        Renaming{"tools[].function.parameters", "tools[].parameters"},
        Renaming{"tools[].function.name", "tools[].name"},
        Renaming{"reasoning_effort", "reasoning.effort"},
        Renaming{"max_completion_tokens", "max_output_tokens"},
        Renaming{"max_tokens", "max_output_tokens"},
    };
    std::string path(chat_path);
    if (const auto tool = index_in("tools[", chat_path); tool && tool->first < origin.tool_places.size())
        path = fmt::format("tools[{}]{}", origin.tool_places[tool->first], tool->second);
    return api::to_request_path(path, renamings);
}

}  // namespace

std::vector<PlacedItem> input_items(const Prompt& prompt) {
    std::vector<PlacedItem> items;
    if (!prompt.input)
        return items;
    if (const auto* text = std::get_if<std::string>(&*prompt.input)) {
        items.push_back(
            {.item = {Message{.id = {}, .status = {}, .role = Role::user, .content = *text}}, .path = "input"});
        return items;
    }
    const auto& given = std::get<std::vector<Item>>(*prompt.input);
    for (std::size_t i = 0; i < given.size(); ++i)
        items.push_back({.item = given[i], .path = fmt::format("input[{}]", i)});
    return items;
}

std::string Origin::to_request_path(std::string_view job_path) const {
    return from_chat_path(chat::to_request_path(job_path, "response_format.json_schema.schema"), *this);
}

std::expected<Translated, schema::Faults> to_job(const Request& request, const std::vector<PlacedItem>& items,
                                                 const llm_gateway::engine::v1::ModelFacts* facts) {
    Conversation conversation = to_messages(items);
    if (request.prompt.instructions) {
        conversation.messages.insert(conversation.messages.begin(), chat::SystemMessage{*request.prompt.instructions});
        conversation.paths.insert(conversation.paths.begin(), "instructions");
    }
    Origin origin{.message_paths = std::move(conversation.paths), .tool_places = {}};
    for (const auto& [function, place] : functions_of(request.prompt.tools))
        origin.tool_places.push_back(place);
    chat::Request chat = to_chat(request);
    chat.messages = std::move(conversation.messages);
    auto job = chat::to_job(chat, facts);
    if (job)
        return Translated{.job = *std::move(job), .origin = std::move(origin)};
    schema::Faults faults = std::move(job.error());
    for (schema::Fault& fault : faults)
        fault.path = from_chat_path(fault.path, origin);
    return std::unexpected(std::move(faults));
}

}  // namespace gateway::api::responses
