#include "scripted/directives.hpp"

#include <gtest/gtest.h>

namespace scripted {
namespace {

TEST(Directives, AreReadAndTakenOutOfTheEcho) {
    const auto directives = directives_of("say [[tokens=20 delay_ms=50]] this [[fail=context_length fail_after=3]]");
    EXPECT_EQ(directives.tokens, 20U);
    EXPECT_EQ(directives.delay, std::chrono::milliseconds(50));
    EXPECT_EQ(directives.fail, contract::CONTEXT_LENGTH);
    EXPECT_EQ(directives.fail_after, 3U);
    EXPECT_EQ(directives.echo, "say  this");
}

TEST(Directives, AnUnfinishedPairOfBracketsIsText) {
    const auto directives = directives_of("a [[tokens=2");
    EXPECT_FALSE(directives.tokens);
    EXPECT_EQ(directives.echo, "a [[tokens=2");
}

TEST(Directives, CrashAndHangMeanAtOnceUnlessTold) {
    EXPECT_EQ(directives_of("[[crash]]").crash_after, 0U);
    EXPECT_EQ(directives_of("[[hang_after=4]]").hang_after, 4U);
    EXPECT_FALSE(directives_of("hello").crash_after);
}

}  // namespace
}  // namespace scripted
