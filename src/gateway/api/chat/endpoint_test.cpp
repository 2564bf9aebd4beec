#include <gmock/gmock.h>

#include "gateway/api/chat/answer.hpp"
#include "gateway/api/error_body.hpp"
#include "gateway/api/test_support.hpp"
#include "schema/schema.hpp"

namespace gateway::api::chat {
namespace {

namespace contract = llm_gateway::engine::v1;
using namespace gateway::api::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* hello = R"({"model": "talker", "messages": [{"role": "user", "content": "hello"}]})";
constexpr const char* streamed_hello =
    R"({"model": "talker", "messages": [{"role": "user", "content": "hello"}], "stream": true,
        "stream_options": {"include_usage": true}})";

const boost::json::value& at(const boost::json::value& value, const char* pointer) {
    return value.at_pointer(pointer);
}

void expect_valid_stream(const std::string& stream) {
    auto events = events_of(stream);
    ASSERT_FALSE(events.empty());
    EXPECT_EQ(events.back(), "[DONE]");
    events.pop_back();
    for (const auto& event : events)
        EXPECT_THAT(schema::validate<Chunk>(parsed(event)), IsEmpty()) << event;
}

std::vector<Event> whole_script() {
    return {queued(), started(), text("Hel"), text("lo."), choice_finished(contract::STOP), finished(5, 2, 3)};
}

std::vector<Event> tool_script() {
    return {reasoning("Hm, "),
            reasoning("the weather."),
            tool_call(0, "call_a", "get_weather", ""),
            tool_call(0, "", "", R"({"city":)"),
            tool_call(0, "", "", R"("Hamburg"})"),
            tool_call(1, "call_b", "get_time", "{}"),
            choice_finished(contract::TOOL_CALLS),
            finished()};
}

TEST(Chat, AnswersWithOpenAisShape) {
    const auto asked = ask_chat(hello, whole_script());
    EXPECT_EQ(asked.answer.status, 200);
    EXPECT_EQ(asked.answer.headers.find("Content-Type"), "application/json");
    EXPECT_EQ(differs_from_golden("chat.json", stable(asked.answer.body) + "\n"), "");
    EXPECT_THAT(schema::validate<Completion>(parsed(asked.answer.body)), IsEmpty());
}

TEST(Chat, StreamsRoleDeltasFinishUsageDone) {
    const auto asked = ask_chat(streamed_hello, whole_script());
    EXPECT_TRUE(asked.streamed);
    EXPECT_TRUE(asked.complete);
    EXPECT_EQ(differs_from_golden("chat_stream.txt", stable(asked.answer.body)), "");
    expect_valid_stream(asked.answer.body);
}

TEST(Chat, StreamsToolCallsWithTheNameFirst) {
    const auto asked = ask_chat(
        R"({"model": "talker", "messages": [{"role": "user", "content": "hello"}], "stream": true})", tool_script());
    EXPECT_EQ(differs_from_golden("chat_stream_tools.txt", stable(asked.answer.body)), "");
    expect_valid_stream(asked.answer.body);
}

TEST(Chat, AnswersToolCallsWithNullContent) {
    const auto asked = ask_chat(hello, tool_script());
    const auto body = parsed(asked.answer.body);
    EXPECT_THAT(schema::validate<Completion>(body), IsEmpty());
    EXPECT_TRUE(at(body, "/choices/0/message/content").is_null());
    EXPECT_EQ(at(body, "/choices/0/message/reasoning_content"), "Hm, the weather.");
    EXPECT_EQ(at(body, "/choices/0/message/tool_calls/0/function/arguments"), R"({"city":"Hamburg"})");
    EXPECT_EQ(at(body, "/choices/0/message/tool_calls/1/id"), "call_b");
    EXPECT_EQ(at(body, "/choices/0/finish_reason"), "tool_calls");
}

TEST(Chat, StreamsSeveralAnswersWithOneFinishEach) {
    const auto asked =
        ask_chat(R"({"model": "talker", "messages": [{"role": "user", "content": "hello"}], "stream": true, "n": 2})",
                 {text("b", 1), text("a", 0), choice_finished(contract::STOP, 1), choice_finished(contract::LENGTH, 0),
                  finished()});
    expect_valid_stream(asked.answer.body);
    std::vector<std::string> story;
    auto events = events_of(asked.answer.body);
    events.pop_back();
    for (const auto& event : events) {
        const auto choice = at(parsed(event), "/choices/0");
        story.push_back(std::to_string(choice.at("index").as_int64()) + schema::write_json(choice.at("delta")) +
                        schema::write_json(choice.at("finish_reason")));
    }
    EXPECT_THAT(story, ElementsAre(R"(1{"role":"assistant","content":""}null)", R"(1{"content":"b"}null)",
                                   R"(0{"role":"assistant","content":""}null)", R"(0{"content":"a"}null)",
                                   R"(1{}"stop")", R"(0{}"length")"));
}

