#include "worker/loop/line.hpp"

#include <gtest/gtest.h>

namespace worker::loop {
namespace {

struct Fixture {
    void add(const std::string& id, const std::string& tenant = "", std::int32_t priority = 0,
             std::size_t tokens = 10) {
        line.add(run(id, tenant, priority, tokens), {});
    }
    std::unique_ptr<Run> run(const std::string& id, const std::string& tenant, std::int32_t priority,
                             std::size_t tokens) {
        auto job = std::make_shared<JobInLoop>();
        job->id = id;
        job->tenant = tenant;
        job->priority = priority;
        job->order = ++jobs;
        return std::make_unique<Run>(Run{.job = job,
                                         .answer = nullptr,
                                         .stream = AnswerStream({}),
                                         .tokens = std::vector<engine::Token>(tokens),
                                         .sequence = std::nullopt});
    }
    std::unique_ptr<Run> take() {
        const Run* next = line.first({}, [](const Run&) { return true; });
        return next == nullptr ? nullptr : line.take(*next);
    }
    std::string all() {
        std::string ids;
        while (const auto run = take()) {
            ids += run->job->id;
        }
        return ids;
    }

    Line line;
    std::uint64_t jobs = 0;
};

TEST(Line, ALongPromptCountsForMoreThanAShortOne) {
    Fixture fixture;
    fixture.add("L", "long", 0, 300);
    fixture.add("L", "long", 0, 300);
    for (int job = 0; job < 4; ++job) {
        fixture.add("s", "short", 0, 100);
    }
    EXPECT_EQ(fixture.all(), "LsssLs");
}

TEST(Line, GeneratedTokensAreCharged) {
    Fixture fixture;
    fixture.add("1", "a");
    fixture.add("2", "a");
    fixture.add("3", "b");
    fixture.add("4", "b");
    const auto first = fixture.take();
    fixture.line.charge_generated(*first, 100);
    EXPECT_EQ(fixture.all(), "342");
}

TEST(Line, ARunThatLostItsSlotGoesBeforeAllThatHadNone) {
    Fixture fixture;
    fixture.add("1");
    fixture.add("2");
    auto first = fixture.take();
    auto second = fixture.take();
    fixture.add("urgent", "", 5);
    fixture.line.give_back(std::move(second));
    fixture.line.give_back(std::move(first));
    EXPECT_EQ(fixture.all(), "12urgent");
}

TEST(Line, EndedOnesLeave) {
    Fixture fixture;
    fixture.add("1");
    fixture.add("2");
    fixture.add("3");
    fixture.line.give_back(fixture.take());
    fixture.line.for_each([](const auto& run) { run.job->ended = run.job->id != "2"; });
    fixture.line.remove_ended();
    EXPECT_EQ(fixture.all(), "2");
}

TEST(Line, WhoIsNotAcceptedIsPassed) {
    Fixture fixture;
    fixture.add("1");
    fixture.add("2");
    EXPECT_EQ(fixture.line.first({}, [](const auto& run) { return run.job->id == "2"; })->job->id, "2");
    EXPECT_EQ(fixture.line.first({}, [](const auto&) { return false; }), nullptr);
}

}  // namespace
}  // namespace worker::loop
