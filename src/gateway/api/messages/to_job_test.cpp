#include "gateway/api/messages/to_job.hpp"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>

#include "gateway/api/test_support.hpp"
#include "schema/schema.hpp"

namespace gateway::api::messages {
namespace {

namespace contract = llm_gateway::engine::v1;
using testing::HasSubstr;

constexpr const char* hi = R"([{"role": "user", "content": "hi"}])";

std::expected<Request, std::string> request_of(const std::string& fields, const std::string& messages) {
    const auto parsed = schema::parse<Request>(R"({"model": "m", "max_tokens": 9, "messages": )" + messages +
                                               (fields.empty() ? "" : ", " + fields) + "}");
    if (parsed)
        return parsed->value;
    std::string complaints;
    for (const auto& fault : parsed.error())
        complaints += schema::to_string(fault) + "\n";
    return std::unexpected(complaints);
}

/// The job of a request with these further fields, or the paths and messages of its faults.
std::expected<contract::TextJob, std::string> job_of(const std::string& fields, const std::string& messages = hi,
                                                     const contract::ModelFacts* facts = nullptr) {
    const auto request = request_of(fields, messages);
    if (!request)
        return std::unexpected(request.error());
    const auto job = to_job(*request, facts);
    if (job)
        return job->text();
    std::string complaints;
    for (const auto& fault : job.error())
        complaints += schema::to_string(fault) + "\n";
    return std::unexpected(complaints);
}

contract::TextJob written(const std::string& text) {
    contract::TextJob job;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &job)) << text;
    return job;
}

TEST(MessagesToJob, TranslatesEveryField) {
    const std::pair<std::string, std::string> cases[] = {
        {R"("temperature": 0.5, "top_p": 0.25, "top_k": 3)", "sampling { temperature: 0.5 top_p: 0.25 top_k: 3 }"},
        {R"("stop_sequences": ["x", "y"])", "stop: 'x' stop: 'y'"},
        {R"("stream": true)", "report_prompt_progress: true"},
        {R"("thinking": {"type": "disabled"})", "chat { reasoning_effort: 'none' }"},
        {R"("thinking": {"type": "enabled", "budget_tokens": 1024})",
         "chat { template_arguments { key: 'enable_thinking' value: 'true' } }"},
        {R"("thinking": {"type": "adaptive"})", ""},
        {R"("output_config": {"effort": "max"})", "chat { reasoning_effort: 'max' }"},
        {R"("output_config": {"format": {"type": "json_schema", "schema": {"type": "object"}}})",
         R"(output_format { json_schema: '{"type":"object"}' })"},
        {R"("tools": [{"name": "f", "description": "d", "input_schema": {"a": 1}, "strict": true, "type": "custom"}])",
         R"(chat { tools { name: 'f' description: 'd' parameters_schema: '{"a":1}' strict: true } })"},
        {R"("metadata": {"user_id": "u"}, "service_tier": "auto", "container": null, "mcp_servers": null)", ""},
    };
    for (const auto& [fields, expected] : cases) {
        const auto job = job_of(fields);
        ASSERT_TRUE(job) << fields << "\n" << job.error();
        auto wanted = written(
            "choices: 1 max_tokens: 9 chat { parallel_tool_calls: true messages { role: 'user' content { text: 'hi' } "
            "} tool_choice {} } sampling {}");
        wanted.MergeFrom(written(expected));
        EXPECT_EQ(job->ShortDebugString(), wanted.ShortDebugString()) << fields;
    }
}

TEST(MessagesToJob, KnowsEveryChoiceOfTools) {
    const std::string tools = R"("tools": [{"name": "f", "input_schema": {}}], "tool_choice": )";
    const auto choice_of = [&](const char* choice) {
        const auto job = job_of(tools + choice);
        return job ? job->chat().tool_choice().ShortDebugString() + (job->chat().parallel_tool_calls() ? "" : " alone")
                   : job.error();
    };
    EXPECT_EQ(choice_of(R"({"type": "auto"})"), "");
    EXPECT_EQ(choice_of(R"({"type": "none"})"), "mode: NONE");
    EXPECT_EQ(choice_of(R"({"type": "any", "disable_parallel_tool_use": false})"), "mode: REQUIRED");
    EXPECT_EQ(choice_of(R"({"type": "any", "disable_parallel_tool_use": true})"), "mode: REQUIRED alone");
    EXPECT_EQ(choice_of(R"({"type": "auto", "disable_parallel_tool_use": true})"), " alone");
    EXPECT_THAT(choice_of(R"({"type": "tool", "name": "f"})"), HasSubstr("mode: NAMED"));
    EXPECT_THAT(choice_of(R"({"type": "tool", "name": "g"})"), HasSubstr("tool_choice.name: is \"g\""));
    EXPECT_THAT(choice_of(R"({"type": "function"})"), HasSubstr("tool_choice.type"));
}