TEST(Chat, ShowsPromptProgressWhenAsked) {
    const auto asked = ask_chat(
        R"({"model": "talker", "messages": [{"role": "user", "content": "hello"}], "stream": true, "return_progress": true})",
        {progress(100, 20, 30), text("hi"), choice_finished(contract::STOP), finished()});
    expect_valid_stream(asked.answer.body);
    EXPECT_TRUE(asked.jobs.at(0).text().report_prompt_progress());
    const auto progress = at(parsed(events_of(asked.answer.body).at(1)), "/prompt_progress");
    EXPECT_EQ(progress.at("total"), 100);
    EXPECT_EQ(progress.at("cache"), 20);
    EXPECT_EQ(progress.at("processed"), 50);
}

TEST(Chat, LogprobsComeWithThinkingAndCallsToo) {
    auto thought = reasoning("Hm");
    thought.mutable_reasoning()->add_tokens()->set_bytes("Hm");
    auto call = tool_call(0, "call_a", "get_time", "{}");
    call.mutable_tool_call()->add_tokens()->set_bytes("{}");
    auto end = text("");
    end.mutable_text()->add_tokens()->set_bytes("</call>");
    const std::vector<Event> script{thought, call, end, choice_finished(contract::TOOL_CALLS), finished()};
    const auto whole = parsed(ask_chat(hello, script).answer.body);
    EXPECT_TRUE(at(whole, "/choices/0/message/content").is_null());
    EXPECT_EQ(at(whole, "/choices/0/logprobs/content").as_array().size(), 3U);
    const auto stream = ask_chat(streamed_hello, script);
    expect_valid_stream(stream.answer.body);
    const auto last = at(parsed(events_of(stream.answer.body).at(3)), "/choices/0");
    EXPECT_EQ(last.at("delta"), boost::json::object{});
    EXPECT_EQ(at(last, "/logprobs/content/0/token"), "</call>");
}

TEST(Chat, AskedForLogprobsTheyAreThereWhenThereAreNone) {
    const auto asked = ask_chat(
        R"({"model": "talker", "messages": [{"role": "user", "content": "hello"}], "logprobs": true, "max_tokens": 0})",
        {choice_finished(contract::LENGTH), finished()});
    EXPECT_EQ(at(parsed(asked.answer.body), "/choices/0/logprobs/content"), boost::json::array{});
}

TEST(Chat, DeltasArePaddedWhenAsked) {
    const auto asked = ask_chat(
        R"({"model": "talker", "messages": [{"role": "user", "content": "hello"}], "stream": true,
            "stream_options": {"include_obfuscation": true}})",
        {text("short"), text("a text of more than thirty-two bytes"), choice_finished(contract::STOP), finished()});
    expect_valid_stream(asked.answer.body);
    auto events = events_of(asked.answer.body);
    events.pop_back();
    for (const auto& event : events) {
        const auto chunk = parsed(event);
        const auto* content = chunk.at_pointer("/choices/0/delta").as_object().if_contains("content");
        const auto size = content == nullptr ? 0 : content->as_string().size();
        EXPECT_EQ((size + chunk.at("obfuscation").as_string().size()) % 32, 0U) << event;
        EXPECT_GT(chunk.at("obfuscation").as_string().size(), 0U);
    }
}

TEST(Chat, ThinkingIsLeftOutWhenNotWanted) {
    const std::string body =
        R"({"model": "talker", "messages": [{"role": "user", "content": "hello"}], "include_reasoning": false)";
    const auto whole = ask_chat(body + "}", tool_script());
    EXPECT_THAT(whole.answer.body, testing::Not(HasSubstr("reasoning_content")));
    const auto stream = ask_chat(body + R"(, "stream": true})", tool_script());
    expect_valid_stream(stream.answer.body);
    EXPECT_THAT(stream.answer.body, testing::Not(HasSubstr("weather.\"")));
}

