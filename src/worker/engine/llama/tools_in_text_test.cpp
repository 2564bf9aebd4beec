#include "worker/engine/llama/tools_in_text.hpp"

#include <gtest/gtest.h>

#include "worker/engine/llama/chat.hpp"

namespace worker::engine::llama {
namespace {

// A template that knows no tools, as that of many small models.
constexpr const char* chat_template = R"jinja(
{%- for message in messages %}{{- '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\n' }}{%- endif %})jinja";

class ToolsInTextTest : public testing::Test {
protected:
    contract::ChatMessage& say(const std::string& role, const std::string& text) {
        auto& message = *job.mutable_chat()->add_messages();
        message.set_role(role);
        if (!text.empty()) {
            message.add_content()->set_text(text);
        }
        return message;
    }

    static void add_call(contract::ChatMessage& message, const std::string& city) {
        auto& call = *message.add_tool_calls();
        call.set_id("call_" + city);
        call.set_name("weather");
        call.set_arguments(R"({"city":")" + city + "\"}");
    }

    void offer(const std::string& name) {
        auto& tool = *job.mutable_chat()->add_tools();
        tool.set_name(name);
        tool.set_description("does " + name);
        tool.set_parameters_schema(R"({"type":"object","properties":{"city":{"type":"string"}},"required":["city"]})");
    }

    RenderedChat rendered() {
        ChatFormats formats(templates.get());
        auto params = render(formats, schemas, job);
        EXPECT_TRUE(params.has_value()) << params.error().message;
        return std::move(params).value_or(RenderedChat{});
    }

    static common_chat_msg parsed(const RenderedChat& params, const std::string& answer) {
        common_chat_parser_params parser(params);
        parser.parser = *params.answer_parser;
        return common_chat_parse(answer, false, parser);
    }

    common_chat_templates_ptr templates = common_chat_templates_init(nullptr, chat_template);
    SchemaGrammars schemas;
    contract::TextJob job;
};

TEST_F(ToolsInTextTest, ToolsAreDescribedBehindTheInstructions) {
    say("system", "Be brief.");
    say("user", "Hello");
    offer("weather");
    const auto params = rendered();
    EXPECT_EQ(params.prompt.find("<|im_start|>system\nBe brief.\n\nYou can call functions."), 0U) << params.prompt;
    EXPECT_NE(params.prompt.find(R"("description":"does weather")"), std::string::npos) << params.prompt;
    EXPECT_TRUE(params.grammar_lazy);
    ASSERT_FALSE(params.grammar_triggers.empty());
    EXPECT_EQ(params.grammar_triggers[0].value, "<tool_call>");
}

TEST_F(ToolsInTextTest, WithoutInstructionsThereIsAMessageForThem) {
    say("user", "Hello");
    offer("weather");
    EXPECT_EQ(rendered().prompt.find("<|im_start|>system\nYou can call functions."), 0U);
    job.mutable_chat()->mutable_tool_choice()->set_mode(contract::ToolChoice::NONE);
    EXPECT_EQ(rendered().prompt, "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n");
}

TEST_F(ToolsInTextTest, CallsAndResultsBecomeText) {
    say("user", "Weather?");
    auto& calls = say("assistant", "Let me see.");
    add_call(calls, "Paris");
    add_call(calls, "Rome");
    say("tool", "sunny").set_tool_call_id("call_Paris");
    say("tool", "rainy").set_tool_call_id("call_Rome");
    say("user", "And?");
    EXPECT_EQ(
        rendered().prompt,
        "<|im_start|>user\nWeather?<|im_end|>\n<|im_start|>assistant\nLet me see.\n"
        "<tool_call>\n{\"name\":\"weather\",\"arguments\":{\"city\":\"Paris\"}}\n</tool_call>\n"
        "<tool_call>\n{\"name\":\"weather\",\"arguments\":{\"city\":\"Rome\"}}\n</tool_call><|im_end|>\n"
        "<|im_start|>user\n<tool_response>\nsunny\n</tool_response>\n<tool_response>\nrainy\n</tool_response>\nAnd?"
        "<|im_end|>\n<|im_start|>assistant\n");
}

TEST_F(ToolsInTextTest, TextAndCallsAreToldApart) {
    say("user", "Weather?");
    offer("weather");
    job.mutable_chat()->set_parallel_tool_calls(true);
    const auto params = rendered();
    EXPECT_EQ(parsed(params, "It is sunny.").content, "It is sunny.");
    const auto message = parsed(params,
                                "Look:\n<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Paris\"}}\n"
                                "</tool_call>\n<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\": "
                                "\"Rome\"}}\n</tool_call>");
    ASSERT_EQ(message.tool_calls.size(), 2U);
    EXPECT_EQ(message.tool_calls[0].name, "weather");
    EXPECT_EQ(message.tool_calls[1].arguments, R"({"city": "Rome"})");
    EXPECT_EQ(message.content.substr(0, 5), "Look:");
}

TEST_F(ToolsInTextTest, ARequiredCallLeavesNoRoomForText) {
    say("user", "Weather?");
    offer("weather");
    offer("clock");
    job.mutable_chat()->mutable_tool_choice()->set_mode(contract::ToolChoice::NAMED);
    job.mutable_chat()->mutable_tool_choice()->set_name("clock");
    const auto params = rendered();
    EXPECT_FALSE(params.grammar_lazy);
    const auto root = params.grammar.find("root ::=");
    ASSERT_NE(root, std::string::npos);
    EXPECT_EQ(params.grammar.substr(root, params.grammar.find('\n', root) - root).find("until"), std::string::npos);
    EXPECT_EQ(params.grammar.find("weather"), std::string::npos);
    EXPECT_EQ(params.prompt.find("weather"), std::string::npos);
}

}  // namespace
}  // namespace worker::engine::llama
