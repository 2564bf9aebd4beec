#include "worker/engine/llama/chat.hpp"

#include <fmt/format.h>
#include <json.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "worker/engine/llama/grammar_text.hpp"
#include "worker/engine/llama/output_format.hpp"
#include "worker/engine/llama/schema_places.hpp"
#include "worker/engine/llama/tools_in_text.hpp"
#include "worker/engine/llama/unmarked_calls.hpp"

namespace worker::engine::llama {
namespace {

using base::ErrorCode;
using base::fail;

base::Result<common_chat_msg> message_of(const contract::ChatMessage& message, int index, const MediaKinds& media) {
    common_chat_msg out;
    out.role = message.role();
    for (int part = 0; part < message.content_size(); ++part) {
        const auto& content = message.content(part);
        if ((content.has_image() && !media.images) || (content.has_audio() && !media.sounds)) {
            return fail(ErrorCode::unsupported,
                        content.has_image() ? "This model takes no images." : "This model takes no sound.",
                        fmt::format("chat.messages[{}].content[{}]", index, part));
        }
        if (!content.has_text()) {
            out.content_parts.push_back({.type = "media_marker", .text = media.marker});
        } else if (message.content_size() == 1) {
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

/// Of the schemas of a chat, by the number of their place in `stand_in`: the tools in order, then the answer.
using Grammars = std::vector<std::shared_ptr<const std::string>>;

// Without a schema a tool takes any arguments, with an empty one none.
std::string arguments_schema(const contract::Tool& tool) {
    if (tool.parameters_schema().empty()) {
        return R"({"type":"object"})";
    }
    const auto schema = common_json::parse_no_throw(tool.parameters_schema());
    const bool is_empty = !schema.is_discarded() && schema.is_object() && schema.empty();
    return is_empty ? R"({"type":"object","properties":{}})" : tool.parameters_schema();
}

base::Result<void> add_tools(const contract::Chat& chat, SchemaGrammars& schemas, common_chat_templates_inputs& inputs,
                             Grammars& grammars) {
    const auto& choice = chat.tool_choice();
    if (choice.mode() == contract::ToolChoice::NONE) {
        return {};
    }
    for (int index = 0; index < chat.tools_size(); ++index) {
        const auto& tool = chat.tools(index);
        if (choice.mode() == contract::ToolChoice::NAMED && tool.name() != choice.name()) {
            continue;
        }
        const std::string schema = arguments_schema(tool);
        auto grammar = schemas.of(schema, fmt::format("chat.tools[{}].parameters_schema", index),
                                  tool.strict() ? schema::Unenforceable::refused : schema::Unenforceable::left_out);
        if (!grammar) {
            return std::unexpected(grammar.error());
        }
        grammars.push_back(std::move(*grammar));
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
    // Who names a function wants one call of it.
    inputs.parallel_tool_calls = chat.parallel_tool_calls() && choice.mode() != contract::ToolChoice::NAMED;
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

base::Result<void> set_ending(const contract::Chat& chat, common_chat_templates_inputs& inputs) {
    inputs.add_generation_prompt = !chat.omit_generation_prompt();
    if (!chat.continue_final_message()) {
        return {};
    }
    const auto& last = chat.messages(chat.messages_size() - 1);
    if (last.role() != "assistant" || last.tool_calls_size() > 0) {
        return fail(ErrorCode::invalid, "Only a message of the assistant without tool calls can be continued.",
                    "chat.continue_final_message");
    }
    inputs.continue_final_message = COMMON_CHAT_CONTINUATION_AUTO;
    inputs.add_generation_prompt = false;
    return {};
}

common_chat_templates_inputs with_stand_ins(common_chat_templates_inputs inputs) {
    for (std::size_t place = 0; place < inputs.tools.size(); ++place) {
        inputs.tools[place].parameters = stand_in(place);
    }
    return inputs;
}

bool has_all_stand_ins(const RenderedChat& chat, std::size_t count) {
    for (std::size_t place = 0; place < count; ++place) {
        if (!has_stand_in(chat.grammar, place)) {
            return false;
        }
    }
    return true;
}

// Nothing for a format that gives each argument a place of its own, and so has to see the schemas.
std::optional<RenderedChat> applied_to_stand_ins(ChatFormats& formats, const common_chat_templates_inputs& inputs) {
    try {
        auto chat = formats.apply(with_stand_ins(inputs));
        const bool complete = chat.grammar.empty() || has_all_stand_ins(chat, inputs.tools.size());
        return complete ? std::optional(std::move(chat)) : std::nullopt;
    } catch (const std::exception&) {  // a template that wants more of a schema
        return std::nullopt;
    }
}

// The prompt shows the tools' schemas, the answer's grammar has stand-ins for them. With tools that the template does not
// know, these are kept from it.
RenderedChat apply(ChatFormats& formats, common_chat_templates_inputs inputs) {
    if (!common_chat_templates_get_caps(formats.templates())["supports_tools"]) {
        write_tools_as_text(inputs);
        const auto offered = with_stand_ins(inputs);
        inputs.tools.clear();
        auto chat = formats.apply(inputs);
        if (!offered.tools.empty()) {
            expect_calls_in_text(offered, chat);
            read_parser(chat);
        }
        return chat;
    }
    if (!inputs.tools.empty()) {
        if (auto chat = applied_to_stand_ins(formats, inputs)) {
            chat->prompt = formats.prompt(inputs);
            return std::move(*chat);
        }
    }
    return formats.apply(inputs);
}

// Calls or JSON that fits the schema, and nothing else. llama.cpp's own grammar for both would leave out the calls.
// Thinking has no place in it.
RenderedChat apply_with_schema(ChatFormats& formats, common_chat_templates_inputs inputs, const std::string& answer) {
    inputs.json_schema.clear();
    inputs.enable_thinking = false;
    auto chat = apply(formats, inputs);
    chat.grammar = either(chat.generation_prompt, chat.grammar, answer);
    chat.grammar_lazy = false;
    chat.grammar_triggers.clear();
    return chat;
}

}  // namespace

base::Result<RenderedChat> render(ChatFormats& formats, SchemaGrammars& schemas, const contract::TextJob& job,
                                  const MediaKinds& media) {
    const auto& chat = job.chat();
    if (chat.messages().empty()) {
        return fail(ErrorCode::invalid, "There are no messages.", "chat.messages");
    }
    common_chat_templates_inputs inputs;
    for (int index = 0; index < chat.messages_size(); ++index) {
        auto message = message_of(chat.messages(index), index, media);
        if (!message) {
            return std::unexpected(message.error());
        }
        inputs.messages.push_back(std::move(*message));
    }
    Grammars grammars;
    if (auto added = add_tools(chat, schemas, inputs, grammars); !added) {
        return std::unexpected(added.error());
    }
    if (auto set = set_ending(chat, inputs); !set) {
        return std::unexpected(set.error());
    }
    if (auto added = add_template_arguments(chat, inputs); !added) {
        return std::unexpected(added.error());
    }
    inputs.grammar = job.output_format().grammar();
    inputs.reasoning_format = chat.reasoning_in_text() ? COMMON_REASONING_FORMAT_NONE : COMMON_REASONING_FORMAT_AUTO;
    if (!inputs.tools.empty() && !inputs.grammar.empty()) {
        return fail(ErrorCode::invalid, "A grammar and tools cannot be combined.", "output_format.grammar");
    }
    const bool required = inputs.tool_choice == COMMON_CHAT_TOOL_CHOICE_REQUIRED;
    const std::string schema = schema_of(job.output_format());
    if (!required && !schema.empty()) {  // of text, and a required call leaves no room for any
        auto grammar = schemas.of(schema, "output_format.json_schema", schema::Unenforceable::refused);
        if (!grammar) {
            return std::unexpected(grammar.error());
        }
        inputs.json_schema = stand_in(grammars.size());
        grammars.push_back(std::move(*grammar));
    }
    try {
        auto params = inputs.json_schema.empty() || inputs.tools.empty()
                          ? apply(formats, inputs)
                          : apply_with_schema(formats, inputs, *grammars.back());
        if (required) {
            params.grammar = without_free_text(params.grammar);
        }
        if (!inputs.tools.empty() && !inputs.parallel_tool_calls) {
            params.grammar = with_one_call(params.grammar);
        }
        if (auto usable = check_repetitions(params.grammar, "chat.tools"); !usable) {
            return std::unexpected(usable.error());
        }
        if (!inputs.tools.empty() && inputs.continue_final_message == COMMON_CHAT_CONTINUATION_NONE) {
            expect_unmarked_calls(with_stand_ins(inputs), params);
        }
        for (std::size_t place = 0; place < grammars.size(); ++place) {
            params.grammar = put_in_place(std::move(params.grammar), place, *grammars[place]);
        }
        return params;
    } catch (const std::exception& problem) {
        return fail(ErrorCode::invalid,
                    fmt::format("The model's chat template does not accept these messages: {}", problem.what()),
                    "chat.messages");
    }
}

}  // namespace worker::engine::llama
