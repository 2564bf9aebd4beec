#include "gateway/api/query.hpp"

#include <gmock/gmock.h>

namespace gateway::api {
namespace {

struct Sample {
    std::optional<std::int64_t> limit;
    std::optional<bool> stream;
    std::optional<std::string> after;
    std::optional<std::vector<std::string>> include;
    std::optional<std::map<std::string, std::string>> metadata;
};

const schema::Object<Sample>& describe(schema::Type<Sample>) {
    static const auto table = schema::Object<Sample>("", "")
                                  .field("limit", &Sample::limit, {.doc = "How many.", .minimum = 1})
                                  .field("stream", &Sample::stream)
                                  .field("after", &Sample::after)
                                  .field("include", &Sample::include)
                                  .field("metadata", &Sample::metadata);
    return table;
}

boost::json::value object_of(std::string_view query) {
    auto object = query_object(query, describe(schema::Type<Sample>{}));
    return object ? boost::json::value(*object) : boost::json::value("faults");
}

TEST(Query, BecomesWhatTheTableWants) {
    const auto object = object_of("limit=2&stream=true&after=5&include[]=a&include[]=b%20c&metadata[k+l]=v%3D1&&x");
    EXPECT_EQ(object.at("limit"), 2);
    EXPECT_EQ(object.at("stream"), true);
    EXPECT_EQ(object.at("after"), "5") << "a text stays one";
    EXPECT_EQ(object.at("include"), (boost::json::array{"a", "b c"}));
    EXPECT_EQ(object.at("metadata").at("k l"), "v=1");
    EXPECT_EQ(object.at("x"), "");
    EXPECT_EQ(object_of("include=a&include=b").at("include"), (boost::json::array{"a", "b"}));
    EXPECT_EQ(object_of(""), boost::json::object{});
}

TEST(Query, LeavesComplaintsToTheTable) {
    EXPECT_EQ(object_of("limit=many").at("limit"), "many");
    EXPECT_EQ(object_of("limit=99999999999999999999").at("limit"), "99999999999999999999");
    EXPECT_EQ(object_of("limit[a]=1").at("limit[a]"), "1");
}

TEST(Query, RefusesWhatTwoReadersWouldReadDifferently) {
    EXPECT_EQ(object_of("limit=1&limit=2"), "faults");
    EXPECT_EQ(object_of("after=%zz"), "faults");
    EXPECT_EQ(object_of("after=%ff"), "faults");
}

TEST(Query, IsDocumentedParameterByParameter) {
    schema::Components components;
    const auto parameters = document_query(describe(schema::Type<Sample>{}), components);
    ASSERT_EQ(parameters.size(), 5U);
    EXPECT_EQ(parameters[0].at("name"), "limit");
    EXPECT_EQ(parameters[0].at("in"), "query");
    EXPECT_EQ(parameters[0].at("description"), "How many.");
    EXPECT_EQ(parameters[4].at("style"), "deepObject");
}

}  // namespace
}  // namespace gateway::api
