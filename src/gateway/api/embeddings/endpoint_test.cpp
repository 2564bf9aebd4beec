#include <cstring>

#include <gmock/gmock.h>

#include "base/base64.hpp"
#include "gateway/api/embeddings/render.hpp"
#include "gateway/api/test_support.hpp"
#include "schema/schema.hpp"

namespace gateway::api::embeddings {
namespace {

namespace contract = llm_gateway::engine::v1;
using namespace gateway::api::test;
using testing::ElementsAre;
using testing::FloatEq;
using testing::FloatNear;
using testing::IsEmpty;

Asked ask_vectors(const std::string& fields, std::vector<Event> script) {
    return ask_at("/v1/embeddings", R"({"model": "talker", )" + fields + "}", std::move(script), [](auto& facts) {
        facts.set_embeddings(true);
        facts.set_embedding_size(4);
    });
}

TEST(Embeddings, AnswerWithOpenAisShape) {
    const auto asked = ask_vectors(R"("input": ["a", "b"])", {started(), embedding(1, {0, 0, 3, 4}),
                                                              embedding(0, {0, 2, 0, 0}), finished(6, 0, 0)});
    EXPECT_EQ(asked.answer.status, 200);
    EXPECT_EQ(differs_from_golden("embeddings.json", asked.answer.body + "\n"), "");
    EXPECT_THAT(schema::validate<Response>(parsed(asked.answer.body)), IsEmpty());
    EXPECT_EQ(asked.jobs.at(0).embedding().inputs(1).text(), "b");
}

TEST(Embeddings, InBase64AreLittleEndianFloats) {
    const auto asked =
        ask_vectors(R"("input": "a", "encoding_format": "base64")", {embedding(0, {0, 0, 3, 4}), finished(3, 0, 0)});
    const auto bytes = base::decode_base64(parsed(asked.answer.body).at_pointer("/data/0/embedding").as_string());
    ASSERT_TRUE(bytes);
    EXPECT_EQ(bytes->substr(8, 4), std::string("\x9a\x99\x19\x3f", 4));  // 0.6
    ASSERT_EQ(bytes->size(), 16U);
    EXPECT_EQ(bytes->substr(0, 4), std::string(4, '\0'));
}

TEST(Embeddings, AreCutAndBroughtToLengthOneAgain) {
    EXPECT_THAT(normalised({3, 4, 12}, 2), ElementsAre(FloatEq(0.6F), FloatEq(0.8F)));
    EXPECT_THAT(normalised({3, 4}, 7), ElementsAre(FloatEq(0.6F), FloatEq(0.8F)));
    EXPECT_THAT(normalised({0, 0}, std::nullopt), ElementsAre(0, 0));
    EXPECT_THAT(normalised({1e20F, 1e20F}, std::nullopt),
                ElementsAre(FloatNear(0.70710678F, 1e-6F), FloatNear(0.70710678F, 1e-6F)));
}

TEST(Embeddings, OfTokensAreTakenAsTheyAre) {
    const auto one = ask_vectors(R"("input": [1, 2])", {embedding(0, {1}), finished()});
    EXPECT_THAT(one.jobs.at(0).embedding().inputs(0).tokens().ids(), ElementsAre(1, 2));
    const auto many = ask_vectors(R"("input": [[1], [2, 3]])", {embedding(0, {1}), embedding(1, {1}), finished()});
    EXPECT_EQ(many.jobs.at(0).embedding().inputs_size(), 2);
}

TEST(Embeddings, NameTheFieldAtFault) {
    const auto param = [](const Asked& asked) {
        EXPECT_EQ(asked.answer.status, 400) << asked.answer.body;
        return std::string(parsed(asked.answer.body).at_pointer("/error/param").as_string());
    };
    EXPECT_EQ(param(ask_vectors(R"("input": "")", {})), "input");
    EXPECT_EQ(param(ask_vectors(R"("input": ["a", ""])", {})), "input[1]");
    EXPECT_EQ(param(ask_vectors(R"("input": [])", {})), "input");
    EXPECT_EQ(param(ask_vectors(R"("input": "a", "dimensions": 5)", {})), "dimensions");
    EXPECT_EQ(param(ask_vectors(R"("input": "a", "dimensions": 0)", {})), "dimensions");
    EXPECT_EQ(param(ask_vectors(R"("input": "a", "encoding_format": "int8")", {})), "encoding_format");
    EXPECT_EQ(
        param(ask_vectors(R"("input": ["a"])", {failed(contract::CONTEXT_LENGTH, "Too long.", "embedding.inputs[0]")})),
        "input[0]");
    EXPECT_EQ(
        param(ask_vectors(R"("input": "a")", {failed(contract::CONTEXT_LENGTH, "Too long.", "embedding.inputs[0]")})),
        "input");
    EXPECT_EQ(param(ask_vectors(R"("input": [7])", {failed(contract::INVALID, "No.", "embedding.inputs[0].tokens")})),
              "input");
}

TEST(Embeddings, NeedAModelForThem) {
    const auto asked = ask_at("/v1/embeddings", R"({"model": "talker", "input": "a"})", {});
    EXPECT_EQ(asked.answer.status, 400);
    EXPECT_EQ(parsed(asked.answer.body).at_pointer("/error/param"), "model");
    EXPECT_THAT(asked.jobs, IsEmpty());
}

TEST(Embeddings, ThatAreMissingAreAFaultOfOurs) {
    EXPECT_EQ(ask_vectors(R"("input": ["a", "b"])", {embedding(0, {1}), finished()}).answer.status, 500);
}

}  // namespace
}  // namespace gateway::api::embeddings
