#include <boost/json/parse.hpp>

#include <gmock/gmock.h>

#include "gateway/api/error_body.hpp"
#include "gateway/api/responses/events.hpp"
#include "gateway/api/session_support.hpp"
#include "schema/schema.hpp"

namespace gateway::api::responses {
namespace {

namespace contract = llm_gateway::engine::v1;
using namespace gateway::api::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* hello = R"({"model": "talker", "input": "hello"})";
constexpr const char* streamed_hello = R"({"model": "talker", "input": "hello", "stream": true})";

std::vector<Event> text_script() {
    return {queued(), started(), text("Hel"), text("lo."), choice_finished(contract::STOP), finished(5, 2, 3)};
}

std::vector<Event> tool_script() {
    return {reasoning("Hm, "),
            reasoning("the weather."),
            text("Let me see."),
            tool_call(0, "call_a", "get_weather", ""),
            tool_call(0, "", "", R"({"city":)"),
            tool_call(0, "", "", R"("Hamburg"})"),
            tool_call(1, "call_b", "get_time", "{}"),
            choice_finished(contract::TOOL_CALLS),
            finished()};
}

std::string text_at(const boost::json::value& value, const char* pointer) {
    return std::string(value.at_pointer(pointer).as_string());
}

std::vector<std::string> types_of(const std::string& stream) {
    std::vector<std::string> types;
    for (const auto& event : events_of(stream))
        types.push_back(text_at(boost::json::parse(event), "/type"));
    return types;
}

/// Every event is one of ours, its name is its type, and the numbers have no gap.
void expect_valid_stream(const std::string& stream) {
    using AnyEvent = std::variant<ResponseEvent, ItemEvent, PartEvent, TextDelta, TextDone, ReasoningDelta,
                                  ReasoningDone, ArgumentsDelta, ArgumentsDone>;
    std::int64_t number = 0;
    for (const auto& event : events_of(stream)) {
        const auto value = boost::json::parse(event);
        EXPECT_THAT(schema::validate<AnyEvent>(value), IsEmpty()) << event;
        EXPECT_EQ(value.at("sequence_number"), number++);
        EXPECT_THAT(stream, HasSubstr("event: " + text_at(value, "/type") + "\ndata: " + event));
    }
    EXPECT_THAT(stream, testing::Not(HasSubstr("[DONE]")));
}

TEST(Responses, AnswerWithOpenAisShape) {
    Session session;
    session.script = text_script();
    const auto answer = session.post("/v1/responses", hello);
    EXPECT_EQ(answer.status, 200);
    const auto body = json_of(answer);
    EXPECT_THAT(schema::validate<Response>(body), IsEmpty());
    EXPECT_EQ(body.at("status"), "completed");
    EXPECT_EQ(text_at(body, "/output/0/content/0/text"), "Hello.");
    EXPECT_EQ(text_at(body, "/output/0/status"), "completed");
    EXPECT_EQ(body.at_pointer("/usage/input_tokens_details/cached_tokens"), 2);
    EXPECT_EQ(body.at_pointer("/usage/total_tokens"), 8);
    EXPECT_TRUE(body.at("error").is_null());
    EXPECT_TRUE(body.at("store").as_bool());
}

TEST(Responses, StreamTextInOpenAisOrder) {
    Session session;
    session.script = text_script();
    const auto answer = session.post("/v1/responses", streamed_hello);
    expect_valid_stream(answer.body);
    EXPECT_THAT(types_of(answer.body),
                ElementsAre("response.created", "response.in_progress", "response.output_item.added",
                            "response.content_part.added", "response.output_text.delta", "response.output_text.delta",
                            "response.output_text.done", "response.content_part.done", "response.output_item.done",
                            "response.completed"));
    const auto last = boost::json::parse(events_of(answer.body).back());
    EXPECT_EQ(json_of(session.get("/v1/responses/" + text_at(last, "/response/id"))), last.at("response"));
}

TEST(Responses, StreamThoughtsTextAndCallsOneAfterTheOther) {
    Session session;
    session.script = tool_script();
    const auto answer = session.post("/v1/responses", streamed_hello);
    expect_valid_stream(answer.body);
    EXPECT_THAT(
        types_of(answer.body),
        ElementsAre("response.created", "response.in_progress", "response.output_item.added",
                    "response.content_part.added", "response.reasoning_text.delta", "response.reasoning_text.delta",
                    "response.reasoning_text.done", "response.content_part.done", "response.output_item.done",
                    "response.output_item.added", "response.content_part.added", "response.output_text.delta",
                    "response.output_text.done", "response.content_part.done", "response.output_item.done",
                    "response.output_item.added", "response.function_call_arguments.delta",
                    "response.function_call_arguments.delta", "response.function_call_arguments.done",
                    "response.output_item.done", "response.output_item.added", "response.function_call_arguments.delta",
                    "response.function_call_arguments.done", "response.output_item.done", "response.completed"));
    const auto last = boost::json::parse(events_of(answer.body).back());
    EXPECT_EQ(text_at(last, "/response/output/0/content/0/text"), "Hm, the weather.");
    EXPECT_EQ(text_at(last, "/response/output/2/arguments"), R"({"city":"Hamburg"})");
    EXPECT_EQ(text_at(last, "/response/output/3/call_id"), "call_b");
}

TEST(Responses, ThatRunOutOfTokensAreIncomplete) {
    Session session;
    session.script = {text("Hel"), choice_finished(contract::LENGTH), finished()};
    const auto body = json_of(session.post("/v1/responses", hello));
    EXPECT_EQ(body.at("status"), "incomplete");
    EXPECT_EQ(text_at(body, "/incomplete_details/reason"), "max_output_tokens");
    EXPECT_EQ(text_at(body, "/output/0/status"), "incomplete");
    EXPECT_TRUE(body.at("completed_at").is_null());
    EXPECT_EQ(types_of(session.post("/v1/responses", streamed_hello).body).back(), "response.incomplete");
}

TEST(Responses, ThatAreRefusedHaveTheirOwnStatusAndAreNotKept) {
    Session session;
    session.script = {queued(), failed(contract::CONTEXT_LENGTH, "Too long.")};
    for (const char* body : {hello, streamed_hello, R"({"model": "talker", "input": "hi", "background": true})"}) {
        const auto answer = session.post("/v1/responses", body);
        if (std::string_view(body).contains("background"))
            continue;  // it has begun when this comes
        EXPECT_EQ(answer.status, 400);
        EXPECT_EQ(text_at(json_of(answer), "/error/param"), "input");
        EXPECT_EQ(text_at(json_of(answer), "/error/code"), "context_length_exceeded");
    }
    session.script = {failed(contract::BUSY, "Full.")};
    EXPECT_EQ(session.post("/v1/responses", R"({"model": "talker", "input": "hi", "background": true})").status, 429);
}

TEST(Responses, ThatBreakInAStreamEndWithFailed) {
    Session session;
    session.script = {text("Hel"), failed(contract::INTERNAL, "segment 7 is on fire")};
    const auto answer = session.post("/v1/responses", streamed_hello);
    expect_valid_stream(answer.body);
    const auto last = boost::json::parse(events_of(answer.body).back());
    EXPECT_EQ(text_at(last, "/type"), "response.failed");
    EXPECT_EQ(text_at(last, "/response/error/code"), "server_error");
    EXPECT_THAT(answer.body, testing::Not(HasSubstr("on fire")));
}

TEST(Responses, GoOnFromEarlierOnes) {
    Session session;
    session.script = tool_script();
    const auto first = json_of(session.post("/v1/responses", R"({"model": "talker", "input": "weather?",
        "instructions": "not taken over", "tools": [{"type": "function", "name": "get_weather"}]})"));
    session.script = text_script();
    const auto second = json_of(session.post(
        "/v1/responses", R"({"model": "talker", "previous_response_id": ")" + text_at(first, "/id") +
                             R"(", "input": [{"type": "function_call_output", "call_id": "call_a", "output": "sunny"},
        {"type": "function_call_output", "call_id": "call_b", "output": "noon"}]})"));
    const auto third = json_of(session.post("/v1/responses", R"({"model": "talker", "previous_response_id": ")" +
                                                                 text_at(second, "/id") + R"(", "input": "thanks"})"));
    EXPECT_EQ(third.at("previous_response_id"), second.at("id"));
    const auto& messages = session.jobs.back().text().chat().messages();
    std::vector<std::string> roles;
    for (const auto& message : messages)
        roles.push_back(message.role());
    EXPECT_THAT(roles, ElementsAre("user", "assistant", "tool", "tool", "assistant", "user"));
    EXPECT_EQ(messages[1].reasoning(), "Hm, the weather.");
    EXPECT_EQ(messages[1].tool_calls_size(), 2);
    EXPECT_EQ(messages[4].content(0).text(), "Hello.");
}

