#include "worker/loop/answer_stream.hpp"

#include <gtest/gtest.h>

#include <random>

namespace worker::loop {
namespace {

using Info = AnswerStream::TokenInfo;

Info token(int id) {
    Info info;
    info.set_id(id);
    return info;
}

std::vector<int> ids(const Released& released) {
    std::vector<int> ids;
    for (const Info& info : released.tokens) {
        ids.push_back(info.id());
    }
    return ids;
}

TEST(AnswerStream, AStopTextSpanningTokensNeverLeaks) {
    AnswerStream stream({"<end>"});
    EXPECT_EQ(stream.push("hello <e").text, "hello ");
    EXPECT_EQ(stream.push("nd").text, "");
    const auto last = stream.push("> more");
    EXPECT_EQ(last.text, "");
    EXPECT_TRUE(last.stopped());
}

TEST(AnswerStream, TextBeforeAStopTextIsDelivered) {
    AnswerStream stream({"stop"});
    const auto released = stream.push("before stop after");
    EXPECT_EQ(released.text, "before ");
    EXPECT_TRUE(released.stopped());
}

TEST(AnswerStream, AHalfMatchThatComesToNothingIsDelivered) {
    AnswerStream stream({"<end>"});
    EXPECT_EQ(stream.push("a<en").text, "a");
    EXPECT_EQ(stream.push("tity").text, "<entity");
}

TEST(AnswerStream, AHalfMatchAtTheEndIsDelivered) {
    AnswerStream stream({"<end>"});
    EXPECT_EQ(stream.push("a<en").text, "a");
    EXPECT_EQ(stream.finish().text, "<en");
}

TEST(AnswerStream, TheFirstOfSeveralStopTextsWins) {
    AnswerStream stream({"world", "lo"});
    const auto released = stream.push("hello world");
    EXPECT_EQ(released.text, "hel");
    EXPECT_EQ(released.stop, "lo");
}

TEST(AnswerStream, ARepeatedBeginningOfAStopTextIsFound) {
    AnswerStream stream({"aab"});
    EXPECT_EQ(stream.push("aa").text, "");
    EXPECT_EQ(stream.push("a").text, "a");
    EXPECT_TRUE(stream.push("b").stopped());
}

TEST(AnswerStream, EmptyStopTextsAreIgnored) {
    AnswerStream stream({"", ""});
    const auto released = stream.push("text");
    EXPECT_EQ(released.text, "text");
    EXPECT_FALSE(released.stopped());
}

TEST(AnswerStream, TokensTravelWithTheirText) {
    AnswerStream stream({"<end>"});
    const Info one = token(1);
    const Info two = token(2);
    const Info three = token(3);
    EXPECT_EQ(ids(stream.push("a", &one)), std::vector{1});
    EXPECT_EQ(ids(stream.push("<e", &two)), std::vector<int>{});
    EXPECT_EQ(ids(stream.push("x", &three)), (std::vector{2, 3}));
}

TEST(AnswerStream, TokensOfTheStopTextAreNotDelivered) {
    AnswerStream stream({"<end>"});
    const Info one = token(1);
    const Info two = token(2);
    const Info three = token(3);
    EXPECT_EQ(ids(stream.push("a<", &one)), std::vector<int>{});
    EXPECT_EQ(ids(stream.push("end", &two)), std::vector<int>{});
    const auto last = stream.push(">", &three);
    EXPECT_TRUE(last.stopped());
    EXPECT_EQ(ids(last), std::vector{1});
}

TEST(AnswerStream, TheTokensOfASplitCharacterComeWithTheCharacter) {
    AnswerStream stream({});
    const Info one = token(1);
    const Info two = token(2);
    EXPECT_EQ(ids(stream.push("\xC3", &one)), std::vector<int>{});
    const auto whole = stream.push("\xBC", &two);
    EXPECT_EQ(whole.text, "\u00FC");
    EXPECT_EQ(ids(whole), (std::vector{1, 2}));
}

// Whatever the split into tokens: what is released is the text up to the first stop text, and every token comes once.
TEST(AnswerStream, AnySplitReleasesTheTextBeforeTheFirstStop) {
    std::mt19937 random(7);
    const std::vector<std::string> stops = {"abab", "ba\u00FC", "cc"};
    for (int round = 0; round < 3000; ++round) {
        std::string text;
        for (int letter = 0; letter < 24; ++letter) {
            const char* const alphabet[] = {"a", "b", "c", "\u00FC"};
            text += alphabet[random() % 4];
        }
        AnswerStream stream(stops);
        std::string out;
        int pushed = 0;
        int delivered = 0;
        bool stopped = false;
        for (std::size_t begin = 0; begin < text.size() && !stopped;) {
            const auto length = 1 + random() % 3;
            const Info info = token(pushed++);
            const auto released = stream.push(text.substr(begin, length), &info);
            out += released.text;
            for (const Info& each : released.tokens) {
                EXPECT_EQ(each.id(), delivered++);
            }
            stopped = released.stopped();
            begin += length;
        }
        if (!stopped) {
            const auto rest = stream.finish();
            out += rest.text;
            delivered += static_cast<int>(rest.tokens.size());
            EXPECT_EQ(delivered, pushed);
        }
        // The stop text that is complete first ends the answer; with one token a time that is the reference.
        std::size_t end = text.size();
        for (std::size_t length = 1; length <= text.size() && end == text.size(); ++length) {
            for (const std::string& stop : stops) {
                if (std::string_view(text).substr(0, length).ends_with(stop)) {
                    end = std::min(end, length - stop.size());
                }
            }
        }
        // A token of several letters can complete two stop texts at once; then the earlier one counts.
        EXPECT_TRUE(out == text.substr(0, out.size()));
        EXPECT_LE(out.size(), end);
        for (const std::string& stop : stops) {
            EXPECT_EQ(out.find(stop), std::string::npos);
        }
        if (!stopped) {
            EXPECT_EQ(out, text);
        }
    }
}

}  // namespace
}  // namespace worker::loop
