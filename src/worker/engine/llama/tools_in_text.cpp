#include "worker/engine/llama/tools_in_text.hpp"

#include <chat-peg-parser.h>
#include <json-schema-to-grammar.h>
#include <json.h>

#include <string>
#include <utility>

namespace worker::engine::llama {
namespace {

constexpr const char* call_begin = "<tool_call>";
constexpr const char* call_end = "</tool_call>";
/// Of one answer: models that were not trained for calls may not know when to stop making them.
constexpr int most_calls = 4;

void set_text(common_chat_msg& message, std::string text) {
    message.content = std::move(text);
    message.content_parts.clear();
}

void append(std::string& text, std::string_view added, std::string_view separator) {
    if (!text.empty() && !added.empty()) {
        text += separator;
    }
    text += added;
}

common_json arguments_of(const common_chat_tool_call& call) {
    try {
        return common_json::parse(call.arguments);
    } catch (const std::exception&) {
        return common_json::make(call.arguments);  // as the model wrote it
    }
}

std::string call_text(const common_chat_tool_call& call) {
    common_json json = common_json::object();
    json["name"] = call.name;
    json["arguments"] = arguments_of(call);
    return std::string(call_begin) + "\n" + json.dump() + "\n" + call_end;
}

std::string description(const std::vector<common_chat_tool>& tools) {
    std::string text = "You can call functions. Each line describes one as JSON:\n<tools>\n";
    for (const auto& tool : common_chat_tools_to_json_oaicompat(tools)) {
        text += tool.at("function").dump() + "\n";
    }
    return text +
           "</tools>\n"
           "To call a function, answer only with its name and arguments as JSON between these tags:\n"
           "<tool_call>\n{\"name\": \"function name\", \"arguments\": {\"argument\": \"value\"}}\n</tool_call>\n"
           "What it returns comes between <tool_response> tags.";
}

void describe_tools(common_chat_templates_inputs& inputs) {
    auto& messages = inputs.messages;
    const bool instructed =
        !messages.empty() && (messages.front().role == "system" || messages.front().role == "developer");
    if (!instructed) {
        messages.insert(messages.begin(), common_chat_msg{});
        messages.front().role = "system";
    }
    std::string text = messages.front().render_content("\n");
    append(text, description(inputs.tools), "\n\n");
    set_text(messages.front(), std::move(text));
}

}  // namespace

void write_tools_as_text(common_chat_templates_inputs& inputs) {
    std::vector<common_chat_msg> written;
    bool joins = false;  // the last message is a result, or has one
    for (common_chat_msg& message : inputs.messages) {
        if (!message.tool_calls.empty()) {
            std::string text = message.render_content("\n");
            for (const auto& call : message.tool_calls) {
                append(text, call_text(call), "\n");
            }
            set_text(message, std::move(text));
            message.tool_calls.clear();
        }
        const bool is_result = message.role == "tool";
        if (is_result) {
            set_text(message, "<tool_response>\n" + message.render_content("\n") + "\n</tool_response>");
            message.role = "user";
            message.tool_name.clear();
            message.tool_call_id.clear();
        }
        if (joins && message.role == "user") {
            append(written.back().content, message.render_content("\n"), "\n");
            continue;
        }
        joins = is_result;
        written.push_back(std::move(message));
    }
    inputs.messages = std::move(written);
    if (!inputs.tools.empty()) {
        describe_tools(inputs);
    }
}

void expect_calls_in_text(const common_chat_templates_inputs& inputs, common_chat_params& params) {
    const auto tools = common_chat_tools_to_json_oaicompat(inputs.tools);
    const bool required = inputs.tool_choice == COMMON_CHAT_TOOL_CHOICE_REQUIRED;
    const bool thinks = params.supports_thinking && !params.thinking_end_tags.empty() &&
                        inputs.reasoning_format != COMMON_REASONING_FORMAT_NONE;
    const auto parser = build_chat_peg_parser([&](common_chat_peg_builder& p) {
        const std::string thinking_begin = thinks ? params.thinking_start_tag : "";
        auto answer = p.eps();
        if (thinks) {
            const std::string& end = params.thinking_end_tags.front();
            answer = p.optional(p.optspace(thinking_begin) + p.reasoning(p.until(end)) + p.optspace(end));
        }
        auto calls = p.standard_json_tools(call_begin, call_end, tools, false, true) + p.space();
        if (inputs.parallel_tool_calls) {
            calls = p.trigger_rule("tool-calls", p.repeat(calls, 1, most_calls));
        }
        answer = required ? answer + p.space() + calls
                          : answer + p.optional(p.content(p.until(call_begin))) + p.optional(calls);
        return p.prefix(params.generation_prompt, thinking_begin) + answer + p.end();
    });
    params.format = COMMON_CHAT_FORMAT_PEG_NATIVE;
    params.parser = parser.save();
    params.grammar_lazy = !required;
    params.grammar = build_grammar(
        [&](const common_grammar_builder& builder) { parser.build_grammar(builder, params.grammar_lazy); });
    params.grammar_triggers.clear();
    if (params.grammar_lazy) {
        params.grammar_triggers.push_back({.type = COMMON_GRAMMAR_TRIGGER_TYPE_WORD, .value = call_begin});
    }
}

}  // namespace worker::engine::llama
