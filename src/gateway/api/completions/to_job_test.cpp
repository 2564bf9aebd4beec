#include "gateway/api/completions/to_job.hpp"

#include <gmock/gmock.h>

#include "gateway/api/test_support.hpp"
#include "schema/schema.hpp"

namespace gateway::api::completions {
namespace {

namespace contract = llm_gateway::engine::v1;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<backends::Job> jobs_of(const std::string& fields) {
    auto parsed = schema::parse<Request>(R"({"model": "talker", )" + fields + "}");
    EXPECT_TRUE(parsed) << schema::to_string(parsed.error().front());
    auto jobs = to_jobs(parsed->value, nullptr);
    EXPECT_TRUE(jobs);
    return std::move(*jobs);
}

std::vector<std::string> faults_of(const std::string& fields) {
    std::vector<std::string> faults;
    if (const auto parsed = schema::parse<Request>(R"({"model": "talker", )" + fields + "}"); !parsed)
        for (const auto& fault : parsed.error())
            faults.push_back(fault.path);
    return faults;
}

TEST(CompletionJobs, AreOneForEachPrompt) {
    EXPECT_EQ(jobs_of(R"("prompt": "one")").at(0).text().text(), "one");
    const auto texts = jobs_of(R"("prompt": ["one", "two"])");
    ASSERT_EQ(texts.size(), 2U);
    EXPECT_EQ(texts[1].text().text(), "two");
    EXPECT_THAT(jobs_of(R"("prompt": [1, 2])").at(0).text().tokens().ids(), ElementsAre(1, 2));
    const auto lists = jobs_of(R"("prompt": [[1], [2, 3]])");
    ASSERT_EQ(lists.size(), 2U);
    EXPECT_THAT(lists[1].text().tokens().ids(), ElementsAre(2, 3));
}

TEST(CompletionJobs, BeginANewTextWithoutAPrompt) {
    const auto jobs = jobs_of(R"("max_tokens": 3)");
    ASSERT_EQ(jobs.size(), 1U);
    EXPECT_TRUE(jobs[0].text().has_text());
    EXPECT_EQ(jobs[0].text().text(), "");
}

TEST(CompletionJobs, HaveOpenAisDefaults) {
    const auto job = jobs_of(R"("prompt": "a")").at(0).text();
    EXPECT_EQ(job.max_tokens(), 16U);
    EXPECT_EQ(job.choices(), 1U);
    EXPECT_FALSE(job.logprobs());
    EXPECT_FALSE(job.echo());
}

TEST(CompletionJobs, CarryTheSameSamplingAsChat) {
    const auto job = jobs_of(R"("prompt": "a", "top_k": 5, "min_p": 0.1, "seed": 7, "ignore_eos": true, "min_tokens": 2,
                   "stop": "x", "grammar": "root ::= \"a\"")")
                         .at(0)
                         .text();
    EXPECT_EQ(job.sampling().top_k(), 5);
    EXPECT_FLOAT_EQ(job.sampling().min_p(), 0.1F);
    EXPECT_EQ(job.sampling().seed(), 7U);
    EXPECT_TRUE(job.ignore_eos());
    EXPECT_EQ(job.min_tokens(), 2U);
    EXPECT_THAT(job.stop(), ElementsAre("x"));
    EXPECT_EQ(job.output_format().grammar(), "root ::= \"a\"");
    EXPECT_TRUE(
        jobs_of(R"("prompt": "a", "response_format": {"type": "json_object"})").at(0).text().has_output_format());
}

TEST(CompletionJobs, OfTheBestAreJudgedByTheirLogprobs) {
    const auto job = jobs_of(R"("prompt": "a", "n": 2, "best_of": 5)").at(0).text();
    EXPECT_EQ(job.choices(), 5U);
    EXPECT_TRUE(job.logprobs());
    EXPECT_EQ(job.top_logprobs(), 0U);
}

TEST(CompletionJobs, WithASuffixFillIn) {
    const auto jobs = jobs_of(R"("prompt": ["def f(", "class "], "suffix": "return x")");
    EXPECT_EQ(jobs.at(1).text().fill_in().before(), "class ");
    EXPECT_EQ(jobs.at(1).text().fill_in().after(), "return x");
    EXPECT_TRUE(jobs_of(R"("prompt": "a", "suffix": "")").at(0).text().has_text());
}

TEST(CompletionJobs, AreRefusedWhereTheModelCannotFillIn) {
    auto request = schema::parse<Request>(R"({"model": "talker", "prompt": "a", "suffix": "b"})");
    ASSERT_TRUE(request);
    contract::ModelFacts facts;
    const auto refused = to_jobs(request->value, &facts);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().front().path, "suffix");
    facts.mutable_text()->set_fill_in(true);
    EXPECT_TRUE(to_jobs(request->value, &facts));
}

TEST(CompletionRequests, NameTheFieldAtFault) {
    EXPECT_THAT(faults_of(R"("prompt": [])"), ElementsAre("prompt"));
    EXPECT_THAT(faults_of(R"("prompt": {"a": 1})"), ElementsAre("prompt"));
    EXPECT_THAT(faults_of(R"("prompt": ["a", 1])"), ElementsAre("prompt[1]"));
    EXPECT_THAT(faults_of(R"("prompt": [[1], []])"), ElementsAre("prompt[1]"));
    EXPECT_THAT(faults_of(R"("prompt": [-1])"), ElementsAre("prompt[0]"));
    EXPECT_THAT(faults_of(R"("prompt": "a", "logprobs": 6)"), ElementsAre("logprobs"));
    EXPECT_THAT(faults_of(R"("prompt": "a", "n": 2, "best_of": 1)"), ElementsAre("best_of"));
    EXPECT_THAT(faults_of(R"("prompt": "a", "best_of": 2, "stream": true)"), ElementsAre("best_of"));
    EXPECT_THAT(faults_of(R"("prompt": [1], "suffix": "b")"), ElementsAre("suffix"));
    EXPECT_THAT(faults_of(R"("prompt": "a", "suffix": "b", "echo": true, "logprobs": 1)"), ElementsAre("suffix"));
    EXPECT_THAT(faults_of(R"("prompt": "a", "max_tokens": 1, "min_tokens": 2)"), ElementsAre("min_tokens"));
    EXPECT_THAT(faults_of(R"("prompt": "a", "stream_options": {})"), ElementsAre("stream_options"));
    EXPECT_THAT(faults_of(R"("prompt": "a", "max_tokens": 0, "n": 2, "best_of": 2, "logprobs": 0)"), IsEmpty());
}

TEST(CompletionPaths, AreThoseOfTheRequest) {
    EXPECT_EQ(to_request_path("text"), "prompt");
    EXPECT_EQ(to_request_path("messages"), "prompt");
    EXPECT_EQ(to_request_path("tokens"), "prompt");
    EXPECT_EQ(to_request_path("jobs[3].tokens"), "prompt[3]");
    EXPECT_EQ(to_request_path("jobs[3]"), "prompt[3]");
    EXPECT_EQ(to_request_path("jobs[3].choices"), "n");
    EXPECT_EQ(to_request_path("jobs[0].fill_in.after"), "suffix");
    EXPECT_EQ(to_request_path("sampling.dynamic_temperature_range"), "dynatemp_range");
    EXPECT_EQ(to_request_path("sampling.top_k"), "top_k");
    EXPECT_EQ(to_request_path("output_format.grammar", "guided_grammar"), "guided_grammar");
    EXPECT_EQ(to_request_path("jobs[1].output_format.json_schema", "json_schema"), "json_schema");
    EXPECT_EQ(to_request_path("stop_tokens[0]"), "stop_token_ids[0]");
}

}  // namespace
}  // namespace gateway::api::completions
