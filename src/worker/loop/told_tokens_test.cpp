// That nothing an answer has chosen is lost on its way to the client: text that is withheld, calls, log probabilities.

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "worker/loop/loop_fixture.hpp"
#include "worker/loop/step_loop.hpp"

namespace worker::loop {
namespace {

namespace contract = rpc::contract;

// Chooses as another answer does, and reads what was chosen in its own way.
class ReadingAnswer : public engine::Answer {
public:
    explicit ReadingAnswer(std::unique_ptr<Answer> inner) : inner_(std::move(inner)) {}

    engine::Token sample(std::size_t index, bool may_end) final { return inner_->sample(index, may_end); }
    contract::TokenInfo describe(std::size_t index, engine::Token token, std::uint32_t top) final {
        return inner_->describe(index, token, top);
    }
    bool is_end(engine::Token token) const final { return inner_->is_end(token); }
    std::string piece(engine::Token token) const final { return inner_->piece(token); }

private:
    std::unique_ptr<Answer> inner_;
};

// As an answer in a chat format: text is kept until four letters of it are there. The first four are thoughts.
class WithholdingAnswer final : public ReadingAnswer {
public:
    using ReadingAnswer::ReadingAnswer;

    std::vector<engine::Part> read(std::string_view text) override {
        held_ += text;
        if (held_.size() < 4) {
            return {};
        }
        auto four = std::exchange(held_, {});
        if (std::exchange(thinking_, false)) {
            return {engine::ReasoningPart{std::move(four)}};
        }
        return {engine::ContentPart{std::move(four)}};
    }
    std::vector<engine::Part> finish() override { return {engine::ContentPart{std::exchange(held_, {})}}; }

private:
    std::string held_;
    bool thinking_ = true;
};

TEST(StepLoop, TextThatIsWithheldLosesNeitherItsTokensNorTheirLogprobs) {
    Bench bench;
    const auto sink = bench.add({.max_tokens = 10, .ignore_end = true, .logprobs = true},
                                [](auto answer) { return std::make_unique<WithholdingAnswer>(std::move(answer)); });
    bench.run();
    ASSERT_TRUE(sink->finished());
    EXPECT_EQ(sink->last()->finished().usage().completion_tokens(), 10U);
    EXPECT_EQ(sink->last()->finished().usage().reasoning_tokens(), 4U);
    std::string described;
    std::string thoughts;
    std::string described_thoughts;
    for (const auto& event : sink->events) {
        for (const auto& token : event.text().tokens()) {
            described += token.bytes();
        }
        thoughts += event.reasoning().text();
        for (const auto& token : event.reasoning().tokens()) {
            described_thoughts += token.bytes();
        }
    }
    EXPECT_EQ(sink->text[0].size(), 6U);
    EXPECT_EQ(described, sink->text[0]);
    EXPECT_EQ(thoughts.size(), 4U);
    EXPECT_EQ(described_thoughts, thoughts);
}

// As a tool call: its end shows nothing.
class CallingAnswer final : public ReadingAnswer {
public:
    using ReadingAnswer::ReadingAnswer;

    std::vector<engine::Part> read(std::string_view text) override {
        if (++read_ > 3) {
            return {};
        }
        return {engine::ToolCallPart{.index = 0, .id = "1", .name = "f", .arguments = std::string(text)}};
    }
    std::vector<engine::Part> finish() override { return {}; }

private:
    int read_ = 0;
};

TEST(StepLoop, TokensOfAToolCallAreToldToTheLast) {
    Bench bench;
    const auto sink = bench.add({.max_tokens = 5, .ignore_end = true, .logprobs = true},
                                [](auto answer) { return std::make_unique<CallingAnswer>(std::move(answer)); });
    bench.run();
    ASSERT_TRUE(sink->finished());
    int with_calls = 0;
    int behind = 0;
    for (const auto& event : sink->events) {
        with_calls += event.tool_call().tokens_size();
        behind += event.text().tokens_size();
    }
    EXPECT_EQ(with_calls, 3);
    EXPECT_EQ(behind, 2);
    EXPECT_EQ(sink->text[0], "");
}

TEST(StepLoop, LogprobsTravelWithTheText) {
    Bench bench;
    const auto sink = bench.add({.max_tokens = 5, .ignore_end = true, .logprobs = true});
    bench.run();
    std::string bytes;
    for (const auto& event : sink->events) {
        for (const auto& token : event.text().tokens()) {
            bytes += token.bytes();
        }
    }
    EXPECT_EQ(bytes, sink->text[0]);
}

}  // namespace
}  // namespace worker::loop