TEST(MessagesToJob, ResultsOfToolsAreMessagesBehindTheirCalls) {
    const auto job = job_of(R"("system": [{"type": "text", "text": "s", "cache_control": {"type": "ephemeral"}}])", R"([
        {"role": "user", "content": "a"},
        {"role": "user", "content": [{"type": "text", "text": "b"}]},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "x"},
            {"type": "redacted_thinking", "data": "y"},
            {"type": "text", "text": "c"}, {"type": "tool_use", "id": "1", "name": "f", "input": {"k": [1]}},
            {"type": "tool_use", "id": "2", "name": "g", "input": {}}]},
        {"role": "user", "content": [{"type": "text", "text": "d"},
            {"type": "tool_result", "tool_use_id": "1", "content": "one"},
            {"type": "tool_result", "tool_use_id": "2", "is_error": true, "content": [{"type": "text", "text": "two"}]},
            {"type": "tool_result", "tool_use_id": "3"}]},
        {"role": "system", "content": "t"}])");
    ASSERT_TRUE(job) << job.error();
    const auto wanted = written(R"(chat {
        messages { role: 'system' content { text: 's' } }
        messages { role: 'user' content { text: 'a' } content { text: 'b' } }
        messages { role: 'assistant' content { text: 'c' } reasoning: 'hm'
            tool_calls { id: '1' name: 'f' arguments: '{"k":[1]}' } tool_calls { id: '2' name: 'g' arguments: '{}' } }
        messages { role: 'tool' content { text: 'one' } tool_call_id: '1' name: 'f' }
        messages { role: 'tool' content { text: 'Error:' } content { text: 'two' } tool_call_id: '2' name: 'g' }
        messages { role: 'tool' content { text: '' } tool_call_id: '3' }
        messages { role: 'user' content { text: 'd' } }
        messages { role: 'system' content { text: 't' } } })");
    ASSERT_EQ(job->chat().messages_size(), wanted.chat().messages_size()) << job->ShortDebugString();
    for (int i = 0; i < wanted.chat().messages_size(); ++i)
        EXPECT_EQ(job->chat().messages(i).ShortDebugString(), wanted.chat().messages(i).ShortDebugString());
}

TEST(MessagesToJob, AnAnswerGoesOnWhereTheAssistantStopped) {
    const auto job = job_of("", R"([{"role": "user", "content": "a"}, {"role": "assistant", "content": "The"}])");
    ASSERT_TRUE(job) << job.error();
    EXPECT_TRUE(job->chat().continue_final_message());
    EXPECT_FALSE(job_of("")->chat().continue_final_message());
    const auto unanswered = job_of("", R"([{"role": "user", "content": "a"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {}}]}])");
    EXPECT_THAT(unanswered.error(), HasSubstr("messages[1]: uses tools"));
}

TEST(MessagesToJob, DocumentsAreText) {
    const auto job = job_of("", R"([{"role": "user", "content": [{"type": "document", "title": "T", "context": null,
        "source": {"type": "text", "media_type": "text/plain", "data": "words"}}]}])");
    ASSERT_TRUE(job) << job.error();
    EXPECT_EQ(job->chat().messages(0).content(0).text(), "T\nwords");
}