TEST(Chat, MetadataComesBack) {
    const auto asked = ask_chat(
        R"({"model": "talker", "messages": [{"role": "user", "content": "hello"}], "metadata": {"purpose": "test"}})");
    EXPECT_EQ(at(parsed(asked.answer.body), "/metadata/purpose"), "test");
    EXPECT_THAT(schema::validate<Completion>(parsed(asked.answer.body)), IsEmpty());
}

TEST(Chat, SaltsKeepEvaluatedPromptsApart) {
    const auto salt = [](const char* field) {
        return ask_chat(std::string(R"({"model": "talker", "messages": [{"role": "user", "content": "hello"}])") +
                        field + "}")
            .jobs.at(0)
            .cache_salt();
    };
    EXPECT_EQ(salt(""), "");
    EXPECT_EQ(salt(R"(, "cache_prompt": true)"), "");
    EXPECT_EQ(salt(R"(, "cache_salt": "mine")"), salt(R"(, "cache_salt": "mine")"));
    EXPECT_NE(salt(R"(, "cache_salt": "mine")"), salt(R"(, "cache_salt": "yours")"));
    EXPECT_NE(salt(R"(, "cache_prompt": false)"), salt(R"(, "cache_prompt": false)"));
}

TEST(Chat, RefusalsBeforeTheFirstTokenHaveTheirOwnStatus) {
    const std::pair<contract::ErrorCode, int> cases[] = {
        {contract::INVALID, 400},     {contract::CONTEXT_LENGTH, 400}, {contract::BUSY, 429},
        {contract::UNAVAILABLE, 503}, {contract::UNSUPPORTED, 400},    {contract::INTERNAL, 500},
    };
    for (const auto& [code, status] : cases)
        for (const char* body : {hello, streamed_hello}) {
            const auto asked = ask_chat(body, {queued(), started(), failed(code, "No.", "chat.messages[0]")});
            EXPECT_EQ(at(parsed(asked.answer.body), "/error/param"), "messages[0]");
            EXPECT_EQ(asked.answer.status, status);
            EXPECT_FALSE(asked.streamed);
            EXPECT_THAT(schema::validate<ErrorBody>(parsed(asked.answer.body)), IsEmpty()) << asked.answer.body;
            EXPECT_THAT(asked.observed, testing::Contains("job refused"));
        }
}

TEST(Chat, AFaultInAStreamIsOneErrorEventAndNoDone) {
    const auto asked = ask_chat(streamed_hello, {text("Hel"), failed(contract::INTERNAL, "segment 7 is on fire")});
    EXPECT_EQ(asked.answer.status, 200);
    const auto events = events_of(asked.answer.body);
    EXPECT_EQ(at(parsed(events.back()), "/error/code"), "internal_error");
    EXPECT_THAT(asked.answer.body, testing::Not(HasSubstr("[DONE]")));
    EXPECT_THAT(asked.answer.body, testing::Not(HasSubstr("on fire")));
    EXPECT_TRUE(asked.complete);
    EXPECT_THAT(asked.observed, testing::Contains("job failed"));
}

TEST(Chat, AClientThatLeavesCancelsItsJob) {
    const auto asked = ask({.body = streamed_hello, .script = whole_script(), .leaves = [](const std::string& chunk) {
                                return chunk.find("Hel") != std::string::npos;
                            }});
    EXPECT_EQ(asked.cancelled, 1);
    EXPECT_THAT(asked.answer.body, testing::Not(HasSubstr("lo.")));
    EXPECT_THAT(asked.observed, testing::Contains("job client_gone"));
}

TEST(Chat, TellsTheObserverOnce) {
    EXPECT_THAT(ask_chat(hello, whole_script()).observed,
                ElementsAre("started talker", "first token talker", "per token 2.000000", "job answered"));
}

TEST(Chat, TheTimePerTokenIsThatOfOneOfSeveralAnswers) {
    const auto asked = ask_chat(R"({"model": "talker", "n": 2, "messages": [{"role": "user", "content": "hi"}]})",
                                {text("a", 0), text("b", 1), choice_finished(contract::STOP, 0),
                                 choice_finished(contract::STOP, 1), finished(5, 2, 10)});
    EXPECT_THAT(asked.observed, testing::Contains("per token 1.000000")) << "4 seconds for 2 answers of 5 tokens";
}

