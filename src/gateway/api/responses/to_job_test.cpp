#include "gateway/api/responses/to_job.hpp"

#include <gmock/gmock.h>

#include "gateway/api/test_support.hpp"
#include "schema/schema.hpp"

namespace gateway::api::responses {
namespace {

namespace contract = llm_gateway::engine::v1;
using testing::ElementsAre;
using testing::IsEmpty;

Request parsed(const std::string& fields) {
    auto request = schema::parse<Request>(R"({"model": "talker", )" + fields + "}");
    EXPECT_TRUE(request) << schema::to_error(request.error()).message;
    return request ? request->value : Request{};
}

contract::TextJob job_of(const std::string& fields) {
    const Request request = parsed(fields);
    const auto translated = to_job(request, input_items(request.prompt), nullptr);
    EXPECT_TRUE(translated);
    return translated ? translated->job.text() : contract::TextJob{};
}

/// "user: hello" for each message; calls as "name(arguments)", reasoning in brackets.
std::vector<std::string> story(const contract::Chat& chat) {
    std::vector<std::string> lines;
    for (const auto& message : chat.messages()) {
        std::string line = message.role() + ":";
        if (!message.reasoning().empty())
            line += " [" + message.reasoning() + "]";
        for (const auto& part : message.content())
            line += " " + part.text();
        for (const auto& call : message.tool_calls())
            line += " " + call.name() + "(" + call.arguments() + ")";
        if (!message.tool_call_id().empty())
            line += " <- " + message.tool_call_id();
        lines.push_back(line);
    }
    return lines;
}

std::vector<std::string> faults_of(const std::string& fields) {
    std::vector<std::string> paths;
    auto request = schema::parse<Request>(R"({"model": "talker", )" + fields + "}");
    if (request) {
        const auto facts = test::text_model().facts;
        const auto translated = to_job(request->value, input_items(request->value.prompt), &*facts);
        if (!translated)
            for (const auto& fault : translated.error())
                paths.push_back(fault.path);
        return paths;
    }
    for (const auto& fault : request.error())
        paths.push_back(fault.path);
    return paths;
}

TEST(ResponsesToJob, ATextIsAMessageOfTheUser) {
    EXPECT_THAT(story(job_of(R"("input": "hello", "instructions": "Be brief.")").chat()),
                ElementsAre("system: Be brief.", "user: hello"));
}

TEST(ResponsesToJob, ItemsWithoutATypeAreMessages) {
    EXPECT_THAT(story(job_of(R"("input": [{"role": "developer", "content": "D"}, {"role": "user", "content":
        [{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "c"}]}])")
                          .chat()),
                ElementsAre("developer: D", "user: a b", "assistant: c"));
}

TEST(ResponsesToJob, ReasoningTextAndCallsAreOneMessage) {
    EXPECT_THAT(story(job_of(R"("input": [{"role": "user", "content": "q"},
        {"type": "reasoning", "id": "rs_1", "summary": [], "content": [{"type": "reasoning_text", "text": "hm"}]},
        {"type": "message", "role": "assistant", "content": "let me see"},
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{\"a\":1}"},
        {"type": "function_call", "call_id": "c2", "name": "g", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "one"},
        {"type": "function_call_output", "call_id": "c2", "output": [{"type": "input_text", "text": "two"}]},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "so"}]},
        {"type": "message", "role": "assistant", "content": "done"}])")
                          .chat()),
                ElementsAre("user: q", R"(assistant: [hm] let me see f({"a":1}) g({}))", "tool: one <- c1",
                            "tool: two <- c2", "assistant: [so] done"));
}

TEST(ResponsesToJob, ACallThatWasCutOffWasNeverMade) {
    EXPECT_THAT(story(job_of(R"("input": [{"role": "user", "content": "q"},
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{\"a", "status": "incomplete"}])")
                          .chat()),
                ElementsAre("user: q"));
}

TEST(ResponsesToJob, TakesOverTheSettings) {
    const auto text =
        job_of(R"("input": "hi", "max_output_tokens": 9, "temperature": 0.5, "top_p": 0.25, "top_logprobs": 2,
        "seed": 7, "tools": [{"type": "function", "name": "f", "parameters": {"type": "object"}}],
        "tool_choice": {"type": "function", "name": "f"}, "parallel_tool_calls": false, "reasoning": {"effort": "low"},
        "text": {"format": {"type": "json_schema", "name": "a", "schema": {"type": "object"}}}, "include":
        ["message.output_text.logprobs"])");
    EXPECT_EQ(text.max_tokens(), 9U);
    EXPECT_EQ(text.sampling().temperature(), 0.5F);
    EXPECT_EQ(text.sampling().top_p(), 0.25F);
    EXPECT_EQ(text.sampling().seed(), 7U);
    EXPECT_TRUE(text.logprobs());
    EXPECT_EQ(text.top_logprobs(), 2U);
    EXPECT_EQ(text.choices(), 1U);
    EXPECT_EQ(text.chat().tools(0).name(), "f");
    EXPECT_EQ(text.chat().tool_choice().mode(), contract::ToolChoice::NAMED);
    EXPECT_FALSE(text.chat().parallel_tool_calls());
    EXPECT_EQ(text.chat().reasoning_effort(), "low");
    EXPECT_EQ(text.output_format().json_schema(), R"({"type":"object"})");
}

