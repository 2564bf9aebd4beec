#include "worker/engine/llama/chat_formats.hpp"

#include <gtest/gtest.h>

namespace worker::engine::llama {
namespace {

constexpr const char* chat_template = R"jinja(
{%- if tools %}{{- '<|im_start|>system\n<tools>' }}
{%- for tool in tools %}{{- '\n' }}{{- tool | tojson }}{%- endfor %}
{{- '\n</tools>\nCall one as <tool_call>\n{"name": <name>, "arguments": <arguments>}\n</tool_call><|im_end|>\n' }}{%- endif %}
{%- for message in messages %}
{%- if message.role == 'tool' %}{{- '<|im_start|>user\n<tool_response>\n' + message.content + '\n</tool_response><|im_end|>\n' }}
{%- elif message.role == 'assistant' and message.tool_calls %}{{- '<|im_start|>assistant' }}
{%- for call in message.tool_calls %}{%- set call = call.function %}
{{- '\n<tool_call>\n{"name": "' }}{{- call.name }}{{- '", "arguments": ' }}{{- call.arguments | tojson }}{{- '}\n</tool_call>' }}
{%- endfor %}{{- '<|im_end|>\n' }}
{%- else %}{{- '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\n' }}{%- endif %})jinja";

class ChatFormatsTest : public testing::Test {
protected:
    static common_chat_templates_inputs chat(const std::string& question, int tools = 0) {
        common_chat_templates_inputs inputs;
        inputs.reasoning_format = COMMON_REASONING_FORMAT_AUTO;
        common_chat_msg message;
        message.role = "user";
        message.content = question;
        inputs.messages = {message};
        for (int number = 0; number < tools; ++number) {
            inputs.tools.push_back({.name = "tool_" + std::to_string(number),
                                    .description = "Does one thing and another.",
                                    .parameters = R"({"type":"object","properties":{"city":{"type":"string"},
                                        "days":{"type":"integer","minimum":1,"maximum":14},
                                        "units":{"enum":["metric","imperial"]},
                                        "filters":{"type":"array","items":{"type":"object","properties":{
                                            "name":{"type":"string"},"value":{"anyOf":[{"type":"string"},
                                            {"type":"number"}]}},"required":["name"]}}},"required":["city"]})"});
        }
        return inputs;
    }

    std::uint64_t hits() const {
        llm_gateway::engine::v1::StatisticsReply reply;
        formats.report(reply);
        return reply.caches(0).hits();
    }

    common_chat_templates_ptr templates = common_chat_templates_init(nullptr, chat_template);
    ChatFormats formats{templates.get()};
};

TEST_F(ChatFormatsTest, _15_TheSecondUseOfTwentyToolsWorksNothingOutAgain) {
    const auto first = formats.apply(chat("What about rivers?", 20));
    EXPECT_EQ(hits(), 0U);
    const auto second = formats.apply(chat("And mountains?", 20));
    EXPECT_EQ(hits(), 1U);
    EXPECT_EQ(second.answer_parser, first.answer_parser);
    EXPECT_EQ(second.grammar, first.grammar);
    EXPECT_NE(second.prompt.find("And mountains?"), std::string::npos);
    formats.apply(chat("And mountains?", 19));
    EXPECT_EQ(hits(), 1U);
}

TEST_F(ChatFormatsTest, WhatIsKeptIsWhatLlamaCppWouldMakeAnew) {
    for (const int tools : {0, 1, 2}) {
        for (const auto choice : {COMMON_CHAT_TOOL_CHOICE_AUTO, COMMON_CHAT_TOOL_CHOICE_REQUIRED}) {
            for (const char* question : {"one", "two"}) {
                auto inputs = chat(question, tools);
                inputs.tool_choice = choice;
                const auto kept = formats.apply(inputs);
                const auto fresh = common_chat_templates_apply(templates.get(), inputs);
                EXPECT_EQ(kept.prompt, fresh.prompt);
                EXPECT_EQ(kept.grammar, fresh.grammar);
                EXPECT_EQ(kept.grammar_lazy, fresh.grammar_lazy);
                EXPECT_EQ(kept.generation_prompt, fresh.generation_prompt);
                EXPECT_EQ(kept.format, fresh.format);
                EXPECT_EQ(kept.grammar_triggers.size(), fresh.grammar_triggers.size());
                EXPECT_EQ(kept.preserved_tokens, fresh.preserved_tokens);
                EXPECT_EQ(kept.additional_stops, fresh.additional_stops);
                EXPECT_EQ(kept.supports_thinking, fresh.supports_thinking);
                EXPECT_EQ(kept.answer_parser != nullptr, !fresh.parser.empty());
            }
        }
    }
    EXPECT_GT(hits(), 0U);
}

}  // namespace
}  // namespace worker::engine::llama