TEST(MessagesToJob, PicturesAreForModelsThatSee) {
    const auto picture = [](const char* source) {
        return R"([{"role": "user", "content": [{"type": "text", "text": "?"}, {"type": "image", "source": )" +
               std::string(source) + "}]}]";
    };
    const auto png = picture(R"({"type": "base64", "media_type": "image/png", "data": "Zm9v"})");
    contract::ModelFacts facts;
    EXPECT_THAT(job_of("", png, &facts).error(), HasSubstr("messages[0].content[1]: is a picture"));
    facts.mutable_text()->set_images(true);
    const auto job = job_of("", png, &facts);
    ASSERT_TRUE(job) << job.error();
    EXPECT_EQ(job->chat().messages(0).content(1).image().data(), "foo");
    EXPECT_EQ(job->chat().messages(0).content(1).image().media_type(), "image/png");
    EXPECT_THAT(job_of("", picture(R"({"type": "base64", "media_type": "image/png", "data": "!"})"), &facts).error(),
                HasSubstr("messages[0].content[1].source.data: is not base64"));
    EXPECT_THAT(job_of("", picture(R"({"type": "url", "url": "file:///x"})"), &facts).error(),
                HasSubstr("messages[0].content[1].source.url: must be"));
    const auto elsewhere = job_of("", picture(R"({"type": "url", "url": "https://x/y.png"})"), &facts);
    ASSERT_TRUE(elsewhere) << elsewhere.error();
    EXPECT_EQ(elsewhere->chat().messages(0).content(1).image().url(), "https://x/y.png");
}

TEST(MessagesToJob, RefusesByName) {
    const std::pair<std::string, std::string> cases[] = {
        {R"("mcp_servers": [{"url": "x"}])", "mcp_servers"},
        {R"("tools": [{"type": "web_search_20250305", "name": "web_search"}])", "tools[0].type"},
        {R"("tools": [{"name": "f"}])", "tools[0].input_schema: is required"},
        {R"("tools": [{"name": "f", "input_schema": {}}, {"name": "f", "input_schema": {}}])", "tools[1].name"},
        {R"("tool_choice": {"type": "any"})", "tool_choice: cannot be \"any\" without tools"},
        {R"("temperature": 1.5)", "temperature: must be"},
        {R"("stop_sequences": [""])", "stop_sequences[0]"},
        {R"("output_config": {"effort": "much"})", "output_config.effort"},
    };
    for (const auto& [fields, complaint] : cases) {
        const auto job = job_of(fields);
        ASSERT_FALSE(job) << fields;
        EXPECT_THAT(job.error(), HasSubstr(complaint));
    }
    EXPECT_THAT(job_of("", R"([{"role": "user", "content": [{"type": "video"}]}])").error(),
                HasSubstr("messages[0].content[0].type"));
    EXPECT_THAT(job_of("", "[]").error(), HasSubstr("messages"));
    EXPECT_THAT(job_of("", R"([{"role": "user", "content": []}])").error(), HasSubstr("messages: say nothing"));
}

TEST(MessagesToJob, TheLineForBillingIsNotForTheModel) {
    const auto system_of = [](const std::string& system) {
        const auto job = job_of(R"("system": )" + system);
        EXPECT_TRUE(job) << job.error();
        std::vector<std::string> texts;
        if (job)
            for (const auto& part : job->chat().messages(0).content())
                texts.push_back(part.text());
        return texts;
    };
    using testing::ElementsAre;
    EXPECT_THAT(system_of(R"([{"type": "text", "text": "x-anthropic-billing-header: cc_version=2.1.37; cch=fa690;"},
        {"type": "text", "text": "Be brief."}])"),
                ElementsAre("Be brief."));
    EXPECT_THAT(system_of(R"("x-anthropic-billing-header: cc_version=2.1.37; cch=fa690;Say a=b; or not.")"),
                ElementsAre("Say a=b; or not."));
    EXPECT_THAT(system_of(R"("What is the x-anthropic-billing-header: cch=1; for?")"),
                ElementsAre("What is the x-anthropic-billing-header: cch=1; for?"));
}

TEST(MessagesToJob, SeesEveryMark) {
    const std::string mark = R"("cache_control": {"type": "ephemeral", "ttl": "1h"})";
    const auto keeps = [](const std::string& fields, const std::string& messages = hi) {
        const auto request = request_of(fields, messages);
        EXPECT_TRUE(request) << request.error();
        return request && asks_to_keep(request->conversation);
    };
    EXPECT_FALSE(keeps(R"("system": "s")"));
    EXPECT_TRUE(keeps(mark));
    EXPECT_TRUE(keeps(R"("system": [{"type": "text", "text": "s", )" + mark + "}]"));
    EXPECT_TRUE(keeps(R"("tools": [{"name": "f", "input_schema": {}, )" + mark + "}]"));
    EXPECT_TRUE(keeps("", R"([{"role": "user", "content": [{"type": "text", "text": "s", )" + mark + "}]}]"));
    EXPECT_TRUE(keeps("", R"([{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": [
        {"type": "text", "text": "s", )" +
                              mark + "}]}]}]"));
    EXPECT_TRUE(
        keeps("", R"([{"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {},
        )" + mark + "}]}]"));
}

TEST(MessagesToJob, PathsOfTheJobAreThoseOfTheRequest) {
    EXPECT_EQ(to_request_path("chat.messages[3].content[0]"), "messages");
    EXPECT_EQ(to_request_path("chat.tools[2].parameters_schema.properties"), "tools[2].input_schema.properties");
    EXPECT_EQ(to_request_path("chat.tool_choice"), "tool_choice");
    EXPECT_EQ(to_request_path("output_format.json_schema.a"), "output_config.format.schema.a");
    EXPECT_EQ(to_request_path("sampling.top_p"), "top_p");
    EXPECT_EQ(to_request_path("max_tokens"), "max_tokens");
    EXPECT_EQ(to_request_path("messages"), "messages");
}

}  // namespace
}  // namespace gateway::api::messages