TEST(Responses, ReferToKeptItems) {
    Session session;
    const auto first = json_of(session.post("/v1/responses", hello));
    const auto items = json_of(session.get("/v1/responses/" + text_at(first, "/id") + "/input_items"));
    const std::string asked = text_at(items, "/data/0/id");
    const std::string said = text_at(first, "/output/0/id");
    const auto answer =
        session.post("/v1/responses", R"({"model": "talker", "input": [{"type": "item_reference", "id": ")" + asked +
                                          R"("}, {"id": ")" + said + R"("}, {"role": "user", "content": "and?"}]})");
    ASSERT_EQ(answer.status, 200) << answer.body;
    const auto& messages = session.jobs.back().text().chat().messages();
    ASSERT_EQ(messages.size(), 3);
    EXPECT_EQ(messages[0].content(0).text(), "hello");
    EXPECT_EQ(messages[1].content(0).text(), "hi");
    const auto unknown =
        session.post("/v1/responses", R"({"model": "talker", "input": [{"type": "item_reference", "id": "msg_00"}]})");
    EXPECT_EQ(unknown.status, 400);
    EXPECT_EQ(text_at(json_of(unknown), "/error/param"), "input[0].id");
}

TEST(Responses, OfOthersAreNotThere) {
    Session session;
    const auto mine = json_of(session.ask(http::Method::post, "/v1/responses", hello, "me"));
    const std::string id = text_at(mine, "/id");
    for (const char* other : {"you", ""}) {
        EXPECT_EQ(session.get("/v1/responses/" + id, other).status, 404);
        EXPECT_EQ(session.get("/v1/responses/" + id + "/input_items", other).status, 404);
        EXPECT_EQ(session.remove("/v1/responses/" + id, other).status, 404);
        EXPECT_EQ(session.post("/v1/responses/" + id + "/cancel", "", other).status, 404);
        const auto taken = session.post(
            "/v1/responses", R"({"model": "talker", "input": "x", "previous_response_id": ")" + id + R"("})", other);
        EXPECT_EQ(taken.status, 400);
        EXPECT_EQ(text_at(json_of(taken), "/error/param"), "previous_response_id");
        const auto reference = session.post(
            "/v1/responses", R"({"model": "talker", "input": [{"id": ")" + text_at(mine, "/output/0/id") + R"("}]})",
            other);
        EXPECT_EQ(reference.status, 400);
    }
    EXPECT_EQ(session.get("/v1/responses/" + id, "me").status, 200);
}

