#include "schema/sample.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace schema {
namespace {

using sample::Request;
using testing::ElementsAre;

/// A good request but for `fields`, which come first.
std::string body(std::string_view fields) {
    return std::string("{") + std::string(fields) +
           R"(, "model": "m", "messages": [{"role": "user", "content": "x"}]})";
}

std::vector<std::string> lines(const Faults& faults) {
    std::vector<std::string> result;
    for (const Fault& fault : faults)
        result.push_back(to_string(fault));
    return result;
}

struct Bad {
    std::string fields;
    FaultKind kind;
    std::string line;
};

void PrintTo(const Bad& bad, std::ostream* out) {
    *out << bad.fields;
}

class ParseRefuses : public testing::TestWithParam<Bad> {};

TEST_P(ParseRefuses, WithOneFaultThatSaysWhereAndWhy) {
    const auto parsed = parse<Request>(body(GetParam().fields));
    ASSERT_FALSE(parsed);
    EXPECT_THAT(lines(parsed.error()), ElementsAre(GetParam().line));
    EXPECT_EQ(parsed.error()[0].kind, GetParam().kind);
}

INSTANTIATE_TEST_SUITE_P(
    Fields, ParseRefuses,
    testing::Values(
        Bad{R"("temperature": 7)", FaultKind::out_of_range, "temperature: must be between 0 and 2, not 7"},
        Bad{R"("temperature": -0.5)", FaultKind::out_of_range, "temperature: must be between 0 and 2, not -0.5"},
        Bad{R"("temperature": "hot")", FaultKind::wrong_type, R"(temperature: must be a number, not a string ("hot"))"},
        Bad{R"("temperature": 1e999)", FaultKind::out_of_range,
            "temperature: must be between 0 and 2, not a number that is too large"},
        Bad{R"("top_p": 0)", FaultKind::out_of_range, "top_p: must be more than 0 and at most 1, not 0"},
        Bad{R"("n": 0)", FaultKind::out_of_range, "n: must be between 1 and 8, not 0"},
        Bad{R"("n": 1.5)", FaultKind::wrong_type, "n: must be an integer, not 1.5"},
        Bad{R"("n": "1")", FaultKind::wrong_type, R"(n: must be an integer, not "1")"},
        Bad{R"("n": [1])", FaultKind::wrong_type, "n: must be an integer, not an array"},
        Bad{R"("seed": -1)", FaultKind::out_of_range, "seed: must be between 0 and 18446744073709551615, not -1"},
        Bad{R"("seed": 18446744073709551616)", FaultKind::out_of_range,
            "seed: must be between 0 and 18446744073709551615, not 1.8446744073709552e+19"},
        Bad{R"("threads": 4294967296)", FaultKind::out_of_range,
            "threads: must be between 0 and 4294967295, not 4294967296"},
        Bad{R"("offset": 9223372036854775808)", FaultKind::out_of_range,
            "offset: must be between -9223372036854775808 and 9223372036854775807, not 9223372036854775808"},
        Bad{R"("stream": 1)", FaultKind::wrong_type, "stream: must be a boolean, not a number (1)"},
        Bad{R"("stop": "x")", FaultKind::wrong_type, R"(stop: must be an array, not a string ("x"))"},
        Bad{R"("stop": ["a", "too long"])", FaultKind::out_of_range, "stop[1]: must have at most 6 characters, not 8"},
        Bad{R"("stop": ["1", "2", "3", "4", "5"])", FaultKind::out_of_range, "stop: must have at most 4 items, not 5"},
        Bad{R"("size": "big")", FaultKind::not_allowed, R"(size: must match ^[0-9]+x[0-9]+$, not "big")"},
        Bad{R"("logit_bias": {"7": 101})", FaultKind::out_of_range,
            "logit_bias.7: must be between -100 and 100, not 101"},
        Bad{R"("logit_bias": [])", FaultKind::wrong_type, "logit_bias: must be an object, not an array"},
        Bad{R"("tool_choice": "sometimes")", FaultKind::not_allowed,
            R"(tool_choice: must be one of "none", "auto" or "required", not "sometimes")"},
        Bad{R"("tool_choice": 3)", FaultKind::wrong_type,
            "tool_choice: must be a string or an object, not a number (3)"},
        Bad{R"("tool_choice": {"type": "function", "name": ""})", FaultKind::out_of_range,
            "tool_choice.name: must have at least 1 character, not 0"},
        Bad{R"("tool_choice": {"type": "tool", "name": "x"})", FaultKind::not_allowed,
            R"(tool_choice.type: must be "function", not "tool")"},
        Bad{R"("metadata": {"a": 1, "b": 2, "c": 3})", FaultKind::out_of_range,
            "metadata: must have at most 2 items, not 3"},
        Bad{R"("filter": {"key": "a", "any_of": [{"key": "b", "any_of": [{}]}]})", FaultKind::missing,
            "filter.any_of[0].any_of[0].key: is required"},
        Bad{R"("user": 7)", FaultKind::wrong_type, "user: must be a string, not a number (7)"}));

TEST(Parse, ListsEveryFaultOfABodyTogether) {
    const auto parsed = parse<Request>(R"({
        "temperature": 9, "n": "many", "size": "large", "stop": ["a", 1],
        "messages": [{"role": "user", "content": [{"type": "text"}, {"type": "sound"}, {"text": "x"}]},
                     {"role": "root", "content": 5}]})");
    ASSERT_FALSE(parsed);
    EXPECT_THAT(lines(parsed.error()),
                ElementsAre("model: is required",                                                                 //
                            "messages[0].content[0].text: is required",                                           //
                            R"(messages[0].content[1].type: must be one of "text" or "image_url", not "sound")",  //
                            R"(messages[0].content[2].type: is required: one of "text" or "image_url")",          //
                            R"(messages[1].role: must be one of "system", "user" or "assistant", not "root")",    //
                            "messages[1].content: must be a string or an array, not a number (5)",                //
                            "temperature: must be between 0 and 2, not 9",                                        //
                            R"(n: must be an integer, not "many")",                                               //
                            "stop[1]: must be a string, not a number (1)",                                        //
                            R"(size: must match ^[0-9]+x[0-9]+$, not "large")"));
    const base::Error error = to_error(parsed.error());
    EXPECT_EQ(error.code, base::ErrorCode::invalid);
    EXPECT_EQ(error.param, "model");
    EXPECT_THAT(error.message, testing::StartsWith("10 faults: model: is required; messages[0].content[0].text: is"));
}

