#include "schema/sample.hpp"

#include <gtest/gtest.h>

namespace schema {
namespace {

TEST(RoundTrip, WhatIsWrittenIsReadBackEqual) {
    std::mt19937 random(17);
    for (int i = 0; i < 2000; ++i) {
        const auto request = sample::random_request(random);
        const std::string text = to_text(request);
        const auto parsed = parse<sample::Request>(text, {.unknown = Unknown::refuse});
        ASSERT_TRUE(parsed) << text << "\n" << to_error(parsed.error()).message;
        ASSERT_EQ(parsed->value, request) << text;
    }
}

TEST(RoundTrip, EveryFaultOfAValueWeWriteIsFoundByValidate) {
    auto value = to_json(sample::Request{});
    const Faults faults = validate<sample::Request>(value);
    ASSERT_EQ(faults.size(), 2u);  // a default request has neither model nor messages
    EXPECT_EQ(faults[0].path, "model");
    EXPECT_EQ(faults[1].path, "messages");
}

}  // namespace
}  // namespace schema
