#include <gmock/gmock.h>

#include "gateway/api/test_support.hpp"
#include "gateway/api/tokens/types.hpp"
#include "schema/schema.hpp"

namespace gateway::api::tokens {
namespace {

namespace contract = llm_gateway::engine::v1;
using namespace gateway::api::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<Event> two_tokens() {
    return {test::tokens({7, 8}, {"a", "\xc3"}, "rendered"), finished(0, 0, 0)};
}

TEST(Tokenize, TakesLlamaCppsRequest) {
    const auto asked = ask_at("/tokenize", R"({"content": "hello"})", two_tokens());
    EXPECT_EQ(asked.answer.body, R"({"tokens":[7,8],"count":2,"max_model_len":2048})");
    const auto& job = asked.jobs.at(0).tokens();
    EXPECT_EQ(job.text(), "hello");
    EXPECT_FALSE(job.add_special());
    EXPECT_TRUE(job.parse_special());
}

TEST(Tokenize, ShowsPiecesAsTextOrBytes) {
    const auto asked = ask_at("/tokenize", R"({"content": "hello", "with_pieces": true})", two_tokens());
    EXPECT_THAT(asked.answer.body, HasSubstr(R"("tokens":[{"id":7,"piece":"a"},{"id":8,"piece":[195]}])"));
    EXPECT_THAT(schema::validate<TokenizeResponse>(parsed(asked.answer.body)), IsEmpty());
}

TEST(Tokenize, TakesVllmsRequests) {
    const auto text =
        ask_at("/tokenize", R"({"model": "talker", "prompt": "hello", "return_token_strs": true})", two_tokens());
    EXPECT_TRUE(text.jobs.at(0).tokens().add_special());
    EXPECT_THAT(text.answer.body, HasSubstr(R"("token_strs":["a","\\xc3"])"));
    const auto chat =
        ask_at("/tokenize", R"({"model": "talker", "messages": [{"role": "user", "content": "hello"}]})", two_tokens());
    EXPECT_EQ(chat.jobs.at(0).tokens().chat().messages(0).content(0).text(), "hello");
    EXPECT_THAT(chat.answer.body, HasSubstr(R"("count":2)"));
}

TEST(Tokenize, NeedsExactlyOneText) {
    for (const char* body : {"{}", R"({"content": "a", "prompt": "b"})"})
        EXPECT_EQ(ask_at("/tokenize", body, {}).answer.status, 400) << body;
}

TEST(Detokenize, SaysWhatTokensMean) {
    const auto asked =
        ask_at("/detokenize", R"({"tokens": [7, 8]})", {test::tokens({7, 8}, {"a", "b"}, "ab"), finished()});
    EXPECT_EQ(asked.answer.body, R"({"content":"ab","prompt":"ab"})");
    EXPECT_THAT(asked.jobs.at(0).tokens().tokens().ids(), ElementsAre(7, 8));
    const auto unknown = ask_at("/detokenize", R"({"tokens": [99]})", {failed(contract::INVALID, "No.", "tokens")});
    EXPECT_EQ(parsed(unknown.answer.body).at_pointer("/error/param"), "tokens");
}

TEST(ApplyTemplate, ShowsTheTextOfAConversation) {
    const auto asked = ask_at(
        "/apply-template", R"({"model": "talker", "messages": [{"role": "user", "content": "hello"}]})", two_tokens());
    EXPECT_EQ(asked.answer.body, R"({"prompt":"rendered"})");
}

TEST(InputTokens, AreCountedWithoutAnAnswer) {
    const auto asked =
        ask_at("/v1/chat/completions/input_tokens",
               R"({"model": "talker", "messages": [{"role": "user", "content": "hello"}]})", two_tokens());
    EXPECT_EQ(asked.answer.body, R"({"object":"response.input_tokens","input_tokens":2})");
    EXPECT_TRUE(asked.jobs.at(0).has_tokens());
    const auto bad = ask_at("/v1/chat/completions/input_tokens",
                            R"({"model": "talker", "messages": [{"role": "user", "content": "hello"}]})",
                            {failed(contract::INVALID, "No.", "chat.messages[0].content")});
    EXPECT_EQ(parsed(bad.answer.body).at_pointer("/error/param"), "messages[0].content");
}

}  // namespace
}  // namespace gateway::api::tokens
