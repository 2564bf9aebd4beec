#include "worker/engine/llama/chat.hpp"

#include <gtest/gtest.h>

namespace worker::engine::llama {
namespace {

// A small template in the manner of ChatML, with tools as many models have them.
constexpr const char* chat_template = R"jinja(
{%- if tools %}{{- '<|im_start|>system\nYou may call these functions:\n<tools>' }}
{%- for tool in tools %}{{- '\n' }}{{- tool | tojson }}{%- endfor %}
{{- '\n</tools>\nCall one as <tool_call>\n{"name": <name>, "arguments": <arguments>}\n</tool_call><|im_end|>\n' }}{%- endif %}
{%- for message in messages %}
{%- if message.role == 'tool' %}{{- '<|im_start|>user\n<tool_response>\n' + message.content + '\n</tool_response><|im_end|>\n' }}
{%- elif message.role == 'assistant' and message.tool_calls %}{{- '<|im_start|>assistant' }}
{%- if message.content %}{{- '\n' + message.content }}{%- endif %}
{%- for call in message.tool_calls %}{%- set call = call.function %}
{{- '\n<tool_call>\n{"name": "' }}{{- call.name }}{{- '", "arguments": ' }}{{- call.arguments | tojson }}{{- '}\n</tool_call>' }}
{%- endfor %}{{- '<|im_end|>\n' }}
{%- else %}{{- '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\n' }}{%- endif %})jinja";

class ChatTest : public testing::Test {
protected:
    contract::ChatMessage& say(const std::string& role, const std::string& text) {
        auto& message = *job.mutable_chat()->add_messages();
        message.set_role(role);
        message.add_content()->set_text(text);
        return message;
    }

    void offer(const std::string& name) {
        auto& tool = *job.mutable_chat()->add_tools();
        tool.set_name(name);
        tool.set_description("does something");
        tool.set_parameters_schema(R"({"type":"object","properties":{"city":{"type":"string"}},"required":["city"]})");
    }

    void choose(contract::ToolChoice::Mode mode, const std::string& name = {}) {
        job.mutable_chat()->mutable_tool_choice()->set_mode(mode);
        job.mutable_chat()->mutable_tool_choice()->set_name(name);
    }

    base::Result<RenderedChat> rendered() {
        ChatFormats formats(templates.get());
        return render(formats, schemas, job);
    }

