#include "gateway/drawing/image_jobs.hpp"

#include <gmock/gmock.h>

namespace gateway::drawing {
namespace {

namespace engine = llm_gateway::engine::v1;
using namespace std::chrono_literals;
using backends::Event;
using backends::Job;
using backends::ModelName;
using testing::ElementsAre;

class OneModel final : public backends::Catalogue {
public:
    OneModel() {
        status.name = ModelName("painter");
        auto& image = *status.facts.emplace().mutable_image();
        image.set_default_width(64);
        image.set_default_height(64);
        image.set_default_steps(10);
        image.set_default_cfg_scale(1);
    }
    std::vector<backends::ModelStatus> models() const override { return {status}; }
    std::optional<backends::ModelStatus> find(const ModelName& name) const override {
        return name == status.name ? std::optional(status) : std::nullopt;
    }
    std::optional<ModelName> default_model(backends::ModelKind) const override { return status.name; }

    backends::ModelStatus status;
};

/// Runs nothing: events come when the test says so, and the line is the order of arrival.
class Held final : public backends::Backend {
public:
    std::unique_ptr<backends::Submission> submit(const ModelName&, Job job, backends::EventSink& sink) override {
        line.push_back(job.id());
        sinks[job.id()] = &sink;
        class Ticket final : public backends::Submission {
        public:
            Ticket(Held& held, std::string id) : held_(held), id_(std::move(id)) {}
            ~Ticket() override {
                std::erase(held_.line, id_);
                held_.dropped.push_back(id_);
            }

        private:
            Held& held_;
            const std::string id_;
        };
        auto ticket = std::make_unique<Ticket>(*this, job.id());
        jobs.push_back(std::move(job));
        return ticket;
    }

    /// As the dispatcher does: the job has left the line when its last event comes.
    void say(const std::string& id, Event event) {
        if (event.has_finished() || event.has_failed())
            std::erase(line, id);
        sinks.at(id)->on_event(std::move(event));
    }

    std::vector<Job> jobs;
    std::vector<std::string> line;
    std::vector<std::string> dropped;
    std::map<std::string, backends::EventSink*> sinks;
};

struct Client final : backends::EventSink {
    void on_event(Event event) override { events.push_back(std::move(event)); }

    std::vector<Event> events;
    std::unique_ptr<backends::Submission> submission;
};

Event queued(std::uint32_t position) {
    Event event;
    event.mutable_queued()->set_position(position);
    return event;
}

Event started() {
    Event event;
    event.mutable_started();
    return event;
}

Event step(std::uint32_t step, std::uint32_t steps, double seconds, std::uint32_t image = 0) {
    Event event;
    auto& progress = *event.mutable_image_progress();
    progress.set_image(image);
    progress.set_step(step);
    progress.set_steps(steps);
    progress.set_step_seconds(seconds);
    return event;
}

Event preview(std::string bytes) {
    Event event;
    event.mutable_image_preview()->set_data(std::move(bytes));
    return event;
}

Event done(std::uint32_t image) {
    Event event;
    event.mutable_image_done()->set_image(image);
    return event;
}

Event finished(double encode = 0, double decode = 0) {
    Event event;
    event.mutable_finished()->mutable_timings()->set_encode_seconds(encode);
    event.mutable_finished()->mutable_timings()->set_decode_seconds(decode);
    return event;
}

Event failed(engine::ErrorCode code, std::string message) {
    Event event;
    event.mutable_failed()->set_code(code);
    event.mutable_failed()->set_message(std::move(message));
    return event;
}

class ImageJobsTest : public testing::Test {
protected:
    Client& submit(const std::string& id, const std::string& owner = "anna", std::uint32_t pictures = 1) {
        Job job;
        job.set_id(id);
        job.set_tenant(owner);
        job.mutable_image()->set_count(pictures);
        clients_.push_back(std::make_unique<Client>());
        clients_.back()->submission = jobs_.submit(model_, std::move(job), *clients_.back());
        return *clients_.back();
    }

    JobStatus look(const std::string& id, const std::string& owner = "anna") { return jobs_.find(owner, id).value(); }

    /// So that the speed of the model is known: a step takes 2 seconds, a prompt 1, the rest 3.
    void draw_one() {
        submit("first");
        worker_.say("first", started());
        for (std::uint32_t i = 1; i <= 10; ++i)
            worker_.say("first", step(i, 10, 2));
        worker_.say("first", done(0));
        worker_.say("first", finished(1, 3));
    }