TEST(Chat, ReportsNamesAndDescriptionsThatNoModelSees) {
    const auto asked = ask_chat(R"({"model": "talker", "messages": [{"role": "user", "content": "hi", "name": "Eve"}],
        "response_format": {"type": "json_schema", "json_schema": {"name": "a", "description": "b"}}})");
    EXPECT_EQ(asked.answer.headers.find("x-ignored-fields").value_or(""),
              "messages[0].name, response_format.json_schema.description");
}

TEST(Chat, ListsFiveFaultsInOneAnswer) {
    const auto asked =
        ask_chat(R"({"model": "talker", "temperature": 7, "top_p": "much", "n": 129, "stop": ["a", "b", "c", "d", "e"],
                                "messages": [{"role": "user", "content": "hi"}, {"role": "wizard", "content": "hi"}]})");
    EXPECT_EQ(asked.answer.status, 400);
    const auto error = at(parsed(asked.answer.body), "/error");
    EXPECT_THAT(schema::validate<ErrorBody>(parsed(asked.answer.body)), IsEmpty());
    std::vector<std::string> paths;
    for (const auto& fault : error.at("errors").as_array())
        paths.emplace_back(fault.at("param").as_string());
    EXPECT_THAT(paths, testing::UnorderedElementsAre("temperature", "top_p", "n", "stop", "messages[1].role"));
    for (const auto& path : paths)
        EXPECT_THAT(std::string(error.at("message").as_string()), HasSubstr(path));
    EXPECT_THAT(asked.jobs, IsEmpty());
}

TEST(Chat, SaysWhichModelsThereAreNot) {
    const auto unknown = ask_chat(R"({"model": "gpt-9", "messages": [{"role": "user", "content": "hi"}]})");
    EXPECT_EQ(unknown.answer.status, 404);
    EXPECT_EQ(at(parsed(unknown.answer.body), "/error/code"), "model_not_found");
    const auto other_kind = ask_chat(R"({"model": "painter", "messages": [{"role": "user", "content": "hi"}]})");
    EXPECT_EQ(other_kind.answer.status, 400);
    EXPECT_THAT(other_kind.answer.body, HasSubstr("/v1/images/generations"));
    const auto missing = ask_chat(R"({"messages": [{"role": "user", "content": "hi"}]})");
    EXPECT_EQ(missing.answer.status, 400);
    EXPECT_EQ(at(parsed(missing.answer.body), "/error/param"), "model");
}

TEST(Chat, ReportsWhatHadNoEffect) {
    const auto asked = ask_chat(
        R"({"model": "talker", "messages": [{"role": "user", "content": "hi"}], "user": "me", "frobnicate": 1, "a\r\nb": 2})");
    EXPECT_EQ(asked.answer.status, 200);
    const auto header = asked.answer.headers.find("x-ignored-fields");
    ASSERT_TRUE(header);
    EXPECT_THAT(std::string(*header), HasSubstr("user"));
    EXPECT_THAT(std::string(*header), HasSubstr("frobnicate"));
    EXPECT_EQ(header->find_first_of("\r\n"), std::string_view::npos);
    EXPECT_FALSE(ask_chat(hello).answer.headers.find("x-ignored-fields"));
}

TEST(Chat, LogprobsComeInOpenAisShape) {
    Event event = text("é");
    auto* token = event.mutable_text()->add_tokens();
    token->set_bytes("\xc3");
    token->set_logprob(-0.5F);
    auto* top = token->add_top();
    top->set_bytes("\xc3");
    top->set_logprob(-std::numeric_limits<float>::infinity());
    const std::vector<Event> script{event, choice_finished(contract::STOP), finished()};
    for (const char* body : {hello, streamed_hello}) {
        const auto asked = ask_chat(body, script);
        const auto answer = parsed(body == hello ? asked.answer.body : events_of(asked.answer.body).at(1));
        const auto logprob = at(answer, "/choices/0/logprobs/content/0");
        EXPECT_EQ(logprob.at("token"), "\\xc3");
        EXPECT_EQ(logprob.at("bytes"), (boost::json::array{195}));
        EXPECT_EQ(logprob.at("logprob"), -0.5);
        EXPECT_EQ(at(logprob, "/top_logprobs/0/logprob").to_number<double>(), -9999.0);
        EXPECT_TRUE(at(answer, "/choices/0/logprobs/refusal").is_null());
    }
}

}  // namespace
}  // namespace gateway::api::chat
