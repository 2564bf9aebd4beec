#include "schema/sample.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace schema {
namespace {

using Tokens = std::variant<std::string, std::vector<std::string>, std::vector<std::int32_t>,
                            std::vector<std::vector<std::int32_t>>>;

std::size_t chosen(std::string_view text) {
    return parse<Tokens>(text).value().value.index();
}

TEST(OneOf, IsToldApartByJsonType) {
    EXPECT_EQ(chosen(R"("x")"), 0u);
    EXPECT_EQ(chosen(R"(["x"])"), 1u);
}

TEST(OneOf, OfListsTheFirstThatFitsIsTaken) {
    EXPECT_EQ(chosen("[]"), 1u);
    EXPECT_EQ(chosen("[1, 2]"), 2u);
    EXPECT_EQ(chosen("[[1], [2, 3]]"), 3u);
}

TEST(OneOf, WhenNothingFitsTheNearestAlternativeComplains) {
    const auto parsed = parse<Tokens>(R"([1, 2, 3, "x"])");
    ASSERT_FALSE(parsed);
    ASSERT_EQ(parsed.error().size(), 1u);
    EXPECT_EQ(to_string(parsed.error()[0]), R"([3]: must be an integer, not "x")");
}

TEST(OneOf, IsWrittenAsTheAlternativeItHolds) {
    EXPECT_EQ(write_json(to_json(Tokens(std::vector<std::int32_t>{1, 2}))), "[1,2]");
    EXPECT_EQ(write_json(to_json(sample::Part(sample::TextPart{.text = "a"}))), R"({"type":"text","text":"a"})");
}

TEST(OneOf, ObjectsAreToldApartByTheirConstant) {
    const auto parsed = parse<sample::Part>(R"({"url": "u", "type": "image_url"})");
    ASSERT_TRUE(parsed);
    EXPECT_EQ(std::get<sample::ImagePart>(parsed->value).url, "u");
}

TEST(OneOf, ATagOfAnotherTypeIsAFault) {
    const auto parsed = parse<sample::Part>(R"({"type": {"type": "text"}})");
    ASSERT_FALSE(parsed);
    EXPECT_EQ(to_string(parsed.error()[0]), R"(type: must be one of "text" or "image_url", not an object)");
}

}  // namespace
}  // namespace schema
