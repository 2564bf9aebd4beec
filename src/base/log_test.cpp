#include "base/log.hpp"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

TEST(Log, WritesOneJsonObjectALineWithEveryField) {
    base::log::setup("gateway", base::log::Level::info, base::log::Format::json);
    testing::internal::CaptureStderr();
    base::log::info("request \"done\"", {{"model", "a b"}, {"tokens", 12}, {"seconds", 0.5}, {"stream", true}});
    const auto line = boost::json::parse(testing::internal::GetCapturedStderr()).as_object();
    EXPECT_EQ(line.at("message"), "request \"done\"");
    EXPECT_EQ(line.at("process"), "gateway");
    EXPECT_EQ(line.at("model"), "a b");
    EXPECT_EQ(line.at("tokens"), 12);
    EXPECT_EQ(line.at("stream"), true);
}
