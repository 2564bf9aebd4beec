// Bodies that are not what they should be: hundreds of them, each refused by a 4xx in the client's form, or good after
// all.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <random>

#include <gmock/gmock.h>

#include "gateway/api/error_body.hpp"
#include "gateway/api/examples.hpp"
#include "gateway/api/messages/answer.hpp"
#include "gateway/api/messages/examples.hpp"
#include "gateway/api/test_support.hpp"
#include "schema/schema.hpp"

namespace gateway::api {
namespace {

using namespace test;
using boost::json::value;

/// Every place of a document, as a pointer to it.
void collect(value& document, std::vector<value*>& places) {
    places.push_back(&document);
    if (document.is_object())
        for (auto& entry : document.as_object())
            collect(entry.value(), places);
    if (document.is_array())
        for (auto& element : document.as_array())
            collect(element, places);
}

value wrong_value(std::mt19937& random) {
    const value choices[] = {nullptr,
                             true,
                             -1,
                             0,
                             1e300,
                             std::int64_t{1} << 60,
                             "",
                             boost::json::string(3000, 'x'),
                             boost::json::array{},
                             boost::json::object{},
                             boost::json::array{boost::json::array{}},
                             boost::json::array{nullptr},
                             boost::json::object{{"a", boost::json::object{}}},
                             "\x01",
                             "2",
                             boost::json::array{1, "a"}};
    return choices[random() % std::size(choices)];
}

std::string spoiled(value document, std::mt19937& random) {
    for (auto rounds = 1 + random() % 3; rounds > 0; --rounds) {
        std::vector<value*> places;
        collect(document, places);
        *places[random() % places.size()] = wrong_value(random);
    }
    std::string text = schema::write_json(document);
    if (random() % 3 == 0)
        for (auto rounds = 1 + random() % 4; rounds > 0; --rounds)
            text[random() % text.size()] = static_cast<char>(random());
    return text;
}

template <typename Body = ErrorBody>
void expect_refused_or_answered(const Asked& asked, const std::string& body, int& refused) {
    if (asked.answer.status == 200)
        return;
    ++refused;
    EXPECT_GE(asked.answer.status, 400) << body;
    EXPECT_LT(asked.answer.status, 500) << body << asked.answer.body;
    EXPECT_THAT(schema::validate<Body>(boost::json::parse(asked.answer.body)), testing::IsEmpty()) << body;
}

TEST(Malformed, HundredsOfBodiesGiveOnly4xx) {
    std::mt19937 random(2024);
    int refused = 0;
    Examples requests = chat_examples();
    for (auto& [name, request] : requests)
        request.as_object()["model"] = "talker";
    for (int i = 0; i < 300; ++i) {
        const auto body = spoiled(requests[static_cast<std::size_t>(i) % requests.size()].second, random);
        expect_refused_or_answered(ask_chat(body), body, refused);
    }
    const Examples pictures = image_examples();
    for (int i = 0; i < 100; ++i) {
        const auto body = spoiled(pictures[static_cast<std::size_t>(i) % pictures.size()].second, random);
        expect_refused_or_answered(ask_images(body), body, refused);
    }
    Examples conversations = messages::examples();
    for (auto& [name, request] : conversations)
        request.as_object()["model"] = "talker";
    for (int i = 0; i < 100; ++i) {
        const auto body = spoiled(conversations[static_cast<std::size_t>(i) % conversations.size()].second, random);
        expect_refused_or_answered<messages::ErrorBody>(ask_messages(body), body, refused);
    }
    EXPECT_GT(refused, 300);
}

TEST(Malformed, BodiesThatAreNoRequestAtAll) {
    int refused = 0;
    int asked = 0;
    for (const std::string& body :
         {std::string(), std::string("{"), std::string("[]"), std::string("null"), std::string("\xff\xfe"),
          std::string("\"text\""), std::string("{}{}"), std::string(5000, '['), std::string(64, '\0'),
          std::string(R"({"messages": [], "messages": []})"), std::string(R"({"model": "\ud800"})")}) {
        expect_refused_or_answered(ask_chat(body), body, refused);
        expect_refused_or_answered(ask_images(body), body, refused);
        expect_refused_or_answered<messages::ErrorBody>(ask_messages(body), body, refused);
        asked += 3;
    }
    EXPECT_EQ(refused, asked);
}

}  // namespace
}  // namespace gateway::api
