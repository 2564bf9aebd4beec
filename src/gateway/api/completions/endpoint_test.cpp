#include <gmock/gmock.h>

#include "gateway/api/completions/answer.hpp"
#include "gateway/api/test_support.hpp"
#include "schema/schema.hpp"

namespace gateway::api::completions {
namespace {

namespace contract = llm_gateway::engine::v1;
using namespace gateway::api::test;
using testing::ElementsAre;
using testing::IsEmpty;

Asked ask_text(const std::string& fields, std::vector<Event> script) {
    return ask_at("/v1/completions", R"({"model": "talker", )" + fields + "}", std::move(script));
}

std::string written(const boost::json::value& value) {
    return schema::write_json(value);
}

TEST(Completions, AnswerWithOpenAisShape) {
    const auto asked = ask_text(R"("prompt": "Once")", {queued(), started(), text(" upon"), text(" a time"),
                                                        choice_finished(contract::LENGTH), finished(5, 2, 3)});
    EXPECT_EQ(asked.answer.status, 200);
    EXPECT_EQ(differs_from_golden("completion.json", stable(asked.answer.body) + "\n"), "");
    EXPECT_THAT(schema::validate<Completion>(parsed(asked.answer.body)), IsEmpty());
}

TEST(Completions, StreamPiecesFinishUsageDone) {
    const auto asked = ask_text(
        R"("prompt": "Once", "stream": true, "stream_options": {"include_usage": true})",
        {queued(), started(), text(" upon"), text(" a time"), choice_finished(contract::STOP), finished(5, 2, 3)});
    EXPECT_TRUE(asked.streamed);
    EXPECT_TRUE(asked.complete);
    EXPECT_EQ(differs_from_golden("completion_stream.txt", stable(asked.answer.body)), "");
    auto events = events_of(asked.answer.body);
    EXPECT_EQ(events.back(), "[DONE]");
    events.pop_back();
    for (const auto& event : events)
        EXPECT_THAT(schema::validate<Completion>(parsed(event)), IsEmpty()) << event;
}

TEST(Completions, ToSeveralPromptsAreNumberedThrough) {
    const auto asked =
        ask_text(R"("prompt": ["a", "b"], "n": 2)", {text("x", 0), text("y", 1), choice_finished(contract::STOP, 0),
                                                     choice_finished(contract::LENGTH, 1), finished(5, 2, 3)});
    EXPECT_EQ(asked.jobs.size(), 2U);
    const auto body = parsed(asked.answer.body);
    std::string story;
    for (const auto& choice : body.at("choices").as_array())
        story += written(choice.at("index")) + written(choice.at("text")) + written(choice.at("finish_reason"));
    EXPECT_EQ(story, R"(0"x""stop"1"y""length"2"x""stop"3"y""length")");
    EXPECT_EQ(body.at_pointer("/usage/total_tokens"), 16);
}

TEST(Completions, HaveTheOldShapeOfLogprobs) {
    const auto asked = ask_text(R"("prompt": "a", "logprobs": 1)",
                                {text_with("dé", {{"d", -1.0F}, {"\xc3", -2.0F}, {"\xa9", -0.25F}}),
                                 text_with("!", {{"!", -3.0F}}), choice_finished(contract::STOP), finished()});
    const auto logprobs = parsed(asked.answer.body).at_pointer("/choices/0/logprobs");
    EXPECT_EQ(written(logprobs.at("tokens")), R"(["d","\\xc3","\\xa9","!"])");
    EXPECT_EQ(written(logprobs.at("token_logprobs")), "[-1,-2,-0.25,-3]");
    EXPECT_EQ(written(logprobs.at("text_offset")), "[0,1,2,2]");
    EXPECT_EQ(written(logprobs.at_pointer("/top_logprobs/0/the")), "-0.5");
    EXPECT_EQ(written(logprobs.at_pointer("/top_logprobs/3/!")), "-3");
}

TEST(Completions, EchoThePromptWithItsTokens) {
    const auto asked = ask_text(R"("prompt": "ab", "echo": true, "logprobs": 0, "n": 2)",
                                {prompt_echo("ab", {{"a", 0}, {"b", -2.0F}}), text_with("c", {{"c", -1.0F}}, 0),
                                 text_with("d", {{"d", -1.5F}}, 1), choice_finished(contract::STOP, 0),
                                 choice_finished(contract::STOP, 1), finished()});
    EXPECT_TRUE(asked.jobs.at(0).text().echo());
    const auto body = parsed(asked.answer.body);
    EXPECT_EQ(body.at_pointer("/choices/0/text"), "abc");
    EXPECT_EQ(body.at_pointer("/choices/1/text"), "abd");
    EXPECT_EQ(written(body.at_pointer("/choices/1/logprobs/token_logprobs")), "[null,-2,-1.5]");
    EXPECT_EQ(written(body.at_pointer("/choices/1/logprobs/text_offset")), "[0,1,2]");
    EXPECT_TRUE(body.at_pointer("/choices/0/logprobs/top_logprobs/0").is_null());
    EXPECT_THAT(schema::validate<Completion>(body), IsEmpty());
}

TEST(Completions, EchoInAStreamComesFirst) {
    const auto asked = ask_text(R"("prompt": "ab", "echo": true, "stream": true)",
                                {started(), prompt_echo("ab"), text("c"), choice_finished(contract::STOP), finished()});
    EXPECT_EQ(parsed(events_of(asked.answer.body).at(0)).at_pointer("/choices/0/text"), "ab");
    EXPECT_EQ(parsed(events_of(asked.answer.body).at(1)).at_pointer("/choices/0/text"), "c");
}

TEST(Completions, TheBestAreThoseWithTheLikeliestTokens) {
    const auto asked =
        ask_text(R"("prompt": "a", "n": 2, "best_of": 3)",
                 {text_with("long but good", {{"x", -1.0F}, {"y", -1.0F}}, 0), text_with("bad", {{"x", -1.5F}}, 1),
                  text_with("best", {{"x", -0.5F}}, 2), choice_finished(contract::STOP, 0),
                  choice_finished(contract::STOP, 1), choice_finished(contract::LENGTH, 2), finished(5, 0, 4)});
    const auto body = parsed(asked.answer.body);
    ASSERT_EQ(body.at("choices").as_array().size(), 2U);
    EXPECT_EQ(body.at_pointer("/choices/0/text"), "best");
    EXPECT_EQ(body.at_pointer("/choices/0/index"), 0);
    EXPECT_EQ(body.at_pointer("/choices/0/finish_reason"), "length");
    EXPECT_EQ(body.at_pointer("/choices/1/text"), "long but good");
    EXPECT_TRUE(body.at_pointer("/choices/0/logprobs").is_null());
    EXPECT_EQ(body.at_pointer("/usage/completion_tokens"), 4);
}

TEST(Completions, BlameThePromptThatIsAtFault) {
    const auto one = ask_text(R"("prompt": "a")", {failed(contract::CONTEXT_LENGTH, "Too long.")});
    EXPECT_EQ(one.answer.status, 400);
    EXPECT_EQ(parsed(one.answer.body).at_pointer("/error/param"), "prompt");
    const auto many = ask_text(R"("prompt": [[1], [2]])", {failed(contract::INVALID, "No.", "tokens")});
    EXPECT_EQ(parsed(many.answer.body).at_pointer("/error/param"), "prompt[0]");
    EXPECT_EQ(many.jobs.size(), 2U);
}

TEST(Completions, AreNotForModelsThatOnlyEmbed) {
    const auto asked = ask_at("/v1/completions", R"({"model": "talker", "prompt": "a"})", {},
                              [](auto& facts) { facts.set_embeddings_only(true); });
    EXPECT_EQ(asked.answer.status, 400);
    EXPECT_EQ(parsed(asked.answer.body).at_pointer("/error/param"), "model");
    EXPECT_THAT(asked.jobs, IsEmpty());
}

}  // namespace
}  // namespace gateway::api::completions
