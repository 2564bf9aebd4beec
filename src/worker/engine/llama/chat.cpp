#include "worker/engine/llama/chat.hpp"

#include <fmt/format.h>
#include <json.h>

#include <string_view>

#include "worker/engine/llama/output_format.hpp"

namespace worker::engine::llama {
namespace {

using base::ErrorCode;
using base::fail;

base::Result<common_chat_msg> message_of(const contract::ChatMessage& message, int index) {
    common_chat_msg out;
    out.role = message.role();
    for (int part = 0; part < message.content_size(); ++part) {
        const auto& content = message.content(part);
        if (!content.has_text()) {
            return fail(ErrorCode::unsupported, "This model takes text only.",
                        fmt::format("chat.messages[{}].content[{}]", index, part));
        }
        if (message.content_size() == 1) {
            out.content = content.text();
        } else {
            out.content_parts.push_back({.type = "text", .text = content.text()});
        }
    }
    for (const auto& call : message.tool_calls()) {
        out.tool_calls.push_back({.name = call.name(), .arguments = call.arguments(), .id = call.id()});
    }
    out.reasoning_content = message.reasoning();
    out.tool_call_id = message.tool_call_id();
    if (message.role() == "tool") {
        out.tool_name = message.name();
    }
    return out;
}

base::Result<void> add_tools(const contract::Chat& chat, common_chat_templates_inputs& inputs) {
    const auto& choice = chat.tool_choice();
    if (choice.mode() == contract::ToolChoice::NONE) {
        return {};
    }
    for (int index = 0; index < chat.tools_size(); ++index) {
        const auto& tool = chat.tools(index);
        if (choice.mode() == contract::ToolChoice::NAMED && tool.name() != choice.name()) {
            continue;
        }
        const std::string schema = tool.parameters_schema().empty() ? R"({"type":"object"})" : tool.parameters_schema();
        if (auto valid = check_schema(schema, fmt::format("chat.tools[{}].parameters_schema", index)); !valid) {
            return std::unexpected(valid.error());
        }
        inputs.tools.push_back({.name = tool.name(), .description = tool.description(), .parameters = schema});
    }
    if (inputs.tools.empty() && choice.mode() == contract::ToolChoice::NAMED) {
        return fail(ErrorCode::invalid, fmt::format("There is no tool '{}'.", choice.name()), "chat.tool_choice.name");
    }
    if (inputs.tools.empty() && choice.mode() == contract::ToolChoice::REQUIRED) {
        return fail(ErrorCode::invalid, "A tool call is required, but there are no tools.", "chat.tool_choice");
    }
    const bool required =
        choice.mode() == contract::ToolChoice::NAMED || choice.mode() == contract::ToolChoice::REQUIRED;
    inputs.tool_choice = required ? COMMON_CHAT_TOOL_CHOICE_REQUIRED : COMMON_CHAT_TOOL_CHOICE_AUTO;
    inputs.parallel_tool_calls = chat.parallel_tool_calls();
    return {};
}

base::Result<void> add_template_arguments(const contract::Chat& chat, common_chat_templates_inputs& inputs) {
    for (const auto& [name, value] : chat.template_arguments()) {
        try {
            const auto parsed = common_json::parse(value);
            if (name == "enable_thinking" && (value == "true" || value == "false")) {
                inputs.enable_thinking = value == "true";
            }
        } catch (const std::exception&) {
            return fail(ErrorCode::invalid, "The value is not JSON.", fmt::format("chat.template_arguments.{}", name));
        }
        inputs.chat_template_kwargs[name] = value;
    }
    if (chat.reasoning_effort() == "none") {
        inputs.enable_thinking = false;
    } else if (!chat.reasoning_effort().empty()) {
        inputs.chat_template_kwargs["reasoning_effort"] = '"' + chat.reasoning_effort() + '"';
    }
    return {};
}

// llama.cpp's grammars let a model talk before a required call, as long as it likes: a small model may never come to
// it. In them free text is an optional rule `until-N?` of the root rule; reasoning is a mandatory one between its tags.
std::string without_free_text(const std::string& grammar) {
    constexpr std::string_view root_rule = "root ::= ";
    constexpr std::string_view free_text = " until-";
    auto root = grammar.find(root_rule);
    while (root != std::string::npos && root > 0 && grammar[root - 1] != '\n') {
        root = grammar.find(root_rule, root + 1);
    }
    if (root == std::string::npos) {
        return grammar;
    }
    std::string without = grammar;
    for (auto found = without.find(free_text, root); found < without.find('\n', root);) {
        const auto number = found + free_text.size();
        const auto end = without.find_first_not_of("0123456789", number);
        if (end != std::string::npos && end > number && without[end] == '?') {
            without.erase(found, end + 1 - found);
        } else {
            found = number;
        }
        found = without.find(free_text, found);
    }
    return without;
}

}  // namespace

base::Result<common_chat_params> render(const common_chat_templates* templates, const contract::TextJob& job) {
    const auto& chat = job.chat();
    if (chat.messages().empty()) {
        return fail(ErrorCode::invalid, "There are no messages.", "chat.messages");
    }
    common_chat_templates_inputs inputs;
    for (int index = 0; index < chat.messages_size(); ++index) {
        auto message = message_of(chat.messages(index), index);
        if (!message) {
            return std::unexpected(message.error());
        }
        inputs.messages.push_back(std::move(*message));
    }
    if (auto added = add_tools(chat, inputs); !added) {
        return std::unexpected(added.error());
    }
    if (!inputs.tools.empty() && !common_chat_templates_get_caps(templates)["supports_tools"]) {
        return fail(ErrorCode::unsupported, "This model cannot call tools: its chat template does not know them.",
                    "chat.tools");
    }
    if (auto added = add_template_arguments(chat, inputs); !added) {
        return std::unexpected(added.error());
    }
    inputs.json_schema = schema_of(job.output_format());
    inputs.grammar = job.output_format().grammar();
    inputs.reasoning_format = COMMON_REASONING_FORMAT_AUTO;
    if (!inputs.tools.empty() && !inputs.grammar.empty()) {
        return fail(ErrorCode::invalid, "A grammar and tools cannot be combined.", "output_format.grammar");
    }
    try {
        auto params = common_chat_templates_apply(templates, inputs);
        if (inputs.tool_choice == COMMON_CHAT_TOOL_CHOICE_REQUIRED) {
            params.grammar = without_free_text(params.grammar);
        }
        return params;
    } catch (const std::exception& problem) {
        return fail(ErrorCode::invalid,
                    fmt::format("The model's chat template does not accept these messages: {}", problem.what()),
                    "chat.messages");
    }
}

}  // namespace worker::engine::llama