TEST(ResponsesToJob, AllowedToolsAreTheOnlyOnes) {
    const auto text =
        job_of(R"("input": "hi", "tools": [{"type": "function", "name": "f"}, {"type": "function", "name": "g"}],
        "tool_choice": {"type": "allowed_tools", "mode": "required", "tools": [{"type": "function", "name": "g"}]})");
    ASSERT_EQ(text.chat().tools_size(), 1);
    EXPECT_EQ(text.chat().tools(0).name(), "g");
    EXPECT_EQ(text.chat().tool_choice().mode(), contract::ToolChoice::REQUIRED);
}

TEST(ResponsesToJob, RefusesByNameWhatCannotBeDone) {
    const std::pair<const char*, const char*> cases[] = {
        {R"("input": "hi", "tools": [{"type": "web_search"}])", "tools"},
        {R"("input": "hi", "tools": [{"type": "custom", "name": "f"}])", "tools"},
        {R"("input": "hi", "prompt": {"id": "p"})", "prompt"},
        {R"("input": "hi", "conversation": "conv_1")", "conversation"},
        {R"("input": "hi", "context_management": [{"type": "compaction"}])", "context_management"},
        {R"("input": "hi", "moderation": {})", "moderation"},
        {R"("input": "hi", "truncation": "auto")", "truncation"},
        {R"("input": "hi", "background": true, "store": false)", "background"},
        {R"("input": "hi", "tool_choice": "required")", "tool_choice"},
        {R"("input": "hi", "tool_choice": {"type": "function", "name": "g"})", "tool_choice"},
        {R"("input": "hi", "tool_choice": {"type": "web_search"})", "tool_choice.type"},
        {R"("input": "hi", "stream_options": {})", "stream_options"},
        {R"("input": [])", "input"},
        {R"("instructions": "only")", "input"},
        {R"("input": [{"type": "web_search_call", "id": "w"}])", "input[0].type"},
        {R"("input": [{"role": "user", "content": [{"type": "input_file", "file_id": "f"}]}])",
         "input[0].content[0].type"},
        {R"("input": [{"role": "user", "content": "hi"}, {"role": "user", "content": [{"type": "input_image",
            "image_url": "ftp://example.com/a.png"}]}])",
         "input[1].content[0]"},
    };
    for (const auto& [fields, path] : cases)
        EXPECT_THAT(faults_of(fields), testing::Contains(path)) << fields;
}

TEST(ResponsesToJob, NamesTheFieldThatAWorkerBlames) {
    const Request request = parsed(R"("instructions": "I", "input": [{"role": "user", "content": "a"},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}])");
    const auto translated = to_job(request, input_items(request.prompt), nullptr);
    ASSERT_TRUE(translated);
    const Origin& origin = translated->origin;
    EXPECT_EQ(origin.to_request_path("chat.messages[0].content[0]"), "instructions");
    EXPECT_EQ(origin.to_request_path("chat.messages[1].content[0]"), "input[0].content[0]");
    EXPECT_EQ(origin.to_request_path("chat.messages[2].tool_calls[0].arguments"), "input[1]");
    EXPECT_EQ(origin.to_request_path("chat.tools[1].parameters_schema.type"), "tools[1].parameters.type");
    EXPECT_EQ(origin.to_request_path("output_format.json_schema.$defs"), "text.format.schema.$defs");
    EXPECT_EQ(origin.to_request_path("chat"), "input");
    EXPECT_EQ(origin.to_request_path("messages"), "input");
    EXPECT_EQ(origin.to_request_path("sampling.top_p"), "top_p");
}

// Coding agents declare what OpenAI's servers run beside their functions, whatever the server.
TEST(ResponsesToJob, OtherToolsBesideFunctionsAreLeftOut) {
    const std::string fields = R"("input": "hi", "tools": [{"type": "web_search", "external_web_access": false},
        {"type": "function", "name": "f"}, {"type": "custom", "name": "patch", "format": {"type": "text"}},
        {"type": "function", "name": "g", "parameters": {"type": "object"}}])";
    const auto text = job_of(fields);
    ASSERT_EQ(text.chat().tools_size(), 2);
    EXPECT_EQ(text.chat().tools(1).name(), "g");
    const auto request = schema::parse<Request>(R"({"model": "talker", )" + fields + "}");
    ASSERT_TRUE(request);
    EXPECT_THAT(request->ignored, ElementsAre("tools[0]", "tools[2]"));
    const auto translated = to_job(request->value, input_items(request->value.prompt), nullptr);
    ASSERT_TRUE(translated);
    EXPECT_EQ(translated->origin.to_request_path("chat.tools[1].parameters_schema.type"), "tools[3].parameters.type");

    EXPECT_THAT(faults_of(R"("input": "hi", "tools": [{"type": "web_search"}])"), ElementsAre("tools"));
    EXPECT_THAT(
        faults_of(R"("input": "hi", "tools": [{"type": "function", "name": "f"}, {"type": "spoon", "name": "g"}])"),
        ElementsAre("tools[1].type"));
    EXPECT_THAT(faults_of(R"("input": "hi", "tools": [{"type": "function", "name": "f"}, {"type": "mcp"},
        {"type": "function", "name": "f"}])"),
                ElementsAre("tools[2].name"));
}

TEST(ResponsesItems, SurviveBeingKept) {
    const Request request = parsed(R"("input": [{"role": "user", "content": "a"},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "x"},
        {"type": "reasoning", "summary": []}, {"id": "msg_1"}])");
    for (const PlacedItem& placed : input_items(request.prompt)) {
        const auto value = schema::to_json(placed.item);
        EXPECT_THAT(schema::validate<Item>(value), IsEmpty()) << schema::write_json(value);
        const auto again = schema::parse_value<Item>(value);
        ASSERT_TRUE(again);
        EXPECT_EQ(schema::to_json(again->value), value);
    }
}

}  // namespace
}  // namespace gateway::api::responses
