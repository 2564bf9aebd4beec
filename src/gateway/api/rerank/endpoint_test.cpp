#include <gmock/gmock.h>

#include "gateway/api/rerank/types.hpp"
#include "gateway/api/test_support.hpp"
#include "schema/schema.hpp"

namespace gateway::api::rerank {
namespace {

namespace contract = llm_gateway::engine::v1;
using namespace gateway::api::test;
using testing::IsEmpty;

Asked ask_rank(const std::string& fields, std::vector<Event> script, std::string path = "/v1/rerank") {
    return ask_at(std::move(path), R"({"query": "q", )" + fields + "}", std::move(script),
                  [](auto& facts) { facts.set_reranking(true); });
}

std::vector<Event> scores() {
    return {started(), embedding(0, {0.25F}), embedding(1, {0.75F}), embedding(2, {0.5F}), finished(9, 0, 0)};
}

TEST(Rerank, PutsTheMostRelevantFirst) {
    const auto asked = ask_rank(R"("documents": ["a", {"text": "b"}, "c"])", scores());
    EXPECT_EQ(asked.answer.status, 200);
    EXPECT_EQ(differs_from_golden("rerank.json", stable(asked.answer.body) + "\n"), "");
    EXPECT_THAT(schema::validate<Response>(parsed(asked.answer.body)), IsEmpty());
    const auto& inputs = asked.jobs.at(0).embedding().inputs();
    EXPECT_EQ(inputs[1].pair().query(), "q");
    EXPECT_EQ(inputs[1].pair().document(), "b");
}

TEST(Rerank, GivesOnlyTheBestWithTheirTexts) {
    const auto asked = ask_rank(R"("documents": ["a", {"text": "b"}, "c"], "top_n": 2, "return_documents": true)",
                                scores(), "/rerank");
    const auto body = parsed(asked.answer.body);
    ASSERT_EQ(body.at("results").as_array().size(), 2U);
    EXPECT_EQ(body.at_pointer("/results/0/document/text"), "b");
    EXPECT_EQ(body.at_pointer("/results/1/index"), 2);
    EXPECT_EQ(body.at_pointer("/results/1/document/text"), "c");
}

TEST(Rerank, LeavesEqualOnesInTheirOrder) {
    const auto asked = ask_rank(R"("documents": ["a", "b"])", {embedding(1, {0.5F}), embedding(0, {0.5F}), finished()});
    EXPECT_EQ(parsed(asked.answer.body).at_pointer("/results/0/index"), 0);
}

TEST(Rerank, NeedsAReranker) {
    const auto asked = ask_at("/v1/rerank", R"({"model": "talker", "query": "q", "documents": ["a"]})", {});
    EXPECT_EQ(asked.answer.status, 400);
    EXPECT_EQ(parsed(asked.answer.body).at_pointer("/error/param"), "model");
}

TEST(Rerank, NamesTheFieldAtFault) {
    const auto param = [](const Asked& asked) {
        EXPECT_EQ(asked.answer.status, 400) << asked.answer.body;
        return std::string(parsed(asked.answer.body).at_pointer("/error/param").as_string());
    };
    EXPECT_EQ(param(ask_rank(R"("documents": [])", {})), "documents");
    EXPECT_EQ(param(ask_rank(R"("documents": ["a", 7])", {})), "documents[1]");
    EXPECT_EQ(param(ask_rank(R"("documents": ["a", {"title": "b"}])", {})), "documents[1].text");
    EXPECT_EQ(param(ask_rank(R"("documents": ["a"], "top_n": 0)", {})), "top_n");
    EXPECT_EQ(param(ask_rank(R"("documents": ["a"])",
                             {failed(contract::CONTEXT_LENGTH, "Too long.", "embedding.inputs[0]")})),
              "documents[0]");
}

}  // namespace
}  // namespace gateway::api::rerank