TEST(Parse, ReadsEveryKindOfField) {
    const auto parsed = parse<Request>(sample::valid_body);
    ASSERT_TRUE(parsed) << to_error(parsed.error()).message;
    const Request& request = parsed->value;
    EXPECT_EQ(request.model.value(), "tiny");
    EXPECT_EQ(std::get<1>(*request.messages[0].content)[1], sample::Part(sample::ImagePart{"http://x/y", {}}));
    EXPECT_EQ(request.sampling.temperature, 0.5);
    EXPECT_EQ(request.seed, 18446744073709551615u);
    EXPECT_EQ(request.logit_bias.at("50256"), -100);
    EXPECT_EQ(std::get<sample::NamedTool>(*request.tool_choice).name, "f");
    EXPECT_EQ(std::get<1>(request.input), (std::vector<std::int32_t>{1, 2, 3}));
    EXPECT_EQ(request.filter->any_of[0].key, "l");
    EXPECT_THAT(parsed->ignored, ElementsAre("user"));
}

TEST(Parse, KeepsTheInitialValueOfWhatIsAbsentOrNull) {
    const auto parsed = parse<Request>(body(R"("temperature": null, "n": null, "seed": null, "stop": null)"));
    ASSERT_TRUE(parsed) << to_error(parsed.error()).message;
    EXPECT_EQ(parsed->value.sampling.temperature, 1.0);
    EXPECT_EQ(parsed->value.n, 1);
    EXPECT_EQ(parsed->value.threads, 2u);
    EXPECT_FALSE(parsed->value.seed);
}

TEST(Parse, ARequiredFieldCanBeNullOnlyWhenItIsOptional) {
    EXPECT_TRUE(parse<sample::Message>(R"({"role": "assistant", "content": null})"));
    EXPECT_THAT(
        lines(parse<sample::Message>(R"({"role": null})").error()),
        ElementsAre(R"(role: must be one of "system", "user" or "assistant", not null)", "content: is required"));
}

TEST(Parse, TakesAnIntegerWrittenWithAPoint) {
    const auto parsed = parse<Request>(body(R"("n": 3.0, "seed": 1e3)"));
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->value.n, 3);
    EXPECT_EQ(parsed->value.seed, 1000u);
}

