#include "gateway/api/joined_jobs.hpp"

#include <map>

#include <gmock/gmock.h>

#include "gateway/api/test_support.hpp"

namespace gateway::api {
namespace {

namespace contract = llm_gateway::engine::v1;
using namespace test;
using testing::ElementsAre;
using testing::IsEmpty;

/// Keeps the sinks of the jobs, for the test to speak to.
class KeptBackend final : public backends::Backend {
public:
    std::unique_ptr<backends::Submission> submit(const backends::ModelName&, Job job,
                                                 backends::EventSink& sink) override {
        struct Ticket final : backends::Submission {
            Ticket(std::map<std::string, backends::EventSink*>& the_sinks, std::string the_id)
                : sinks(the_sinks), id(std::move(the_id)) {}
            ~Ticket() override { sinks.erase(id); }
            std::map<std::string, backends::EventSink*>& sinks;
            const std::string id;
        };
        submitted.push_back(job.id());
        alive[job.id()] = &sink;
        return std::make_unique<Ticket>(alive, job.id());
    }

    std::vector<std::string> submitted;
    std::map<std::string, backends::EventSink*> alive;
};

struct Sink final : backends::EventSink {
    void on_event(Event event) override { events.push_back(std::move(event)); }
    std::vector<Event> events;
};

class Joined : public testing::Test {
protected:
    std::unique_ptr<backends::Submission> submit(const std::vector<std::string>& ids, std::size_t at_once,
                                                 std::uint32_t answers = 1) {
        std::vector<Job> jobs;
        for (const auto& id : ids) {
            jobs.emplace_back().set_id(id);
            jobs.back().mutable_text()->set_choices(answers);
        }
        return submit_joined(backend_, backends::ModelName("talker"), std::move(jobs), at_once, sink_);
    }

    KeptBackend backend_;
    Sink sink_;
};

TEST_F(Joined, RunSoManyAtATimeAndEndTogether) {
    const auto submission = submit({"a", "b", "c"}, 2);
    EXPECT_THAT(backend_.submitted, ElementsAre("a", "b"));
    backend_.alive["b"]->on_event(finished(5, 1, 2));
    EXPECT_THAT(backend_.submitted, ElementsAre("a", "b", "c"));
    EXPECT_THAT(sink_.events, IsEmpty());
    backend_.alive["a"]->on_event(finished(7, 0, 3));
    backend_.alive["c"]->on_event(finished(1, 1, 1));
    ASSERT_EQ(sink_.events.size(), 1U);
    EXPECT_EQ(sink_.events[0].finished().usage().prompt_tokens(), 13U);
    EXPECT_EQ(sink_.events[0].finished().usage().cached_tokens(), 2U);
    EXPECT_EQ(sink_.events[0].finished().usage().completion_tokens(), 6U);
}

TEST_F(Joined, NumberTheirAnswersThrough) {
    const auto submission = submit({"a", "b"}, 8, 3);
    backend_.alive["b"]->on_event(text("x", 2));
    backend_.alive["a"]->on_event(text("y", 1));
    backend_.alive["b"]->on_event(choice_finished(contract::STOP, 0));
    EXPECT_EQ(sink_.events[0].text().choice(), 5U);
    EXPECT_EQ(sink_.events[1].text().choice(), 1U);
    EXPECT_EQ(sink_.events[2].choice_finished().choice(), 3U);
}

TEST_F(Joined, TellOnceThatTheyWaitAndStart) {
    const auto submission = submit({"a", "b"}, 8);
    backend_.alive["a"]->on_event(queued(1));
    backend_.alive["b"]->on_event(queued(2));
    backend_.alive["b"]->on_event(started());
    backend_.alive["a"]->on_event(started());
    EXPECT_EQ(sink_.events.size(), 2U);
}

TEST_F(Joined, EndWithTheFirstThatFails) {
    const auto submission = submit({"a", "b", "c"}, 2);
    backend_.alive["b"]->on_event(failed(contract::INVALID, "No.", "text"));
    ASSERT_EQ(sink_.events.size(), 1U);
    EXPECT_EQ(sink_.events[0].failed().param(), "jobs[1].text");
    EXPECT_THAT(backend_.alive, IsEmpty());
    EXPECT_THAT(backend_.submitted, ElementsAre("a", "b"));
}

TEST_F(Joined, AreCancelledTogether) {
    auto submission = submit({"a", "b"}, 2);
    submission.reset();
    EXPECT_THAT(backend_.alive, IsEmpty());
}

TEST_F(Joined, OneIsJustThatOne) {
    const auto submission = submit({"a"}, 2);
    backend_.alive["a"]->on_event(failed(contract::INVALID, "No.", "text"));
    EXPECT_EQ(sink_.events.at(0).failed().param(), "text");
}

}  // namespace
}  // namespace gateway::api
