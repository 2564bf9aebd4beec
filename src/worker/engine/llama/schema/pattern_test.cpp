#include "worker/engine/llama/schema/pattern.hpp"

#include <gtest/gtest.h>

#include <random>
#include <regex>
#include <string>

#include "worker/engine/llama/schema/language.hpp"

namespace worker::engine::llama::schema {
namespace {

bool found_in(const std::string& text, const std::string& pattern) {
    Expressions expressions;
    const auto language = language_of(expressions, texts_with(expressions, pattern).value());
    return language.value().contains(characters_of(text));
}

TEST(Pattern, IsFoundAnywhereUnlessItIsTiedDown) {
    EXPECT_TRUE(found_in("xay", "a"));
    EXPECT_TRUE(found_in("ay", "^a"));
    EXPECT_FALSE(found_in("xay", "^a"));
    EXPECT_TRUE(found_in("xa", "a$"));
    EXPECT_FALSE(found_in("xay", "a$"));
    EXPECT_TRUE(found_in("xb", "^a|b$"));
    EXPECT_TRUE(found_in("", ""));
    EXPECT_FALSE(found_in("ab", "^(?:a|b)$"));
    EXPECT_FALSE(found_in("a", "b^a")) << "nothing stands before the beginning";
    EXPECT_TRUE(found_in("a", "x?^a"));
}

TEST(Pattern, EscapesClassesAndUnicode) {
    EXPECT_TRUE(found_in("07-AZ", R"(^\d{2}-[\w]{2}$)"));
    EXPECT_FALSE(found_in("a b", R"(^\S+$)"));
    EXPECT_TRUE(found_in("a\tb", R"(^a\sb$)"));
    EXPECT_TRUE(found_in("é", R"(^\u00e9$)"));
    EXPECT_TRUE(found_in("😀", R"(^\uD83D\uDE00$)"));
    EXPECT_TRUE(found_in("😀", R"(^\u{1F600}$)"));
    EXPECT_TRUE(found_in("😀é", "^..$")) << "characters, not bytes";
    EXPECT_TRUE(found_in("a-b", R"(^[a-c\-]+$)"));
    EXPECT_TRUE(found_in("]", R"(^[\]]$)"));
    EXPECT_TRUE(found_in("{a", "^{a$"));
    EXPECT_TRUE(found_in("a{,2}", "^a{,2}$")) << "no repetition";
    EXPECT_FALSE(found_in("a\nb", "^a.b$"));
    EXPECT_TRUE(found_in("a\nb", "^a[^]b$"));
    EXPECT_TRUE(found_in("/x/", R"(^\/x\/$)"));
}

TEST(Pattern, LooksAhead) {
    const std::string password = R"(^(?=.*[A-Z])(?=.*\d)(?!.*\s).{8,12}$)";
    EXPECT_TRUE(found_in("Password1", password));
    EXPECT_FALSE(found_in("password1", password));
    EXPECT_FALSE(found_in("Password", password));
    EXPECT_FALSE(found_in("Pass word1", password));
    EXPECT_FALSE(found_in("P1", password));
    EXPECT_FALSE(found_in("admin", "^(?!admin$)[a-z]+$"));
    EXPECT_TRUE(found_in("admins", "^(?!admin$)[a-z]+$"));
}

TEST(Pattern, WhatCannotBeHeldIsToldApartFromWhatIsWrong) {
    const auto code = [](const char* pattern) {
        Expressions expressions;
        const auto read = texts_with(expressions, pattern);
        return read ? base::ErrorCode::internal : read.error().code;
    };
    for (const char* pattern : {"(a)\\1", "(?<=a)b", "(?<!a)b", "\\bword\\b", "\\p{L}", "(?i)a", "\\Aa\\Z", "((?=a)b)*",
                                "(?<name>a)\\k<name>", "a{1000000}"}) {
        EXPECT_EQ(code(pattern), base::ErrorCode::unsupported) << pattern;
    }
    for (const char* pattern : {"(", ")", "[", "a**", "*", "[b-a]", "a{3,2}", "\\", "(?:", "[\\", "^*"}) {
        EXPECT_EQ(code(pattern), base::ErrorCode::invalid) << pattern;
    }
}

TEST(Pattern, LargeOnesAreRefusedInTime) {
    for (const char* pattern : {"^(a|b)*a(a|b){40}$", "^(((a{1000}){1000}){1000})$", "^(a?){5000}b{5000}(c|d){5000}$",
                                "^(.*a.*b.*c.*d.*e.*f.*g.*h.*){20}$", "((((((((((a|b)*c)*d)*e)*f)*g)*h)*i)*j)*k)*"}) {
        Expressions expressions;
        const auto read = texts_with(expressions, pattern);
        if (read) {
            (void)language_of(expressions, *read);
        }
    }
    Expressions expressions;
    EXPECT_TRUE(language_of(expressions, texts_with(expressions, R"(^(\w+\s?){1,50}$)").value()));
    EXPECT_TRUE(language_of(expressions, texts_with(expressions, "^[a-z]{0,4000}$").value()));
}

class Inventor {
public:
    explicit Inventor(std::mt19937& random) : random_(random) {}

    std::string pattern(int depth = 3) {
        std::string text = sequence(depth);
        while (random_() % 4 == 0) {
            text += "|" + sequence(depth);
        }
        return text;
    }

private:
    std::string sequence(int depth) {
        std::string text;
        for (auto count = random_() % 4; count > 0; --count) {
            static const char* const repetitions[] = {"", "", "", "*", "+", "?", "{2}", "{1,3}", "{0,2}", "*?"};
            text += item(depth) + repetitions[random_() % std::size(repetitions)];
        }
        static const char* const ahead[] = {"(?=a)", "(?!b)", "(?=.b)", "^", "$"};
        return random_() % 6 == 0 ? ahead[random_() % std::size(ahead)] + text : text;
    }
    std::string item(int depth) {
        static const char* const items[] = {"a", "b", "c", ".", "[ab]", "[^a]", "\\w", "\\d", "[a-c]", "\\W", "0"};
        if (depth > 0 && random_() % 3 == 0) {
            return (random_() % 2 == 0 ? "(" : "(?:") + plain(depth - 1) + ")";
        }
        return items[random_() % std::size(items)];
    }
    std::string plain(int depth) {
        std::string text = item(depth);
        while (random_() % 2 == 0) {
            text += (random_() % 3 == 0 ? "|" : "") + item(depth);
        }
        return text;
    }

    std::mt19937& random_;
};

TEST(Pattern, AgreesWithAnotherEngine) {
    const auto seed = std::random_device{}();
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    for (int round = 0; round < 400; ++round) {
        const std::string pattern = Inventor(random).pattern();
        const std::regex other(pattern);
        Expressions expressions;
        const auto read = texts_with(expressions, pattern);
        ASSERT_TRUE(read) << pattern << ": " << read.error().message;
        const auto language = language_of(expressions, *read);
        if (!language) {
            continue;
        }
        for (int each = 0; each < 60; ++each) {
            std::string text;
            for (auto length = random() % 7; length > 0; --length) {
                text += "abc0 -"[random() % 6];
            }
            ASSERT_EQ(language->contains(characters_of(text)), std::regex_search(text, other))
                << pattern << " in '" << text << "'";
        }
    }
}

}  // namespace
}  // namespace worker::engine::llama::schema
