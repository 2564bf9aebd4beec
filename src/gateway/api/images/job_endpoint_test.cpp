#include "gateway/api/images/job_endpoint.hpp"

#include <gmock/gmock.h>

#include "base/base64.hpp"
#include "gateway/api/images/job.hpp"
#include "gateway/api/session_support.hpp"

namespace gateway::api::images {
namespace {

namespace contract = llm_gateway::engine::v1;
using namespace gateway::api::test;
using testing::HasSubstr;
using testing::IsEmpty;

struct Waiting final : backends::EventSink {
    void on_event(Event event) override { events.push_back(std::move(event)); }
    std::vector<Event> events;
    std::unique_ptr<backends::Submission> submission;
};

/// A job of the client "anna" that has made half of its way.
class ImageJobs : public testing::Test {
protected:
    ImageJobs() {
        session_.script = {queued(), started(), image_step(4, 8), preview("half", 4), image_done("PNG"), finished()};
        session_.at_once = 4;
        Job job;
        job.set_id("img-1");
        job.set_tenant("anna");
        job.mutable_image()->set_steps(8);
        waiting_.submission = session_.image_jobs().submit(backends::ModelName("painter"), std::move(job), waiting_);
        session_.settle();
    }

    Session session_;
    Waiting waiting_;
};

TEST_F(ImageJobs, AreShownWithTheirProgressAndPreview) {
    const auto body = json_of(session_.get("/v1/images/jobs/img-1", "anna"));
    EXPECT_THAT(schema::validate<ImageJob>(body), IsEmpty());
    EXPECT_EQ(body.at("status"), "in_progress");
    EXPECT_EQ(body.at("step"), 4);
    EXPECT_EQ(body.at("steps"), 8);
    EXPECT_EQ(body.at("progress"), 0.5);
    EXPECT_EQ(body.at_pointer("/preview/b64_json"), base::encode_base64("half").c_str());
    EXPECT_FALSE(json_of(session_.get("/v1/images/jobs/img-1?preview=false", "anna")).as_object().contains("preview"));
    EXPECT_EQ(session_.get("/v1/images/jobs/img-1?preview=perhaps", "anna").status, 400);
    session_.release();
    session_.settle();
    EXPECT_EQ(json_of(session_.get("/v1/images/jobs/img-1", "anna")).at("status"), "completed");
}

TEST_F(ImageJobs, AreListedForTheirOwner) {
    const auto body = json_of(session_.get("/v1/images/jobs", "anna"));
    EXPECT_THAT(schema::validate<ImageJobList>(body), IsEmpty());
    EXPECT_EQ(body.at_pointer("/data/0/id"), "img-1");
    EXPECT_EQ(json_of(session_.get("/v1/images/jobs", "berta")).at("data").as_array().size(), 0U);
}

TEST_F(ImageJobs, OfOthersAreNotThere) {
    EXPECT_EQ(session_.get("/v1/images/jobs/img-1", "berta").status, 404);
    EXPECT_EQ(session_.post("/v1/images/jobs/img-1/cancel", "", "berta").status, 404);
    EXPECT_EQ(session_.get("/v1/images/jobs/img-2", "anna").status, 404);
    EXPECT_EQ(json_of(session_.get("/v1/images/jobs/img-1", "anna")).at("status"), "in_progress");
}

TEST_F(ImageJobs, AreCancelledByTheirOwner) {
    const auto body = json_of(session_.post("/v1/images/jobs/img-1/cancel", "", "anna"));
    EXPECT_THAT(schema::validate<ImageJob>(body), IsEmpty());
    EXPECT_EQ(body.at("status"), "cancelled");
    EXPECT_EQ(session_.cancelled, 1);
    ASSERT_FALSE(waiting_.events.empty());
    EXPECT_EQ(waiting_.events.back().failed().code(), contract::CANCELLED);
    EXPECT_EQ(json_of(session_.post("/v1/images/jobs/img-1/cancel", "", "anna")).at("status"), "cancelled");
}

TEST(ImageJobHeaders, TellIdPositionAndPrediction) {
    Session session;
    Event step = image_step(1, 1);
    step.mutable_image_progress()->set_step_seconds(2);
    session.script = {queued(), started(), step, image_done("PNG"), finished()};
    const std::string body = R"({"prompt": "a boat", "size": "64x64", "steps": 1})";
    const auto first = session.post("/v1/images/generations", body, "anna");
    EXPECT_EQ(first.headers.find("x-queue-position"), "0");
    EXPECT_THAT(std::string(first.headers.find("x-job-id").value()), HasSubstr("img-"));
    EXPECT_FALSE(first.headers.find("x-predicted-seconds")) << "nothing was drawn before";
    EXPECT_EQ(session.post("/v1/images/generations", body, "anna").headers.find("x-predicted-seconds"), "2.0");
    EXPECT_FALSE(
        session.post("/v1/chat/completions", R"({"model": "talker", "messages": [{"role": "user", "content": "x"}]})")
            .headers.find("x-job-id"));
}

}  // namespace
}  // namespace gateway::api::images
