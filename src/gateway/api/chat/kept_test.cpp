#include "gateway/api/chat/kept.hpp"

#include <boost/json/parse.hpp>

#include <gmock/gmock.h>

#include "gateway/api/session_support.hpp"
#include "schema/schema.hpp"

namespace gateway::api::chat {
namespace {

namespace contract = llm_gateway::engine::v1;
using namespace gateway::api::test;
using testing::ElementsAre;
using testing::IsEmpty;

std::string body(const std::string& more) {
    return R"({"model": "talker", "messages": [{"role": "system", "content": "S"}, {"role": "user", "content":
        [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}], "store": true)" +
           more + "}";
}

std::string id_of(const boost::json::value& value) {
    return std::string(value.at("id").as_string());
}

std::vector<std::string> ids_of(const boost::json::value& list) {
    std::vector<std::string> ids;
    for (const auto& one : list.at("data").as_array())
        ids.push_back(id_of(one));
    return ids;
}

TEST(KeptChat, IsShownAsItWasAnswered) {
    Session session;
    const auto made = json_of(session.post("/v1/chat/completions", body(R"(, "metadata": {"topic": "x"})")));
    const auto shown = session.get("/v1/chat/completions/" + id_of(made));
    EXPECT_EQ(shown.status, 200);
    EXPECT_THAT(schema::validate<Completion>(json_of(shown)), IsEmpty());
    EXPECT_EQ(json_of(shown), made);
    EXPECT_EQ(json_of(shown).at_pointer("/metadata/topic"), "x");
}

TEST(KeptChat, IsKeptWhenStreamedToo) {
    Session session;
    session.script = {text("Hel"), text("lo."), choice_finished(contract::STOP), finished()};
    const auto stream = session.post("/v1/chat/completions", body(R"(, "stream": true)"));
    const auto id = id_of(boost::json::parse(events_of(stream.body).front()));
    const auto shown = json_of(session.get("/v1/chat/completions/" + id));
    EXPECT_EQ(shown.at_pointer("/choices/0/message/content"), "Hello.");
    EXPECT_EQ(shown.at_pointer("/usage/total_tokens"), 8);
}

TEST(KeptChat, IsNotKeptUnlessAskedFor) {
    Session session;
    const auto made = json_of(session.post("/v1/chat/completions",
                                           R"({"model": "talker", "messages": [{"role": "user", "content": "hi"}]})"));
    EXPECT_EQ(session.get("/v1/chat/completions/" + id_of(made)).status, 404);
    Session without({.keeps = false});
    const auto refused = without.post("/v1/chat/completions", body(""));
    EXPECT_EQ(refused.status, 400);
    EXPECT_EQ(json_of(refused).at_pointer("/error/param"), "store");
    EXPECT_THAT(ids_of(json_of(without.get("/v1/chat/completions"))), IsEmpty());
}

TEST(KeptChat, IsListedByMetadataAndPageByPage) {
    Session session;
    std::vector<std::string> ids;
    for (const char* topic : {"a", "b", "a"})
        ids.push_back(id_of(json_of(session.post(
            "/v1/chat/completions", body(std::string(R"(, "metadata": {"topic": ")") + topic + R"("})")))));
    const auto all = json_of(session.get("/v1/chat/completions"));
    EXPECT_THAT(schema::validate<CompletionList>(all), IsEmpty());
    EXPECT_EQ(ids_of(all), ids);
    EXPECT_THAT(ids_of(json_of(session.get("/v1/chat/completions?metadata[topic]=a"))), ElementsAre(ids[0], ids[2]));
    EXPECT_THAT(ids_of(json_of(session.get("/v1/chat/completions?order=desc&limit=1"))), ElementsAre(ids[2]));
    const auto rest = json_of(session.get("/v1/chat/completions?after=" + ids[0] + "&limit=1"));
    EXPECT_THAT(ids_of(rest), ElementsAre(ids[1]));
    EXPECT_TRUE(rest.at("has_more").as_bool());
    EXPECT_THAT(ids_of(json_of(session.get("/v1/chat/completions?model=other"))), IsEmpty());
    EXPECT_EQ(session.get("/v1/chat/completions?after=nothing").status, 400);
    EXPECT_THAT(ids_of(json_of(session.get("/v1/chat/completions", "another"))), IsEmpty());
}

TEST(KeptChat, TellsItsMessages) {
    Session session;
    const auto id = id_of(json_of(session.post("/v1/chat/completions", body(""))));
    const auto list = json_of(session.get("/v1/chat/completions/" + id + "/messages"));
    EXPECT_THAT(schema::validate<MessageList>(list), IsEmpty());
    EXPECT_THAT(ids_of(list), ElementsAre(id + "-0", id + "-1"));
    EXPECT_EQ(list.at_pointer("/data/0/content"), "S");
    EXPECT_EQ(list.at_pointer("/data/1/content"), "ab");
    EXPECT_EQ(list.at_pointer("/data/1/content_parts/1/text"), "b");
    const auto last = json_of(session.get("/v1/chat/completions/" + id + "/messages?order=desc&limit=1"));
    EXPECT_THAT(ids_of(last), ElementsAre(id + "-1"));
    EXPECT_TRUE(last.at("has_more").as_bool());
    EXPECT_EQ(session.get("/v1/chat/completions/" + id + "/messages?after=x").status, 400);
    EXPECT_EQ(session.get("/v1/chat/completions/" + id + "/messages", "another").status, 404);
}

TEST(KeptChat, IsChangedAndDeleted) {
    Session session;
    const auto id = id_of(json_of(session.post("/v1/chat/completions", body(""))));
    const std::string path = "/v1/chat/completions/" + id;
    EXPECT_EQ(session.post(path, R"({"metadata": {"a": "b"}})", "another").status, 404);
    EXPECT_EQ(json_of(session.post(path, R"({"metadata": {"a": "b"}})")).at_pointer("/metadata/a"), "b");
    EXPECT_EQ(json_of(session.get(path)).at_pointer("/metadata/a"), "b");
    EXPECT_EQ(session.post(path, R"({"metadata": {"": "b"}})").status, 400);
    EXPECT_EQ(session.post(path, "{}").status, 400);
    EXPECT_EQ(session.remove(path, "another").status, 404);
    EXPECT_THAT(schema::validate<DeletedCompletion>(json_of(session.remove(path))), IsEmpty());
    EXPECT_EQ(session.get(path).status, 404);
}

}  // namespace
}  // namespace gateway::api::chat
