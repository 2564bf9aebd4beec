#include "base/utf8.hpp"

#include <gtest/gtest.h>

namespace base {
namespace {

TEST(ValidUtf8, KeepsWhatIsWellFormed) {
    for (const char* text : {"", "plain", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xed\x9f\xbf\xee\x80\x80",
                             "\xf4\x8f\xbf\xbf"}) {
        EXPECT_EQ(valid_utf8(text), text);
    }
}

TEST(ValidUtf8, ReplacesEachByteOfWhatIsNot) {
    const std::string r = "\xef\xbf\xbd";
    EXPECT_EQ(valid_utf8("a\xff"
                         "b"),
              "a" + r + "b");
    EXPECT_EQ(valid_utf8("\xc3"), r);
    EXPECT_EQ(valid_utf8("\xe2\x82"), r + r);
    EXPECT_EQ(valid_utf8("\xc0\x80"), r + r) << "overlong";
    EXPECT_EQ(valid_utf8("\xe0\x9f\xbf"), r + r + r) << "overlong";
    EXPECT_EQ(valid_utf8("\xed\xa0\x80"), r + r + r) << "a surrogate";
    EXPECT_EQ(valid_utf8("\xf4\x90\x80\x80"), r + r + r + r) << "beyond U+10FFFF";
}

}  // namespace
}  // namespace base
