/// The promise of this folder: what is documented is what is accepted. A stranger's validator reads the published
/// schema, and has to give the same verdict as the parser, on good and on damaged values.

#include "schema/json_schema_check.hpp"
#include "schema/sample.hpp"

#include <gtest/gtest.h>
#include <array>
#include <boost/json/array.hpp>

namespace schema {
namespace {

/// Replaces, removes or adds something in a random place.
void damage(Value& value, std::mt19937& random) {
    static const std::array<Value, 18> others{-9223372036854775807,
                                              18446744073709551615U,
                                              1.8446744073709552e19,
                                              -1e300,
                                              nullptr,
                                              true,
                                              0,
                                              -1,
                                              3.5,
                                              7,
                                              2.0,
                                              "",
                                              "auto",
                                              "user",
                                              "a long string, longer than most may be",
                                              boost::json::array{},
                                              boost::json::object{},
                                              Value{{"type", "text"}, {"text", "t"}}};
    const auto other = [&] { return others[random() % others.size()]; };
    if (value.is_object() && !value.get_object().empty() && random() % 5 != 0) {
        auto& object = value.get_object();
        auto member = object.begin() + static_cast<std::ptrdiff_t>(random() % object.size());
        if (random() % 6 == 0)
            object.erase(member);
        else if (random() % 10 == 0)
            object["extra"] = other();
        else
            damage(member->value(), random);
    } else if (value.is_array() && !value.get_array().empty() && random() % 5 != 0) {
        auto& array = value.get_array();
        if (random() % 6 == 0)
            array.resize(array.size() + random() % 6, Value(array[random() % array.size()]));
        else
            damage(array[random() % array.size()], random);
    } else {
        value = other();
    }
}

TEST(Agreement, ParserAndPublishedSchemaGiveTheSameVerdict) {
    Components components;
    const auto schema = document<sample::Request>(components);
    const auto definitions = components.schemas();
    std::mt19937 random(4711);
    int accepted = 0, refused = 0;
    for (int i = 0; i < 6000; ++i) {
        Value value = to_json(sample::random_request(random));
        for (auto n = random() % 4; n > 0; --n)
            damage(value, random);
        const auto parsed = parse_value<sample::Request>(value);
        ++(parsed ? accepted : refused);
        ASSERT_EQ(parsed.has_value(), obeys(value, schema, definitions))
            << write_json(value) << "\n"
            << (parsed ? "accepted by the parser" : to_error(parsed.error()).message);
    }
    // Both verdicts must have been tried in earnest.
    EXPECT_GT(accepted, 1000);
    EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace schema
