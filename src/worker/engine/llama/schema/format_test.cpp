#include "worker/engine/llama/schema/format.hpp"

#include <gtest/gtest.h>

#include <string>

#include "worker/engine/llama/schema/texts.hpp"

namespace worker::engine::llama::schema {
namespace {

bool fits(const std::string& format, const std::string& text) {
    Texts texts;
    const auto expression = texts.of_format(format);
    const auto* language = expression ? texts.language(*expression) : nullptr;
    EXPECT_NE(language, nullptr) << format;
    return language != nullptr && language->contains(characters_of(text));
}

TEST(Format, Dates) {
    EXPECT_TRUE(fits("date", "2024-02-29"));
    EXPECT_TRUE(fits("date", "2000-02-29"));
    EXPECT_FALSE(fits("date", "2023-02-29"));
    EXPECT_FALSE(fits("date", "1900-02-29"));
    EXPECT_FALSE(fits("date", "2023-04-31"));
    EXPECT_FALSE(fits("date", "0000-01-01"));
    EXPECT_TRUE(fits("time", "23:59:59Z"));
    EXPECT_TRUE(fits("time", "00:00:00.25+01:00"));
    EXPECT_FALSE(fits("time", "24:00:00Z"));
    EXPECT_TRUE(fits("date-time", "2023-10-01T12:30:00Z"));
    EXPECT_FALSE(fits("date-time", "2023-10-01 12:30:00"));
    EXPECT_TRUE(fits("duration", "P3DT4H"));
    EXPECT_TRUE(fits("duration", "PT5M"));
    EXPECT_FALSE(fits("duration", "P"));
    EXPECT_FALSE(fits("duration", "P1DT"));
    EXPECT_FALSE(fits("duration", "P1Y2D"));
}

TEST(Format, Addresses) {
    EXPECT_TRUE(fits("email", "a.person+tag@mail.example.org"));
    EXPECT_FALSE(fits("email", "nobody"));
    EXPECT_FALSE(fits("email", "a@b@c.de"));
    EXPECT_TRUE(fits("hostname", "www.example.org"));
    EXPECT_FALSE(fits("hostname", "-x.org"));
    EXPECT_TRUE(fits("ipv4", "192.168.0.255"));
    EXPECT_FALSE(fits("ipv4", "192.168.0.256"));
    EXPECT_FALSE(fits("ipv4", "192.168.00.1"));
    for (const char* good :
         {"::", "::1", "1::", "fe80::1:2", "2001:db8:0:0:0:0:0:1", "1:2:3:4:5:6::8", "1:2:3:4:5:6::"}) {
        EXPECT_TRUE(fits("ipv6", good)) << good;
    }
    for (const char* bad : {":", "1:2", "1::2::3", "1:2:3:4:5:6:7:8:9", "12345::", "1:2:3:4:5:6:7::8"}) {
        EXPECT_FALSE(fits("ipv6", bad)) << bad;
    }
    EXPECT_TRUE(fits("uri", "https://example.org:8080/a/b?c=d#e"));
    EXPECT_TRUE(fits("uri", "mailto:a@b.org"));
    EXPECT_FALSE(fits("uri", "no scheme"));
    EXPECT_TRUE(fits("uuid", "123e4567-e89b-12d3-a456-426614174000"));
    EXPECT_FALSE(fits("uuid4", "123e4567-e89b-12d3-a456-426614174000"));
    EXPECT_TRUE(fits("byte", "aGVsbG8="));
    EXPECT_FALSE(fits("byte", "aGVsbG8"));
}

TEST(Format, OthersSayNothingOrAreUnknown) {
    EXPECT_EQ(pattern_of_format("password"), "");
    EXPECT_EQ(pattern_of_format("color"), std::nullopt);
    EXPECT_TRUE(numbers_of_format("int32"));
    EXPECT_FALSE(numbers_of_format("double"));
}

}  // namespace
}  // namespace worker::engine::llama::schema
