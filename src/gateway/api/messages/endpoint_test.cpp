#include <gmock/gmock.h>

#include "gateway/api/messages/answer.hpp"
#include "gateway/api/test_support.hpp"
#include "schema/schema.hpp"

namespace gateway::api::messages {
namespace {

namespace contract = llm_gateway::engine::v1;
using namespace gateway::api::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* hello =
    R"({"model": "talker", "max_tokens": 9, "stop_sequences": ["."], "messages": [{"role": "user", "content": "hello"}]})";
constexpr const char* streamed_hello =
    R"({"model": "talker", "max_tokens": 9, "messages": [{"role": "user", "content": "hello"}], "stream": true})";

Answer answer_of(const test::Asked& asked) {
    const auto body = parsed(asked.answer.body);
    EXPECT_THAT(schema::validate<Answer>(body), IsEmpty()) << asked.answer.body;
    return schema::parse_value<Answer>(body).value().value;
}

std::vector<Event> call_script() {
    return {reasoning("Hm, "),
            reasoning("the weather."),
            text("I look."),
            tool_call(0, "call_a", "get_weather", ""),
            tool_call(0, "", "", R"({"city":)"),
            tool_call(0, "", "", R"("Hamburg"})"),
            tool_call(1, "call_b", "get_time", "{}"),
            choice_finished(contract::TOOL_CALLS),
            finished(10, 4, 7)};
}

TEST(Messages, AnswersWithAnthropicsShape) {
    const auto asked = ask_messages(hello, {queued(), started(), text("Hel"), text("lo"),
                                            choice_finished(contract::STOP, 0, "."), finished(5, 2, 3)});
    EXPECT_EQ(asked.answer.status, 200);
    EXPECT_EQ(differs_from_golden("messages.json", stable(asked.answer.body) + "\n"), "");
    EXPECT_THAT(schema::validate<Answer>(parsed(asked.answer.body)), IsEmpty());
    EXPECT_THAT(asked.observed, testing::Contains("job answered"));
}

TEST(Messages, BlocksComeInTheOrderTheyWereSaid) {
    const auto answer = answer_of(ask_messages(hello, call_script()));
    ASSERT_EQ(answer.content.size(), 4U);
    EXPECT_EQ(std::get<ThinkingBlock>(answer.content[0]).thinking, "Hm, the weather.");
    EXPECT_EQ(std::get<AnswerText>(answer.content[1]).text, "I look.");
    const auto& call = std::get<AnswerToolUse>(answer.content[2]);
    EXPECT_EQ(call.id, "call_a");
    EXPECT_EQ(call.name, "get_weather");
    EXPECT_EQ(call.input, (boost::json::object{{"city", "Hamburg"}}));
    EXPECT_EQ(std::get<AnswerToolUse>(answer.content[3]).name, "get_time");
    EXPECT_EQ(answer.stop_reason, StopReason::tool_use);
}

TEST(Messages, StreamsEventsInAnthropicsOrder) {
    auto script = call_script();
    script.insert(script.begin(), {queued(), started(), progress(10, 4, 6)});
    const auto asked = ask_messages(streamed_hello, script);
    EXPECT_TRUE(asked.streamed);
    EXPECT_TRUE(asked.complete);
    EXPECT_EQ(differs_from_golden("messages_stream.txt", stable(asked.answer.body)), "");
    for (const auto& event : events_of(asked.answer.body))
        EXPECT_THAT(schema::validate<StreamEvent>(parsed(event)), IsEmpty()) << event;
}

TEST(Messages, TheFirstEventOfAStreamDoesNotNeedTheTokenCounts) {
    const auto events = events_of(ask_messages(streamed_hello).answer.body);
    EXPECT_EQ(parsed(events.front()).at_pointer("/message/usage/input_tokens"), 0);
    EXPECT_EQ(parsed(events.at(events.size() - 2)).at_pointer("/usage/input_tokens"), 3);
}

TEST(Messages, SaysWhyAnAnswerEnds) {
    const auto reason = [](const Event& ending, std::uint32_t tokens) {
        return answer_of(ask_messages(hello, {text("a"), ending, finished(5, 0, tokens)})).stop_reason;
    };
    EXPECT_EQ(reason(choice_finished(contract::STOP), 3), StopReason::end_turn);
    EXPECT_EQ(reason(choice_finished(contract::STOP, 0, "."), 3), StopReason::stop_sequence);
    EXPECT_EQ(reason(choice_finished(contract::STOP, 0, "<|end|>"), 3), StopReason::end_turn) << "of the template";
    EXPECT_EQ(reason(choice_finished(contract::LENGTH), 9), StopReason::max_tokens);
    EXPECT_EQ(reason(choice_finished(contract::LENGTH), 8), StopReason::model_context_window_exceeded);
}

TEST(Messages, ACallThatWasCutOffHasNoInput) {
    const auto answer = answer_of(ask_messages(hello, {tool_call(0, "call_a", "get_weather", R"({"city":"Ha)"),
                                                       choice_finished(contract::LENGTH), finished(5, 0, 9)}));
    EXPECT_THAT(std::get<AnswerToolUse>(answer.content.at(0)).input, IsEmpty());
    EXPECT_EQ(answer.stop_reason, StopReason::max_tokens);
}

TEST(Messages, CountsWhatWasKeptAndWhatIsNowKept) {
    const std::vector<Event> script{text("a"), choice_finished(contract::STOP), finished(100, 60, 3)};
    const auto plain = answer_of(ask_messages(hello, script)).usage.counts;
    EXPECT_EQ(plain.input_tokens, 40);
    EXPECT_EQ(plain.cache_read_input_tokens, 60);
    EXPECT_EQ(plain.cache_creation_input_tokens, 0);
    const auto marked = answer_of(ask_messages(R"({"model": "talker", "max_tokens": 9, "messages":
        [{"role": "user", "content": "hello"}], "cache_control": {"type": "ephemeral"}})",
                                               script))
                            .usage.counts;
    EXPECT_EQ(marked.input_tokens, 0);
    EXPECT_EQ(marked.cache_read_input_tokens, 60);
    EXPECT_EQ(marked.cache_creation_input_tokens, 40);
}