TEST(Responses, AreGoneWhenDeleted) {
    Session session;
    const std::string id = text_at(json_of(session.post("/v1/responses", hello)), "/id");
    const auto deleted = session.remove("/v1/responses/" + id);
    EXPECT_THAT(schema::validate<Deleted>(json_of(deleted)), IsEmpty());
    EXPECT_EQ(session.remove("/v1/responses/" + id).status, 404);
    const auto missing = session.get("/v1/responses/" + id);
    EXPECT_EQ(missing.status, 404);
    EXPECT_THAT(schema::validate<ErrorBody>(json_of(missing)), IsEmpty());
    EXPECT_THAT(missing.body, HasSubstr(id));
}

TEST(Responses, AreNotKeptAgainstTheWish) {
    Session session;
    const auto body = json_of(session.post("/v1/responses", R"({"model": "talker", "input": "hi", "store": false})"));
    EXPECT_FALSE(body.at("store").as_bool());
    EXPECT_EQ(session.get("/v1/responses/" + text_at(body, "/id")).status, 404);
}

TEST(Responses, WithoutAStoreSaySo) {
    Session session({.keeps = false});
    EXPECT_FALSE(json_of(session.post("/v1/responses", hello)).at("store").as_bool());
    for (const char* field : {"store", "background"}) {
        const auto refused = session.post(
            "/v1/responses", std::string(R"({"model": "talker", "input": "hi", ")") + field + R"(": true})");
        EXPECT_EQ(refused.status, 400);
        EXPECT_EQ(text_at(json_of(refused), "/error/param"), field);
    }
    EXPECT_EQ(session.get("/v1/responses/resp_1").status, 404);
    EXPECT_EQ(session.remove("/v1/responses/resp_1").status, 404);
    EXPECT_EQ(
        session.post("/v1/responses", R"({"model": "talker", "input": "x", "previous_response_id": "resp_1"})").status,
        400);
}

TEST(Responses, ListWhatTheyWereAskedWithPageByPage) {
    Session session;
    const std::string id = text_at(json_of(session.post("/v1/responses", R"({"model": "talker", "input": [
        {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "d"}]})")),
                                   "/id");
    const std::string path = "/v1/responses/" + id + "/input_items";
    const auto all = json_of(session.get(path + "?order=asc"));
    EXPECT_THAT(schema::validate<ItemList>(all), IsEmpty());
    ASSERT_EQ(all.at("data").as_array().size(), 4U);
    EXPECT_EQ(text_at(all, "/data/0/content/0/type"), "input_text");
    EXPECT_EQ(text_at(all, "/data/1/content/0/type"), "output_text");
    EXPECT_FALSE(all.at("has_more").as_bool());
    std::vector<std::string> seen;
    std::string after;
    for (bool more = true; more;) {
        const auto page = json_of(session.get(path + "?limit=1&order=asc" + (after.empty() ? "" : "&after=" + after)));
        ASSERT_EQ(page.at("data").as_array().size(), 1U);
        seen.push_back(text_at(page, "/data/0/type"));
        after = text_at(page, "/last_id");
        more = page.at("has_more").as_bool();
    }
    EXPECT_THAT(seen, ElementsAre("message", "message", "function_call", "function_call_output"));
    EXPECT_EQ(json_of(session.get(path)).at_pointer("/data/0/type"), "function_call_output") << "newest first";
    EXPECT_EQ(session.get(path + "?after=nothing").status, 400);
    EXPECT_EQ(session.get(path + "?limit=0").status, 400);
    EXPECT_EQ(session.get(path + "?limit=x").status, 400);
    EXPECT_EQ(session.get(path + "?order=up").status, 400);
}

