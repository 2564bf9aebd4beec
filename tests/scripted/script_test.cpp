#include "scripted/script.hpp"

#include <gtest/gtest.h>

#include <string>

#include "scripted/picture.hpp"

namespace scripted {
namespace {

contract::Job chat(const std::string& text) {
    contract::Job job;
    job.set_id("1");
    auto& message = *job.mutable_text()->mutable_chat()->add_messages();
    message.set_role("user");
    message.add_content()->set_text(text);
    return job;
}

std::string answer(const std::vector<Step>& steps) {
    std::string text;
    for (const Step& step : steps) {
        if (const auto* event = std::get_if<contract::Event>(&step.action)) {
            text += event->text().text();
        }
    }
    return text;
}

const contract::Event& last(const std::vector<Step>& steps) {
    return std::get<contract::Event>(steps.back().action);
}

TEST(Script, EchoesTheLastUserMessage) {
    const auto steps = script_of(chat("hello there  world"));
    EXPECT_EQ(answer(steps), "hello there  world");
    EXPECT_TRUE(std::get<contract::Event>(steps.front().action).has_queued());
    EXPECT_TRUE(last(steps).has_finished());
    EXPECT_EQ(last(steps).finished().usage().completion_tokens(), 4U);
}

TEST(Script, GivesTheAskedNumberOfTokensWithTheAskedDelay) {
    const auto steps = script_of(chat("[[tokens=3 delay_ms=7]]"));
    EXPECT_EQ(answer(steps), "word0 word1 word2");
    EXPECT_EQ(std::ranges::count_if(steps, [](const Step& step) { return step.wait.count() == 7; }), 3);
}

TEST(Script, MaxTokensEndsTheAnswerWithLength) {
    auto job = chat("one two three");
    job.mutable_text()->set_max_tokens(2);
    const auto steps = script_of(job);
    EXPECT_EQ(answer(steps), "one two");
    const auto& finished = std::get<contract::Event>(steps[steps.size() - 2].action).choice_finished();
    EXPECT_EQ(finished.reason(), contract::LENGTH);
}

TEST(Script, FailsAfterTheAskedNumberOfTokens) {
    const auto steps = script_of(chat("[[tokens=5 fail=busy fail_after=2]]"));
    EXPECT_EQ(answer(steps), "word0 word1");
    EXPECT_EQ(last(steps).failed().code(), contract::BUSY);
}

TEST(Script, CrashesAndHangsAreTheLastStep) {
    EXPECT_TRUE(std::holds_alternative<Crash>(script_of(chat("[[crash]]")).back().action));
    EXPECT_TRUE(std::holds_alternative<Hang>(script_of(chat("a b c [[hang_after=1]]")).back().action));
}

TEST(Script, ANamedToolChoiceCallsThatFunction) {
    auto job = chat("weather?");
    job.mutable_text()->mutable_chat()->mutable_tool_choice()->set_mode(contract::ToolChoice::NAMED);
    job.mutable_text()->mutable_chat()->mutable_tool_choice()->set_name("lookup");
    std::string name;
    std::string arguments;
    for (const Step& step : script_of(job)) {
        const auto& call = std::get<contract::Event>(step.action).tool_call();
        name += call.name();
        arguments += call.arguments();
    }
    EXPECT_EQ(name, "lookup");
    EXPECT_EQ(arguments, R"({"text":"weather?"})");
}

TEST(Script, DrawsAPictureOfTheAskedSize) {
    contract::Job job;
    job.mutable_image()->set_width(40);
    job.mutable_image()->set_height(24);
    job.mutable_image()->set_steps(3);
    unsigned steps = 0;
    for (const Step& step : script_of(job)) {
        const auto& event = std::get<contract::Event>(step.action);
        steps += event.has_image_progress() ? 1 : 0;
        if (event.has_image_done()) {
            const auto size = picture_size(event.image_done().data());
            ASSERT_TRUE(size);
            EXPECT_EQ(size->width, 40U);
            EXPECT_EQ(size->height, 24U);
        }
    }
    EXPECT_EQ(steps, 3U);
}

}  // namespace
}  // namespace scripted
