#include "schema/sample.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/json/array.hpp>

namespace schema {
namespace {

/// The schema of `property` of a sample request.
std::string property(std::string_view type, std::string_view name) {
    Components components;
    document<sample::Request>(components);
    const auto schemas = components.schemas();
    return write_json(schemas.at(type).at("properties").at(name));
}

TEST(Document, NamesTypesOnceAndSorted) {
    Components components;
    EXPECT_EQ(write_json(document<sample::Request>(components)), R"({"$ref":"#/components/schemas/Request"})");
    std::vector<std::string> names;
    for (const auto& pair : components.schemas())
        names.emplace_back(pair.key());
    EXPECT_THAT(names, testing::ElementsAre("Filter", "ImagePart", "Message", "Request", "TextPart"));
}

TEST(Document, SaysRangesDefaultsAndWords) {
    EXPECT_EQ(property("Request", "temperature"),
              R"({"type":["number","null"],"minimum":0,"maximum":2,"description":"How free.","default":1})");
    EXPECT_EQ(property("Request", "n"), R"({"type":["integer","null"],"minimum":1,"maximum":8,"default":1})");
    EXPECT_EQ(property("Request", "threads"),
              R"({"type":["integer","null"],"minimum":0,"maximum":4294967295,"default":2})");
    EXPECT_EQ(property("Request", "seed"), R"({"type":["integer","null"],"minimum":0,"maximum":18446744073709551615})");
    EXPECT_EQ(property("Request", "model"),
              R"({"type":"string","minLength":1,"description":"Which.","examples":["tiny"]})");
    EXPECT_EQ(property("Request", "size"), R"({"type":["string","null"],"pattern":"^[0-9]+x[0-9]+$"})");
    EXPECT_EQ(property("Request", "stop"),
              R"({"type":["array","null"],"items":{"type":"string","maxLength":6},"maxItems":4})");
    EXPECT_EQ(property("Request", "user"),
              R"({"type":["string","null"],"description":"Who asks. Accepted without effect.","deprecated":true})");
    EXPECT_EQ(property("Request", "format"), "{}");
    EXPECT_EQ(property("Message", "role"),
              R"({"type":"string","enum":["system","user","assistant"],"description":"Who speaks."})");
}

TEST(Document, SaysOneOfWithItsDiscriminator) {
    EXPECT_EQ(property("Message", "content"),
              R"({"anyOf":[{"oneOf":[{"type":"string"},{"type":"array","items":{"oneOf":[)"
              R"({"$ref":"#/components/schemas/TextPart"},{"$ref":"#/components/schemas/ImagePart"}],)"
              R"("discriminator":{"propertyName":"type","mapping":{"text":"#/components/schemas/TextPart",)"
              R"("image_url":"#/components/schemas/ImagePart"}}},"maxItems":4}]},{"type":"null"}]})");
    EXPECT_EQ(property("TextPart", "type"), R"({"const":"text"})");
}

TEST(Document, ATypeMayContainItself) {
    EXPECT_EQ(property("Filter", "any_of"),
              R"({"type":["array","null"],"items":{"$ref":"#/components/schemas/Filter"},"maxItems":3})");
}

TEST(Document, CanStandAloneWithItsOwnPrefix) {
    Components components("#/$defs/");
    EXPECT_EQ(write_json(document<sample::Filter>(components)), R"({"$ref":"#/$defs/Filter"})");
}

struct Impostor {};
const Object<Impostor>& describe(Type<Impostor>) {
    static const auto table = Object<Impostor>("Filter", "");
    return table;
}

TEST(Document, TwoTypesOfOneNameAreABug) {
    Components components;
    document<sample::Filter>(components);
    EXPECT_THROW(document<Impostor>(components), std::logic_error);
}

TEST(Document, WrittenEmptyOptionalsAreLeftOutUnlessRequired) {
    EXPECT_EQ(to_text(sample::Message{.role = sample::Role::assistant, .content = {}, .name = {}}),
              R"({"role":"assistant","content":null})");
}

}  // namespace
}  // namespace schema
