#include "schema/units.hpp"

#include "schema/schema.hpp"

#include <gtest/gtest.h>

namespace schema {
namespace {

using namespace std::chrono_literals;

TEST(Duration, IsReadWithItsUnits) {
    const std::pair<std::string_view, std::chrono::nanoseconds> cases[] = {
        {"30s", 30s}, {"250ms", 250ms}, {"1.5s", 1500ms}, {"10m", 10min}, {"1h30m", 90min},
        {"2h", 2h},   {"0", 0s},        {"5us", 5us},     {"7ns", 7ns},   {"1m5s", 65s}};
    for (const auto& [text, expected] : cases) {
        const auto duration = parse_duration(text);
        ASSERT_TRUE(duration) << text;
        EXPECT_EQ(*duration, expected) << text;
    }
}

TEST(Duration, WithoutAUnitOrWithASignIsRefused) {
    for (const auto text : {"", "30", "s", "-1s", "1d", "1s2", "inf s", "nan", "1e3s", "999999999999h", "1s "})
        EXPECT_FALSE(parse_duration(text)) << text;
    EXPECT_EQ(parse_duration("30").error(),
              R"(must be a duration with a unit, such as "250ms", "30s", "10m" or "1h30m", not "30")");
}

TEST(Duration, IsWrittenSoThatItReadsBack) {
    for (const auto duration : {0ns, 1ns, 1500000000ns, 90000000000ns, 3600000000001ns, 86400000000000ns})
        EXPECT_EQ(parse_duration(to_text(duration)), duration) << to_text(duration);
    EXPECT_EQ(to_text(90min), "1h30m");
}

TEST(Bytes, AreReadWithTheirUnits) {
    const std::pair<std::string_view, Bytes> cases[] = {{"0", {0}},
                                                        {"7B", {7}},
                                                        {"32MiB", {32 << 20}},
                                                        {"4GB", {4'000'000'000}},
                                                        {"1.5KiB", {1536}},
                                                        {"2 TiB", {std::uint64_t{2} << 40}}};
    for (const auto& [text, expected] : cases)
        EXPECT_EQ(parse_bytes(text), expected) << text;
    for (const auto text : {"", "32", "MiB", "-1MiB", "1MiBx", "1XB", "99999999999999TB"})
        EXPECT_FALSE(parse_bytes(text)) << text;
}

TEST(Bytes, AreWrittenInTheLargestUnitThatFits) {
    EXPECT_EQ(to_text(mebibytes(32)), "32MiB");
    EXPECT_EQ(to_text(Bytes{4'000'000'000}), "4GB");
    EXPECT_EQ(to_text(Bytes{1001}), "1001B");
    EXPECT_EQ(to_text(Bytes{0}), "0B");
}

struct Limits {
    std::chrono::milliseconds timeout = 30s;
    Bytes body = mebibytes(1);
    Secret key;
    std::filesystem::path file;
};

const Object<Limits>& describe(Type<Limits>) {
    static const auto table = Object<Limits>("", "")
                                  .field("timeout", &Limits::timeout, {.minimum = 1, .maximum = 3600})
                                  .field("body", &Limits::body, {.maximum = 1 << 30})
                                  .field("key", &Limits::key, {.min_length = 8})
                                  .field("file", &Limits::file);
    return table;
}

TEST(Units, AreFieldsWithLimitsInBaseUnits) {
    const auto limits = parse<Limits>(R"({"timeout": "5m", "body": "2KiB", "file": "/a/b"})");
    ASSERT_TRUE(limits);
    EXPECT_EQ(limits->value.timeout, 5min);
    EXPECT_EQ(limits->value.body, kibibytes(2));
    EXPECT_EQ(limits->value.file, "/a/b");
    EXPECT_EQ(parse<Limits>(R"({"timeout": "2h"})").error()[0].message, R"(must be between 1s and 1h, not "2h")");
    EXPECT_EQ(parse<Limits>(R"({"timeout": 30})").error()[0].message,
              R"(must be a duration with a unit, such as "250ms", "30s", "10m" or "1h30m", not 30)");
}

TEST(Secret, IsNeverShown) {
    const auto limits = parse<Limits>(R"({"key": "hunter22hunter22"})");
    ASSERT_TRUE(limits);
    EXPECT_EQ(limits->value.key.reveal(), "hunter22hunter22");
    EXPECT_EQ(to_text(limits->value), R"({"timeout":"30s","body":"1MiB","key":"***","file":""})");
    for (const auto text : {R"({"key": "hunter2"})", R"({"key": ["hunter2"]})", R"({"key": 4242})"}) {
        const auto refused = parse<Limits>(text);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error()[0].message.find("hunter"), std::string::npos);
        EXPECT_EQ(refused.error()[0].message.find("4242"), std::string::npos);
    }
}

}  // namespace
}  // namespace schema