TEST(Messages, RefusalsHaveAnthropicsForm) {
    const std::pair<contract::ErrorCode, int> cases[] = {
        {contract::INVALID, 400},     {contract::CONTEXT_LENGTH, 400}, {contract::BUSY, 429},
        {contract::UNAVAILABLE, 529}, {contract::UNSUPPORTED, 400},    {contract::INTERNAL, 500},
    };
    for (const auto& [code, status] : cases)
        for (const char* body : {hello, streamed_hello}) {
            const auto asked = ask_messages(body, {queued(), failed(code, "No.", "chat.tools[0].name")});
            EXPECT_EQ(asked.answer.status, status);
            EXPECT_FALSE(asked.streamed);
            EXPECT_THAT(schema::validate<ErrorBody>(parsed(asked.answer.body)), IsEmpty()) << asked.answer.body;
            EXPECT_EQ(parsed(asked.answer.body).at_pointer("/error/param"), "tools[0].name");
        }
    const auto unknown =
        ask_messages(R"({"model": "gpt-9", "max_tokens": 1, "messages": [{"role": "user", "content": "hi"}]})");
    EXPECT_EQ(unknown.answer.status, 404);
    EXPECT_EQ(parsed(unknown.answer.body).at_pointer("/error/type"), "not_found_error");
    const auto no_limit = ask_messages(R"({"model": "talker", "messages": [{"role": "user", "content": "hi"}]})");
    EXPECT_EQ(no_limit.answer.status, 400);
    EXPECT_THAT(no_limit.answer.body, HasSubstr("max_tokens: is required"));
}

TEST(Messages, AFaultInAStreamIsOneErrorEvent) {
    const auto asked = ask_messages(streamed_hello, {text("Hel"), failed(contract::UNAVAILABLE, "The worker ended.")});
    EXPECT_EQ(asked.answer.status, 200);
    EXPECT_THAT(asked.answer.body, HasSubstr("event: error\ndata: "));
    const auto last = parsed(events_of(asked.answer.body).back());
    EXPECT_THAT(schema::validate<ErrorBody>(last), IsEmpty());
    EXPECT_EQ(last.at_pointer("/error/type"), "overloaded_error");
    EXPECT_THAT(asked.answer.body, testing::Not(HasSubstr("message_stop")));
    EXPECT_TRUE(asked.complete);
}

TEST(Messages, TokensAreCountedWithoutEvaluatingAny) {
    const std::string conversation =
        R"({"model": "talker", "system": "s", "messages": [{"role": "user", "content": "a"}])";
    const auto asked =
        ask_at("/v1/messages/count_tokens", conversation + "}", {test::tokens({7, 8}, {"a", "b"}), finished(0, 0, 0)});
    EXPECT_EQ(asked.answer.body, R"({"input_tokens":2})");
    EXPECT_EQ(asked.jobs.at(0).tokens().chat().messages_size(), 2);
    const auto refused = ask_at("/v1/messages/count_tokens", conversation + R"(, "tool_choice": {"type": "any"}})", {});
    EXPECT_EQ(refused.answer.status, 400);
    EXPECT_THAT(schema::validate<ErrorBody>(parsed(refused.answer.body)), IsEmpty());
}

TEST(Messages, AClientThatLeavesCancelsItsJob) {
    const auto asked = ask({.path = "/v1/messages",
                            .body = streamed_hello,
                            .script = {text("Hel"), text("lo."), choice_finished(contract::STOP), finished()},
                            .leaves = [](const std::string& chunk) { return chunk.find("Hel") != std::string::npos; }});
    EXPECT_EQ(asked.cancelled, 1);
    EXPECT_THAT(asked.observed, testing::Contains("job client_gone"));
}

TEST(Messages, ReportsWhatHadNoEffect) {
    const auto asked = ask_messages(R"({"model": "talker", "max_tokens": 9, "metadata": {"user_id": "me"}, "frob": 1,
        "messages": [{"role": "user", "content": "hi"}]})");
    EXPECT_EQ(asked.answer.status, 200);
    EXPECT_EQ(asked.answer.headers.find("x-ignored-fields").value_or(""), "metadata, frob");
}

}  // namespace
}  // namespace gateway::api::messages
