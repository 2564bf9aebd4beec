#include "worker/loop/utf8_gate.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace worker::loop {
namespace {

TEST(Utf8Gate, HoldsACharacterUntilItIsWhole) {
    Utf8Gate gate;
    EXPECT_EQ(gate.push("a\xF0\x9F"), "a");
    EXPECT_TRUE(gate.holds_back());
    EXPECT_EQ(gate.push("\x98"), "");
    EXPECT_EQ(gate.push("\x80z"), "\xF0\x9F\x98\x80z");
    EXPECT_FALSE(gate.holds_back());
    EXPECT_EQ(gate.finish(), "");
}

TEST(Utf8Gate, GivesOneReplacementForAnUnfinishedCharacterAtTheEnd) {
    Utf8Gate gate;
    EXPECT_EQ(gate.push("\xE2\x82"), "");
    EXPECT_EQ(gate.finish(), "\xEF\xBF\xBD");
    EXPECT_EQ(gate.finish(), "");
}

TEST(Utf8Gate, ReplacesWhatIsNoCharacter) {
    const struct {
        const char* what;
        std::string bytes;
    } cases[] = {{"a lone continuation byte", "\x80"},
                 {"an overlong form", "\xC0\xAF"},
                 {"a surrogate", "\xED\xA0\x80"},
                 {"above U+10FFFF", "\xF4\x90\x80\x80"},
                 {"a lead byte before ASCII", "\xE2(("}};
    for (const auto& [what, bytes] : cases) {
        Utf8Gate gate;
        const std::string out = gate.push(bytes) + gate.finish();
        EXPECT_NE(out.find("\xEF\xBF\xBD"), std::string::npos) << what;
        for (const char letter : out) {
            EXPECT_NE(letter, '\x80') << what;
        }
    }
    Utf8Gate gate;
    EXPECT_EQ(gate.push("\xE2(("), "\xEF\xBF\xBD((");
}

TEST(Utf8Gate, AnySplitOfValidTextGivesTheText) {
    const std::string text = "z\u00DF\u6C34\U0001F34C\u0000end";
    for (std::size_t first = 0; first <= text.size(); ++first) {
        for (std::size_t second = first; second <= text.size(); ++second) {
            Utf8Gate gate;
            std::string out = gate.push(std::string_view(text).substr(0, first));
            out += gate.push(std::string_view(text).substr(first, second - first));
            out += gate.push(std::string_view(text).substr(second));
            EXPECT_EQ(out + gate.finish(), text);
        }
    }
}

}  // namespace
}  // namespace worker::loop
