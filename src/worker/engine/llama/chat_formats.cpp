#include "worker/engine/llama/chat_formats.hpp"

#include <exception>
#include <utility>

namespace worker::engine::llama {
namespace {

common_chat_params plain(const common_chat_templates* templates, common_chat_templates_inputs inputs) {
    inputs.force_pure_content = true;
    return common_chat_templates_apply(templates, inputs);
}

common_chat_msg said(const char* role, const char* text) {
    common_chat_msg message;
    message.role = role;
    message.content = text;
    return message;
}

// Everything in a conversation that llama.cpp is known to rewrite for one model or another.
common_chat_templates_inputs example(bool with_tools) {
    common_chat_templates_inputs inputs;
    inputs.reasoning_format = COMMON_REASONING_FORMAT_AUTO;
    auto answer = said("assistant", " An answer. ");
    answer.reasoning_content = "A thought.";
    inputs.messages = {said("system", " Rules. "), said("user", " A question. "), answer, said("user", "Another.")};
    if (with_tools) {
        inputs.tools = {{.name = "look", .description = "Looks.", .parameters = R"({"type":"object"})"}};
        auto call = said("assistant", "");
        call.reasoning_content = "I should look.";
        call.tool_calls = {{.name = "look", .arguments = "{}", .id = "call_1"}};
        auto result = said("tool", "Nothing there.");
        result.tool_call_id = "call_1";
        result.tool_name = "look";
        inputs.messages.insert(inputs.messages.end(), {call, result});
    }
    return inputs;
}

bool same_prompt(const common_chat_templates* templates, const common_chat_templates_inputs& inputs) {
    const auto whole = common_chat_templates_apply(templates, inputs);
    const auto short_way = plain(templates, inputs);
    return whole.prompt == short_way.prompt && whole.generation_prompt == short_way.generation_prompt;
}

bool prompts_are_plain(const common_chat_templates* templates) {
    try {
        return same_prompt(templates, example(false)) &&
               (!common_chat_templates_get_caps(templates)["supports_tools"] || same_prompt(templates, example(true)));
    } catch (const std::exception&) {
        return false;  // a template that does not take such messages
    }
}

// All that the format of an answer can depend on.
std::string key_of(const common_chat_templates_inputs& inputs, const std::string& generation_prompt) {
    std::string key;
    const auto add = [&key](const std::string& text) {
        key.append(std::to_string(text.size())).append(":").append(text);
    };
    for (const auto& tool : inputs.tools) {
        add(tool.name);
        add(tool.description);
        add(tool.parameters);
    }
    key += "|";
    for (const auto& [name, value] : inputs.chat_template_kwargs) {
        add(name);
        add(value);
    }
    key += "|";
    add(inputs.json_schema);
    add(inputs.grammar);
    add(generation_prompt);
    for (const int number :
         {static_cast<int>(inputs.tool_choice), static_cast<int>(inputs.parallel_tool_calls),
          static_cast<int>(inputs.reasoning_format), static_cast<int>(inputs.enable_thinking),
          static_cast<int>(inputs.add_generation_prompt), static_cast<int>(inputs.continue_final_message)}) {
        add(std::to_string(number));
    }
    return key;
}

RenderedChat with_parser(common_chat_params params) {
    RenderedChat chat{std::move(params), nullptr};
    read_parser(chat);
    return chat;
}

}  // namespace

void read_parser(RenderedChat& chat) {
    if (!chat.parser.empty()) {
        auto parser = std::make_shared<common_peg_arena>();
        parser->load(chat.parser);
        chat.answer_parser = std::move(parser);
        chat.parser.clear();
    }
}

ChatFormats::ChatFormats(const common_chat_templates* templates)
    : templates_(templates), prompt_is_plain_(prompts_are_plain(templates)) {}

RenderedChat ChatFormats::apply(const common_chat_templates_inputs& inputs) {
    if (!prompt_is_plain_ || inputs.continue_final_message != COMMON_CHAT_CONTINUATION_NONE) {
        return with_parser(common_chat_templates_apply(templates_, inputs));
    }
    auto prompt = plain(templates_, inputs);
    auto key = key_of(inputs, prompt.generation_prompt);
    auto format = known_.find(key);
    if (!format) {
        auto params = common_chat_templates_apply(templates_, inputs);
        if (params.prompt != prompt.prompt || params.generation_prompt != prompt.generation_prompt) {
            return with_parser(std::move(params));
        }
        // Read, a parser takes several times its text.
        const auto bytes = params.grammar.size() + 8 * params.parser.size();
        params.prompt.clear();
        format = std::make_shared<const RenderedChat>(with_parser(std::move(params)));
        known_.keep(std::move(key), *format, bytes);
    }
    RenderedChat chat = **format;
    chat.prompt = std::move(prompt.prompt);
    return chat;
}

std::string ChatFormats::prompt(const common_chat_templates_inputs& inputs) const {
    if (prompt_is_plain_ && inputs.continue_final_message == COMMON_CHAT_CONTINUATION_NONE) {
        return plain(templates_, inputs).prompt;
    }
    try {
        return common_chat_templates_apply(templates_, inputs).prompt;
    } catch (const std::exception&) {
        return plain(templates_, inputs).prompt;
    }
}

}  // namespace worker::engine::llama