    common_chat_templates_ptr templates = common_chat_templates_init(nullptr, chat_template);
    SchemaGrammars schemas;
    contract::TextJob job;
};

TEST_F(ChatTest, MessagesGoThroughTheTemplate) {
    say("system", "Be brief.");
    say("user", "Hello");
    EXPECT_EQ(rendered()->prompt,
              "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n");
}

TEST_F(ChatTest, AutoOffersToolsAndConstrainsOnlyOnceACallBegins) {
    say("user", "Hello");
    offer("weather");
    const auto params = rendered();
    ASSERT_TRUE(params);
    EXPECT_NE(params->prompt.find("weather"), std::string::npos);
    EXPECT_TRUE(params->grammar_lazy);
}

TEST_F(ChatTest, ARequiredCallComesWithoutFreeTextBeforeIt) {
    say("user", "Hello");
    offer("weather");
    choose(contract::ToolChoice::REQUIRED);
    const auto params = rendered();
    ASSERT_TRUE(params);
    EXPECT_FALSE(params->grammar_lazy);
    const auto root = params->grammar.find("root ::=");
    ASSERT_NE(root, std::string::npos);
    EXPECT_EQ(params->grammar.substr(root, params->grammar.find('\n', root) - root).find("until"), std::string::npos);
}

TEST_F(ChatTest, ANamedChoiceLeavesOnlyThatTool) {
    say("user", "Hello");
    offer("weather");
    offer("clock");
    choose(contract::ToolChoice::NAMED, "clock");
    const auto params = rendered();
    ASSERT_TRUE(params);
    EXPECT_EQ(params->prompt.find("weather"), std::string::npos);
    EXPECT_EQ(params->grammar.find("weather"), std::string::npos);
    EXPECT_NE(params->grammar.find("clock"), std::string::npos);
    EXPECT_FALSE(params->grammar_lazy);
}

TEST_F(ChatTest, NoneOffersNoTools) {
    say("user", "Hello");
    offer("weather");
    choose(contract::ToolChoice::NONE);
    const auto params = rendered();
    ASSERT_TRUE(params);
    EXPECT_EQ(params->prompt.find("weather"), std::string::npos);
    EXPECT_EQ(params->grammar, "");
}

TEST_F(ChatTest, OneCallOnlyWhereSeveralAreNotAllowed) {
    say("user", "Hello");
    offer("weather");
    job.mutable_chat()->set_parallel_tool_calls(true);
    EXPECT_NE(rendered()->grammar.find(")+\n"), std::string::npos) << rendered()->grammar;
    job.mutable_chat()->set_parallel_tool_calls(false);
    EXPECT_EQ(rendered()->grammar.find(")+\n"), std::string::npos) << rendered()->grammar;
    job.mutable_chat()->set_parallel_tool_calls(true);
    choose(contract::ToolChoice::NAMED, "weather");
    EXPECT_EQ(rendered()->grammar.find(")+\n"), std::string::npos) << "who names a function wants one call of it";
}

TEST_F(ChatTest, ToolsAndASchemaTogetherAllowCallsOrTheSchema) {
    say("user", "Hello");
    offer("weather");
    job.mutable_output_format()->set_json_schema(R"({"type":"object","properties":{"answer":{"type":"integer"}}})");
    const auto params = rendered();
    ASSERT_TRUE(params);
    EXPECT_FALSE(params->grammar_lazy);
    EXPECT_EQ(params->grammar.find("root ::= \"<|im_start|>assistant\\n\" (one-root | other-root)"), 0U)
        << params->grammar;
    EXPECT_NE(params->grammar.find("weather"), std::string::npos);
    EXPECT_NE(params->grammar.find("answer"), std::string::npos);

    choose(contract::ToolChoice::REQUIRED);
    EXPECT_EQ(rendered()->grammar.find("answer"), std::string::npos) << "a required call leaves no room for text";
    choose(contract::ToolChoice::NONE);
    EXPECT_EQ(rendered()->grammar.find("weather"), std::string::npos);
    EXPECT_NE(rendered()->grammar.find("answer"), std::string::npos);
}

TEST_F(ChatTest, ThePromptShowsAToolsSchemaAndTheGrammarHoldsAllOfIt) {
    say("user", "Hello");
    offer("weather");
    job.mutable_chat()->mutable_tools(0)->set_strict(true);
    job.mutable_chat()->mutable_tools(0)->set_parameters_schema(
        R"({"type":"object","properties":{"share":{"type":"number","minimum":0.5},"any":true},"required":["share"]})");
    choose(contract::ToolChoice::REQUIRED);
    const auto params = rendered();
    ASSERT_TRUE(params) << params.error().message;
    EXPECT_NE(params->prompt.find(R"("minimum": 0.5)"), std::string::npos) << params->prompt;
    EXPECT_NE(params->grammar.find("schema-0-root ::= \"{\""), std::string::npos) << params->grammar;
    EXPECT_EQ(params->grammar.find("a value for the schema"), std::string::npos) << params->grammar;
}

TEST_F(ChatTest, AToolsSchemaIsRefusedOnlyWhereAllOfItMustHold) {
    say("user", "Hello");
    offer("weather");
    auto& tool = *job.mutable_chat()->mutable_tools(0);
    tool.set_parameters_schema(R"({"type":"object","properties":{"a":{"type":"string","pattern":"(a)\\1"}}})");
    EXPECT_TRUE(rendered());
    tool.set_strict(true);
    ASSERT_FALSE(rendered());
    EXPECT_EQ(rendered().error().param, "chat.tools[0].parameters_schema.properties.a.pattern");
}

TEST_F(ChatTest, AFinalMessageIsContinuedWhereItEnds) {
    say("user", "Hello");
    say("assistant", "Good mor");
    job.mutable_chat()->set_continue_final_message(true);
    EXPECT_EQ(rendered()->prompt, "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\nGood mor");

    job.mutable_chat()->set_continue_final_message(false);
    job.mutable_chat()->set_omit_generation_prompt(true);
    EXPECT_EQ(rendered()->prompt, "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\nGood mor<|im_end|>\n");

    job.mutable_chat()->set_continue_final_message(true);
    say("user", "What?");
    EXPECT_EQ(rendered().error().param, "chat.continue_final_message");
}

TEST_F(ChatTest, EarlierCallsAndTheirResultsAreRendered) {
    say("user", "Weather in Paris?");
    auto& assistant = *job.mutable_chat()->add_messages();
    assistant.set_role("assistant");
    auto& call = *assistant.add_tool_calls();
    call.set_id("call_1");
    call.set_name("weather");
    call.set_arguments(R"({"city":"Paris"})");
    say("tool", "sunny").set_tool_call_id("call_1");
    const auto params = rendered();
    ASSERT_TRUE(params);
    EXPECT_NE(params->prompt.find(R"({"name": "weather", "arguments": {"city": "Paris"}})"), std::string::npos);
    EXPECT_NE(params->prompt.find("<tool_response>\nsunny"), std::string::npos);
}

TEST_F(ChatTest, FaultsNameTheirField) {
    const auto fault = [this](const char* param, base::ErrorCode code = base::ErrorCode::invalid) {
        const auto params = rendered();
        ASSERT_FALSE(params) << param;
        EXPECT_EQ(params.error().param, param);
        EXPECT_EQ(params.error().code, code);
    };
    fault("chat.messages");
    say("user", "Hello");
    choose(contract::ToolChoice::REQUIRED);
    fault("chat.tool_choice");
    offer("weather");
    choose(contract::ToolChoice::NAMED, "clock");
    fault("chat.tool_choice.name");
    choose(contract::ToolChoice::AUTO);
    job.mutable_chat()->mutable_tools(0)->set_parameters_schema("{");
    fault("chat.tools[0].parameters_schema");
    job.mutable_chat()->clear_tools();
    (*job.mutable_chat()->mutable_template_arguments())["x"] = "{";
    fault("chat.template_arguments.x");
    job.mutable_chat()->clear_template_arguments();
    job.mutable_chat()->mutable_messages(0)->add_content()->mutable_image()->set_data("png");
    fault("chat.messages[0].content[1]", base::ErrorCode::unsupported);
}

}  // namespace
}  // namespace worker::engine::llama