    const ModelName model_{"painter"};
    OneModel catalogue_;
    base::ManualClock clock_;
    Held worker_;
    ImageJobs jobs_{worker_, catalogue_, clock_, [this](const ModelName&) { return worker_.line; }};
    std::vector<std::unique_ptr<Client>> clients_;
};

TEST_F(ImageJobsTest, FollowsAJobFromTheQueueToItsEnd) {
    Client& client = submit("a", "anna", 2);
    worker_.say("a", queued(0));
    EXPECT_EQ(look("a").state, State::queued);
    EXPECT_EQ(look("a").pictures, 2U);
    EXPECT_FALSE(look("a").predicted_seconds) << "nothing was drawn yet";
    worker_.say("a", started());
    EXPECT_EQ(look("a").state, State::running);
    worker_.say("a", step(5, 10, 2));
    worker_.say("a", preview("half"));
    EXPECT_EQ(look("a").step, 5U);
    EXPECT_EQ(look("a").steps, 10U);
    EXPECT_DOUBLE_EQ(look("a").progress, 0.25);
    EXPECT_DOUBLE_EQ(look("a").predicted_seconds.value(), 30);
    EXPECT_EQ(*look("a").preview, "half");
    worker_.say("a", done(0));
    EXPECT_DOUBLE_EQ(look("a").progress, 0.5);
    EXPECT_EQ(look("a").pictures_done, 1U);
    EXPECT_EQ(look("a").preview, nullptr) << "that picture is done";
    worker_.say("a", done(1));
    worker_.say("a", finished());
    EXPECT_EQ(look("a").state, State::finished);
    EXPECT_DOUBLE_EQ(look("a").progress, 1);
    EXPECT_EQ(look("a").predicted_seconds, 0);
    EXPECT_EQ(client.events.size(), 7U) << "everything is passed on";
}

TEST_F(ImageJobsTest, PredictsFromWhatWasDrawnBefore) {
    draw_one();
    submit("a");
    EXPECT_DOUBLE_EQ(look("a").predicted_seconds.value(), 24);
    submit("b", "anna", 2);
    EXPECT_EQ(look("b").position, 1U);
    EXPECT_DOUBLE_EQ(look("b").predicted_seconds.value(), 24 + 48);
    worker_.say("a", started());
    worker_.say("a", step(4, 10, 2));
    EXPECT_DOUBLE_EQ(look("a").predicted_seconds.value(), 6 * 2 + 3);
    EXPECT_DOUBLE_EQ(look("b").predicted_seconds.value(), 15 + 48);
}

TEST_F(ImageJobsTest, LearnsNothingFromAPictureThatTookNoStep) {
    draw_one();
    submit("repeated");
    worker_.say("repeated", started());
    worker_.say("repeated", done(0));
    worker_.say("repeated", finished(0, 0));
    submit("a");
    EXPECT_DOUBLE_EQ(look("a").predicted_seconds.value(), 24);
}

TEST_F(ImageJobsTest, CountsDownBetweenStepsButNotBeyondOne) {
    draw_one();
    submit("a");
    worker_.say("a", started());
    worker_.say("a", step(4, 10, 2));
    clock_.advance(1s);
    EXPECT_DOUBLE_EQ(look("a").predicted_seconds.value(), 14);
    clock_.advance(1h);
    EXPECT_DOUBLE_EQ(look("a").predicted_seconds.value(), 13) << "this step is late, the others are as long as ever";
}

TEST_F(ImageJobsTest, TellsThoseWhoWaitHowTheyMoveUp) {
    submit("a");
    Client& second = submit("b");
    Client& third = submit("c");
    worker_.say("b", queued(1));
    worker_.say("c", queued(2));
    worker_.say("a", finished());
    ASSERT_EQ(second.events.size(), 2U);
    EXPECT_EQ(second.events.back().queued().position(), 0U);
    clients_[1]->submission.reset();  // its client leaves
    ASSERT_EQ(third.events.size(), 3U);
    EXPECT_EQ(third.events[1].queued().position(), 1U);
    EXPECT_EQ(third.events[2].queued().position(), 0U);
    EXPECT_EQ(look("b").state, State::cancelled);
}

TEST_F(ImageJobsTest, CancelsForTheOwnerAlone) {
    Client& client = submit("a");
    EXPECT_EQ(jobs_.cancel("berta", "a"), Cancelling::unknown);
    EXPECT_TRUE(client.events.empty());
    EXPECT_EQ(jobs_.cancel("anna", "a"), Cancelling::done);
    EXPECT_THAT(worker_.dropped, ElementsAre("a"));
    ASSERT_EQ(client.events.size(), 1U);
    EXPECT_EQ(client.events[0].failed().code(), engine::CANCELLED);
    EXPECT_EQ(look("a").state, State::cancelled);
    EXPECT_EQ(jobs_.cancel("anna", "a"), Cancelling::had_ended);
    client.submission.reset();
    EXPECT_THAT(worker_.dropped, ElementsAre("a"));
}

TEST_F(ImageJobsTest, ShowsEachOwnerItsOwn) {
    submit("a", "anna");
    submit("b", "berta");
    submit("c", "anna");
    worker_.say("a", finished());
    std::vector<std::string> ids;
    for (const JobStatus& job : jobs_.list("anna"))
        ids.push_back(job.id);
    EXPECT_THAT(ids, ElementsAre("a", "c"));
    EXPECT_FALSE(jobs_.find("anna", "b"));
    EXPECT_EQ(look("b", "berta").position, 0U);
}

TEST_F(ImageJobsTest, RefusesWithTheTimeUntilTheNextPlaceIsFree) {
    draw_one();
    submit("a");
    worker_.say("a", started());
    worker_.say("a", step(4, 10, 2));
    Client& refused = submit("b");
    worker_.say("b", failed(engine::BUSY, "Too many."));
    EXPECT_DOUBLE_EQ(refused.events.at(0).failed().retry_after_seconds(), 15);
    EXPECT_EQ(look("b").state, State::failed);
    EXPECT_EQ(look("b").problem, "Too many.");
}

TEST_F(ImageJobsTest, KeepsTheReasonOfAnInternalFailureToTheLog) {
    submit("a");
    worker_.say("a", failed(engine::INTERNAL, "secret pointer 0xdead"));
    EXPECT_EQ(look("a").problem, "The worker failed.");
}

TEST_F(ImageJobsTest, AsksForAFewPreviewsOfAJobWithManySteps) {
    submit("a");
    Job own;
    own.mutable_image()->set_preview_interval(1);
    Job short_job;
    short_job.mutable_image()->set_steps(2);
    Job seeded;
    seeded.mutable_image()->set_seed(1);
    Client client;
    const auto fourth = jobs_.submit(model_, seeded, client);
    EXPECT_EQ(worker_.jobs[1].image().preview_interval(), 0U) << "it may have been drawn before";
    worker_.jobs.pop_back();
    const auto second = jobs_.submit(model_, own, client);
    const auto third = jobs_.submit(model_, short_job, client);
    EXPECT_EQ(worker_.jobs[0].image().preview_interval(), 2U);
    EXPECT_EQ(worker_.jobs[1].image().preview_interval(), 1U);
    EXPECT_EQ(worker_.jobs[2].image().preview_interval(), 0U);
}

TEST_F(ImageJobsTest, LetsOtherJobsThroughUntouched) {
    Job job;
    job.set_id("chat");
    job.mutable_text();
    Client client;
    const auto submission = jobs_.submit(model_, job, client);
    EXPECT_EQ(worker_.sinks.at("chat"), &client);
    EXPECT_TRUE(jobs_.list("").empty());
}

TEST_F(ImageJobsTest, ForgetsTheOldestOfThoseThatEnded) {
    for (int i = 0; i < 150; ++i) {
        submit(std::to_string(i));
        worker_.say(std::to_string(i), finished());
    }
    EXPECT_EQ(jobs_.list("anna").size(), 100U);
    EXPECT_FALSE(jobs_.find("anna", "0"));
    EXPECT_TRUE(jobs_.find("anna", "149"));
}

TEST_F(ImageJobsTest, AnUpscaleIsPredictedFromItsOwnTiles) {
    Job job;
    job.set_id("a");
    job.set_tenant("anna");
    job.mutable_upscale();
    Client client;
    const auto submission = jobs_.submit(model_, job, client);
    worker_.say("a", started());
    EXPECT_FALSE(look("a").predicted_seconds);
    worker_.say("a", step(1, 5, 3));
    EXPECT_DOUBLE_EQ(look("a").predicted_seconds.value(), 12);
}

}  // namespace
}  // namespace gateway::drawing