TEST(Parse, RefusesIntegersJustBeyondWhatTheTypeHolds) {
    const auto taken = [](const char* text) { return parse_value<std::int64_t>(*read_json(text)).has_value(); };
    EXPECT_TRUE(taken("-9223372036854775808"));
    EXPECT_FALSE(taken("-9223372036854775809")) << "as a double it is the least number";
    EXPECT_TRUE(taken("9223372036854775807"));
    EXPECT_FALSE(taken("9223372036854775808"));
}

TEST(Parse, CountsCharactersNotBytes) {
    EXPECT_TRUE(parse<Request>(body(R"("stop": ["ééé😀😀😀"])")));
    EXPECT_FALSE(parse<Request>(body(R"("stop": ["ééé😀😀😀😀"])")));
}

TEST(Parse, ReportsUnknownFieldsWithTheirPaths) {
    const auto parsed = parse<Request>(body(R"("tempersture": 1, "filter": {"key": "k", "odd key": {"x": 1}})"));
    ASSERT_TRUE(parsed);
    EXPECT_THAT(parsed->unknown, ElementsAre(R"(filter["odd key"])", "tempersture"));
}

TEST(Parse, RefusesUnknownFieldsWithTheNearestNameWhenAsked) {
    const auto parsed = parse<Request>(body(R"("tempersture": 1, "zzzzzz": 2, "filter": {"kye": "k", "key": "k"})"),
                                       {.unknown = Unknown::refuse});
    ASSERT_FALSE(parsed);
    const auto found = lines(parsed.error());
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[0], R"(filter.kye: is not known here; did you mean "key"?)");
    EXPECT_EQ(found[1], R"(tempersture: is not known here; did you mean "temperature"?)");
    EXPECT_THAT(found[2], testing::StartsWith(R"(zzzzzz: is not known here; there is "model", "messages",)"));
}

TEST(Parse, StopsListingAfterTheLimit) {
    std::string list = "[0";
    for (int i = 0; i < 5000; ++i)
        list += R"(,"x")";
    const auto parsed = parse<std::vector<std::int32_t>>(list + "]");
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().size(), 101u);
    EXPECT_EQ(parsed.error().back().message, "has more faults than are listed");
}

TEST(Parse, ShortensWhatWasGivenWithoutCuttingACharacter) {
    const auto parsed =
        parse<Request>(body(R"("size": ")" + std::string(39, 'a') + "éé" + std::string(500, 'b') + "\""));
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error()[0].message, R"(must match ^[0-9]+x[0-9]+$, not ")" + std::string(39, 'a') + "é…\"");
}

TEST(Parse, ALongStringDoesNotReachTheMatcher) {
    const auto parsed = parse<Request>(body(R"("size": ")" + std::string(1'000'000, '1') + "\""));
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error()[0].kind, FaultKind::not_allowed);
}

struct Range {
    std::int32_t from = 0;
    std::int32_t to = 0;
};

const Object<Range>& describe(Type<Range>) {
    static const auto table = Object<Range>("Range", "")
                                  .field("from", &Range::from, {},
                                         [](const std::int32_t& value) -> std::optional<std::string> {
                                             if (value % 8 != 0)
                                                 return "must be a multiple of 8";
                                             return std::nullopt;
                                         })
                                  .field("to", &Range::to, {.maximum = 100})
                                  .check([](const Range& range, const Reading& reading) {
                                      if (range.from > range.to)
                                          reading.at("to").fault(FaultKind::rule, "must not be less than from");
                                  });
    return table;
}

TEST(Parse, AFieldCanHaveACheckOfItsOwn) {
    EXPECT_THAT(lines(parse<Range>(R"({"from": 9, "to": 50})").error()), ElementsAre("from: must be a multiple of 8"));
    EXPECT_TRUE(parse<Range>(R"({"from": 16, "to": 50})"));
}

TEST(Parse, ChecksTheWholeObjectOnceItsFieldsAreFine) {
    EXPECT_THAT(lines(parse<Range>(R"({"from": 8, "to": 1})").error()), ElementsAre("to: must not be less than from"));
    EXPECT_THAT(lines(parse<Range>(R"({"from": 999999, "to": 101})").error()),
                ElementsAre("from: must be a multiple of 8", "to: must be at most 100, not 101"));
    EXPECT_THAT(lines(parse<std::vector<Range>>(R"([{}, {"from": 8}])").error()),
                ElementsAre("[1].to: must not be less than from"));
}

}  // namespace
}  // namespace schema
