#include "worker/engine/llama/unmarked_calls.hpp"

#include <gtest/gtest.h>

#include <regex>

#include "worker/engine/llama/chat.hpp"

namespace worker::engine::llama {
namespace {

/// What the parser is to read of an answer that comes in one piece, and letter by letter.
std::string marked(const std::string& answer) {
    const std::vector<std::string> tools{"weather", "weather_of_day"};
    UnmarkedCalls at_once(tools);
    const std::string whole = at_once.read(answer) + at_once.finish();
    UnmarkedCalls by_letter(tools);
    std::string pieces;
    for (const char letter : answer) {
        pieces += by_letter.read({&letter, 1});
    }
    pieces += by_letter.finish();
    EXPECT_EQ(pieces, whole) << answer;
    return whole;
}

TEST(UnmarkedCalls, AnAnswerThatBeginsWithOneGetsTheTags) {
    const std::string call = R"({"name": "weather", "arguments": {"city": "a } \" { b", "days": [1, {}]}})";
    const std::string tagged = "<tool_call>\n" + call + "\n</tool_call>";
    EXPECT_EQ(marked(call), tagged);
    EXPECT_EQ(marked("\n" + call + "\n"), tagged);
    EXPECT_EQ(marked("```json\n" + call + "\n```"), tagged);
    EXPECT_EQ(marked("```\n" + call + "\n```\n"), tagged);
    EXPECT_EQ(marked("<tools>" + call + "</tools>"), tagged);
    EXPECT_EQ(marked("{\n  \"name\": \"weather_of_day\",\n  \"arguments\": {}\n}"),
              "<tool_call>\n{\n  \"name\": \"weather_of_day\",\n  \"arguments\": {}\n}\n</tool_call>");
    EXPECT_EQ(marked(call + "\n" + call), tagged + tagged);
    EXPECT_EQ(marked(R"({"name": "weather", "arguments": {"city": "Pa)"),
              "<tool_call>\n"
              R"({"name": "weather", "arguments": {"city": "Pa)");
}

TEST(UnmarkedCalls, EverythingElseStaysWhatItIs) {
    for (const char* answer :
         {"", " ", "Hello", "{", "{}", "```", "```python\nprint()\n```", "```json\n{\"a\": 1}\n```",
          R"({"name": "sunset", "arguments": {}})", R"({"name": "weather", "parameters": {}})",
          R"({"name": "weather", "arguments": "none"})", R"({"name": "weat)",
          R"(I call {"name": "weather", "arguments": {}})",
          "<tool_call>\n{\"name\": \"weather\", \"arguments\": {}}\n</tool_call>"}) {
        EXPECT_EQ(marked(answer), answer);
    }
}

class ExpectUnmarkedCallsTest : public testing::Test {
protected:
    ExpectUnmarkedCallsTest() {
        auto& message = *job.mutable_chat()->add_messages();
        message.set_role("user");
        message.add_content()->set_text("Is it warm?");
        auto& tool = *job.mutable_chat()->add_tools();
        tool.set_name("weather");
        tool.set_parameters_schema(R"({"type":"object","properties":{"city":{"type":"string"}},"required":["city"]})");
    }

    common_chat_templates_ptr templates = common_chat_templates_init(
        nullptr, "{%- for message in messages %}{{- message.role + ': ' + message.content + '\\n' }}{%- endfor %}");
    ChatFormats formats{templates.get()};
    SchemaGrammars schemas;
    contract::TextJob job;
};

TEST_F(ExpectUnmarkedCallsTest, TheGrammarMayBeginWithOne) {
    const auto params = render(formats, schemas, job);
    ASSERT_TRUE(params);
    ASSERT_EQ(params->grammar_triggers.size(), 2U);
    const std::regex pattern(params->grammar_triggers[1].value);
    for (const char* text :
         {R"({"name": "weather", "arguments": {)", "```json\n{\n  \"name\": \"weather\",\n  \"arguments\": {",
          R"({"name":"weather","arguments":{)"}) {
        std::smatch match;
        const std::string answer = text;
        ASSERT_TRUE(std::regex_search(answer, match, pattern)) << answer;
        EXPECT_EQ(answer[static_cast<std::size_t>(match.position(1))], '{');
    }
    for (const std::string answer :
         {R"({"name": "sunset", "arguments": {)", R"(so {"name": "weather", "arguments": {)"}) {
        EXPECT_FALSE(std::regex_search(answer, pattern)) << answer;
    }
}

TEST_F(ExpectUnmarkedCallsTest, AChoiceThatIsMadeHasNone) {
    job.mutable_chat()->mutable_tool_choice()->set_mode(contract::ToolChoice::REQUIRED);
    EXPECT_TRUE(render(formats, schemas, job)->grammar_triggers.empty());
    job.mutable_chat()->mutable_tool_choice()->set_mode(contract::ToolChoice::NONE);
    EXPECT_TRUE(render(formats, schemas, job)->grammar_triggers.empty());
}

}  // namespace
}  // namespace worker::engine::llama