TEST(Responses, RepeatWhatTheyWereAskedFor) {
    Session session;
    const auto body = json_of(session.post("/v1/responses", R"({"model": "talker", "input": "hi", "temperature": 0.5,
        "metadata": {"a": "b"}, "instructions": "I", "max_output_tokens": 77, "service_tier": "flex", "user": "u",
        "safety_identifier": "s", "prompt_cache_key": "k", "reasoning": {"effort": "low", "summary": "auto"},
        "tools": [{"type": "function", "name": "f", "parameters": null, "strict": true}], "tool_choice": "auto",
        "text": {"format": {"type": "text"}}, "max_tool_calls": 3, "truncation": "disabled"})"));
    EXPECT_THAT(schema::validate<Response>(body), IsEmpty());
    EXPECT_EQ(body.at("temperature"), 0.5);
    EXPECT_TRUE(body.at("top_p").is_null());
    EXPECT_EQ(body.at_pointer("/metadata/a"), "b");
    EXPECT_EQ(body.at("instructions"), "I");
    EXPECT_EQ(body.at("service_tier"), "flex");
    EXPECT_EQ(body.at_pointer("/reasoning/effort"), "low");
    EXPECT_EQ(body.at_pointer("/tools/0/name"), "f");
    EXPECT_TRUE(body.at_pointer("/tools/0/parameters").is_null());
    EXPECT_EQ(json_of(session.get("/v1/responses/" + text_at(body, "/id"))), body);
}

TEST(Responses, ListEveryFault) {
    Session session;
    const auto answer =
        session.post("/v1/responses", R"({"model": "talker", "input": [{"role": "wizard", "content": "hi"}],
        "temperature": 7, "tools": [{"type": "mcp"}], "metadata": {"a": 1}})");
    EXPECT_EQ(answer.status, 400);
    EXPECT_THAT(schema::validate<ErrorBody>(json_of(answer)), IsEmpty());
    for (const char* part : {"input[0].role", "temperature", "tools", "mcp", "metadata"})
        EXPECT_THAT(answer.body, HasSubstr(part));
    EXPECT_THAT(session.jobs, IsEmpty());
    EXPECT_EQ(session.post("/v1/responses", R"({"model": "nobody", "input": "hi"})").status, 404);
}

}  // namespace
}  // namespace gateway::api::responses
