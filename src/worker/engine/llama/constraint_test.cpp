// With the vocabulary of a real model, which `./dev test unit` fetches.

#include "worker/engine/llama/constraint.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <json-schema-to-grammar.h>
#include <json.h>

#include "worker/engine/llama/real_model.hpp"

namespace worker::engine::llama {
namespace {

class ConstraintTest : public testing::Test {
protected:
    void SetUp() override {
        auto params = llama_model_default_params();
        params.vocab_only = true;
        model.reset(llama_model_load_from_file((model_folder() / "SmolLM2-135M-Instruct.Q4_1.gguf").c_str(), params));
        ASSERT_NE(model, nullptr);
        vocab = llama_model_get_vocab(model.get());
        grammars.emplace(vocab);
    }

    std::unique_ptr<Constraint> constraint(const char* schema) {
        auto grammar = grammars->get(json_schema_to_grammar(common_json::parse(schema)));
        return std::make_unique<Constraint>(vocab, grammar.value(), common_params_sampling{});
    }

    void write(Constraint& constraint, const std::string& text) {
        for (const Token token : common_tokenize(vocab, text, false, false)) {
            constraint.accept(token);
        }
    }

    /// The tokens, each between bars.
    std::string forced(Constraint& constraint) {
        std::string text = "|";
        for (const Token token : constraint.forced(16).tokens) {
            text += common_token_to_piece(vocab, token, false) + "|";
        }
        return text;
    }

    llama_model_ptr model;
    const llama_vocab* vocab = nullptr;
    std::optional<grammar::GrammarCache> grammars;
};

constexpr const char* book = R"({"type":"object","properties":{"title":{"type":"string"},"year":{"type":"integer"},
  "tags":{"type":"array","items":{"type":"string"},"minItems":2},"country":{"enum":["FR","DE"]}},
  "required":["title","year","tags","country"],"additionalProperties":false})";

TEST_F(ConstraintTest, TheTextUpToAValueIsForcedToItsLastToken) {
    const auto answer = constraint(book);
    EXPECT_EQ(forced(*answer), R"(|{"|title|":| "|)");
    write(*answer, R"({"title": "Stone",)");
    EXPECT_EQ(forced(*answer), R"(| "|year|":| |)");
    write(*answer, R"( "year": 1984, "tags": ["a",)");
    EXPECT_EQ(forced(*answer), R"(| "|)") << "two are required";
    write(*answer, R"( "b"], "country": "F)");
    EXPECT_EQ(forced(*answer), R"(|R|"}|)");
}

TEST_F(ConstraintTest, TheFormOfTheTextBeforeIsFollowedAndOnlyGuessed) {
    const auto answer = constraint(book);
    write(*answer, "{\n  \"title\": \"Stone\"");
    EXPECT_EQ(common_detokenize(vocab, answer->forced(16).tokens), ",\n  \"year\": ");
    EXPECT_EQ(answer->forced(16).certain, 1U) << "the comma";
    write(*answer, ",\n  \"ye");
    EXPECT_EQ(forced(*answer), R"(|ar|":| |)");
    EXPECT_EQ(answer->forced(16).certain, 3U);
}

TEST_F(ConstraintTest, NothingIsForcedInsideFreeText) {
    const auto answer = constraint(book);
    write(*answer, R"({"title": "Sto)");
    EXPECT_EQ(forced(*answer), "|");
}

TEST_F(ConstraintTest, ATokenThatBecomesOneWithWhatFollowsIsNotForced) {
    const auto answer = constraint(R"({"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]})");
    EXPECT_EQ(forced(*answer), R"(|{"|ok|":|)") << "the space goes with the word after it";
}

TEST_F(ConstraintTest, _15_AGrammarIsCompiledOnceAndTheCacheTellsOfIt) {
    auto& cache = *grammars;
    const auto statistics = [&cache] {
        contract::StatisticsReply reply;
        cache.report(reply);
        return reply.caches(0);
    };
    const auto first = cache.get("root ::= \"a\"");
    ASSERT_TRUE(first);
    EXPECT_EQ(cache.get("root ::= \"a\"").value(), *first);
    ASSERT_TRUE(cache.get("root ::= \"b\""));
    EXPECT_EQ(statistics().name(), "grammar");
    EXPECT_EQ(statistics().hits(), 1U);
    EXPECT_EQ(statistics().misses(), 2U);
    EXPECT_GT(statistics().bytes(), 0U);
    EXPECT_LT(statistics().bytes(), statistics().limit_bytes());
}

TEST_F(ConstraintTest, _29_GrammarsThatGrowWhileTheyAreUsedStayWithinTheBound) {
    constexpr std::size_t most = std::size_t{200} << 10U;
    grammars.emplace(vocab, most);
    const auto bytes = [&] {
        contract::StatisticsReply reply;
        grammars->report(reply);
        EXPECT_EQ(reply.caches(0).limit_bytes(), most);
        return reply.caches(0).bytes();
    };
    std::size_t grown = 0;
    for (int round = 0; round < 3; ++round) {
        for (int number = 0; number < 4; ++number) {
            const auto answer = constraint(fmt::format(R"({{"type":"object","required":["name_{0}"],"properties":{{
                "name_{0}":{{"type":"string"}}}}}})",
                                                       number)
                                               .c_str());
            EXPECT_LE(bytes(), most) << "those used before have been forgotten where they took too much";
            for (const char letter : fmt::format(R"({{"name_{}":"a long name, letter by letter"}})", number)) {
                answer->allowed();
                write(*answer, std::string(1, letter));
            }
            grown = std::max<std::size_t>(grown, bytes());
        }
    }
    EXPECT_GT(grown, most) << "there was something to forget";
}

}  // namespace
}  // namespace worker::engine::llama
