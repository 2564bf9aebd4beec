#include "gateway/api/responses/background.hpp"

#include <boost/json/parse.hpp>

#include <gmock/gmock.h>

#include "base/temporary_folder.hpp"
#include "gateway/api/session_support.hpp"
#include "schema/schema.hpp"

namespace gateway::api::responses {
namespace {

namespace contract = llm_gateway::engine::v1;
using namespace gateway::api::test;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* in_background = R"({"model": "talker", "input": "hello", "background": true})";
constexpr const char* streamed_in_background =
    R"({"model": "talker", "input": "hello", "background": true, "stream": true})";

std::vector<Event> script() {
    return {queued(), started(), text("Hel"), text("lo."), choice_finished(contract::STOP), finished(5, 2, 3)};
}

std::string id_of(const http::Response& answer) {
    return std::string(json_of(answer).at("id").as_string());
}

class BackgroundTest : public testing::Test {
protected:
    BackgroundTest() { session.script = script(); }

    std::string start(const char* body = in_background) { return id_of(session.post("/v1/responses", body)); }
    boost::json::value show(const std::string& id) { return json_of(session.get("/v1/responses/" + id)); }

    Session session;
};

TEST_F(BackgroundTest, AnswersAtOnceAndIsCompleteLater) {
    session.at_once = 1;
    const auto answer = session.post("/v1/responses", in_background);
    EXPECT_EQ(json_of(answer).at("status"), "queued");
    EXPECT_THAT(schema::validate<Response>(json_of(answer)), IsEmpty());
    const std::string id = id_of(answer);
    EXPECT_EQ(show(id).at("status"), "queued");
    session.release();
    session.settle();
    EXPECT_EQ(show(id).at("status"), "completed");
    EXPECT_EQ(show(id).at_pointer("/output/0/content/0/text"), "Hello.");
    EXPECT_EQ(session.cancelled, 0);
}

TEST_F(BackgroundTest, ShowsHowFarItIs) {
    session.at_once = 3;
    const std::string id = start();
    session.settle();
    EXPECT_EQ(show(id).at("status"), "in_progress");
    EXPECT_EQ(show(id).at_pointer("/output/0/content/0/text"), "Hel");
    const auto early =
        session.post("/v1/responses", R"({"model": "talker", "input": "x", "previous_response_id": ")" + id + R"("})");
    EXPECT_EQ(early.status, 400);
    EXPECT_THAT(early.body, HasSubstr("not complete"));
    session.release();
    session.settle();
}

TEST_F(BackgroundTest, IsCancelled) {
    session.at_once = 3;
    const std::string id = start();
    session.settle();
    EXPECT_EQ(json_of(session.post("/v1/responses/" + id + "/cancel", "")).at("status"), "cancelled");
    session.settle();
    EXPECT_EQ(session.cancelled, 1);
    EXPECT_EQ(show(id).at("status"), "cancelled");
    EXPECT_EQ(show(id).at_pointer("/output/0/status"), "incomplete");
    EXPECT_EQ(json_of(session.post("/v1/responses/" + id + "/cancel", "")).at("status"), "cancelled") << "again";
}

TEST_F(BackgroundTest, StaysCompleteWhenCancelledTooLate) {
    const std::string id = start();
    session.settle();
    EXPECT_EQ(json_of(session.post("/v1/responses/" + id + "/cancel", "")).at("status"), "completed");
}

TEST_F(BackgroundTest, OnlyThoseCanBeCancelled) {
    const std::string id = start(R"({"model": "talker", "input": "hello"})");
    EXPECT_EQ(session.post("/v1/responses/" + id + "/cancel", "").status, 400);
    EXPECT_EQ(session.post("/v1/responses/resp_0/cancel", "").status, 404);
}

TEST_F(BackgroundTest, IsGoneForGoodWhenDeletedMeanwhile) {
    session.at_once = 3;
    const std::string id = start();
    EXPECT_EQ(session.remove("/v1/responses/" + id).status, 200);
    session.settle();
    EXPECT_EQ(session.cancelled, 1);
    EXPECT_EQ(session.get("/v1/responses/" + id).status, 404);
}

TEST_F(BackgroundTest, FailsWithAReason) {
    session.script = {queued(), text("Hel"), failed(contract::UNAVAILABLE, "The worker died.")};
    const std::string id = start();
    session.settle();
    EXPECT_EQ(show(id).at("status"), "failed");
    EXPECT_EQ(show(id).at_pointer("/error/message"), "The worker died.");
}

TEST_F(BackgroundTest, StreamsAgainFromAnyEvent) {
    const auto whole = session.post("/v1/responses", streamed_in_background);
    session.settle();
    const auto events = events_of(whole.body);
    ASSERT_GT(events.size(), 6U);
    EXPECT_EQ(boost::json::parse(events[1]).at("type"), "response.queued");
    EXPECT_EQ(boost::json::parse(events[2]).at("type"), "response.in_progress");
    const std::string id(boost::json::parse(events[0]).at_pointer("/response/id").as_string());
    EXPECT_EQ(session.get("/v1/responses/" + id + "?stream=true").body, whole.body);
    const auto rest = events_of(session.get("/v1/responses/" + id + "?stream=true&starting_after=3").body);
    EXPECT_THAT(rest, testing::ElementsAreArray(events.begin() + 4, events.end()));
    EXPECT_THAT(events_of(session.get("/v1/responses/" + id + "?stream=true&starting_after=999").body), IsEmpty());
    EXPECT_EQ(session.get("/v1/responses/" + id + "?starting_after=3").status, 400);
    const std::string other = start();
    session.settle();
    EXPECT_EQ(session.get("/v1/responses/" + other + "?stream=true").status, 400) << "was not made with stream";
}

TEST(Background, IsKeptAsFailedWhenTheServerEnds) {
    Session session;
    session.script = script();
    session.at_once = 3;
    const std::string id = id_of(session.post("/v1/responses", in_background));
    session.background().stop();
    session.settle();
    const auto body = json_of(session.get("/v1/responses/" + id));
    EXPECT_EQ(body.at("status"), "failed");
    EXPECT_EQ(body.at_pointer("/error/code"), "server_error");
}

TEST(Background, IsReportedAsFailedAfterACrash) {
    const base::TemporaryFolder folder;
    std::string id;
    {
        Session session({.folder = folder.path()});
        session.script = script();
        session.at_once = 3;
        id = id_of(session.post("/v1/responses", in_background));
    }  // without a last word, as in a crash
    {
        Session session({.folder = folder.path()});
        const auto body = json_of(session.get("/v1/responses/" + id));
        EXPECT_EQ(body.at("status"), "failed");
        EXPECT_THAT(schema::validate<Response>(body), IsEmpty());
        EXPECT_EQ(session.post("/v1/responses/" + id + "/cancel", "").status, 200);
    }
}

}  // namespace
}  // namespace gateway::api::responses
