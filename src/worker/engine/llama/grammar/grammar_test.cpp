#include "worker/engine/llama/grammar/grammar.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <llama-grammar.h>

#include <algorithm>
#include <random>
#include <thread>

namespace worker::engine::llama::grammar {
namespace {

using Tokens = std::vector<std::string>;

constexpr Token end_token = 0;

// Token 0 is the end of generation.
std::shared_ptr<const Vocabulary> vocabulary(Tokens pieces) {
    pieces.insert(pieces.begin(), "<end>");
    return std::make_shared<const Vocabulary>(std::move(pieces), std::vector{end_token});
}

std::shared_ptr<Grammar> grammar(const std::string& text, std::shared_ptr<const Vocabulary> tokens) {
    return std::make_shared<Grammar>(parse_rules(nullptr, text).value(), std::move(tokens));
}

Tokens allowed(Matcher& matcher, const Vocabulary& tokens) {
    Tokens pieces;
    const auto mask = matcher.allowed();
    for (Token token = 0; token < static_cast<Token>(tokens.size()); ++token) {
        EXPECT_EQ(mask->contains(token), matcher.allows(token)) << tokens.piece(token);
        if (mask->contains(token)) {
            pieces.push_back(tokens.piece(token));
        }
    }
    return pieces;
}

Token token_of(const Vocabulary& tokens, std::string_view piece) {
    Token token = 0;
    while (tokens.piece(token) != piece) {
        ++token;
    }
    return token;
}

TEST(Matcher, AllowsTheTokensThatBeginWhatMayFollow) {
    const auto tokens = vocabulary({"a", "ab", "abc", "b", "bc", "c", ""});
    Matcher matcher(grammar("root ::= \"a\" \"b\"* \"c\"?", tokens));
    EXPECT_EQ(allowed(matcher, *tokens), (Tokens{"a", "ab", "abc"}));
    EXPECT_FALSE(matcher.accept(token_of(*tokens, "b")));
    EXPECT_TRUE(matcher.accept(token_of(*tokens, "ab")));
    EXPECT_EQ(allowed(matcher, *tokens), (Tokens{"<end>", "b", "bc", "c"}));
    EXPECT_TRUE(matcher.accept(token_of(*tokens, "bc")));
    EXPECT_EQ(allowed(matcher, *tokens), (Tokens{"<end>"}));
    EXPECT_TRUE(matcher.accept(end_token));
}

TEST(Matcher, CharactersMayBeSplitOverTokens) {
    const auto tokens = vocabulary({"\xC3", "\xA9", "\xA8", "\xA9x", "\xC3\xA9", "x", "\xE2", "a\xC3"});
    Matcher matcher(grammar("root ::= \"a\"? \"\xC3\xA9\" \"x\"", tokens));
    EXPECT_EQ(allowed(matcher, *tokens), (Tokens{"\xC3", "\xC3\xA9", "a\xC3"}));
    EXPECT_TRUE(matcher.accept(token_of(*tokens, "a\xC3")));
    EXPECT_EQ(allowed(matcher, *tokens), (Tokens{"\xA9", "\xA9x"}));
    EXPECT_TRUE(matcher.accept(token_of(*tokens, "\xA9")));
    EXPECT_EQ(allowed(matcher, *tokens), (Tokens{"x"}));
}

TEST(Matcher, AGrammarMayNameTokens) {
    const auto tokens = vocabulary({"a", "b", "ab"});
    Matcher matcher(grammar("root ::= <[3]> !<[3]> | \"b\"", tokens));
    EXPECT_EQ(allowed(matcher, *tokens), (Tokens{"b", "ab"}));
    EXPECT_TRUE(matcher.accept(token_of(*tokens, "ab")));
    EXPECT_EQ(allowed(matcher, *tokens), (Tokens{"a", "b"}));
}

TEST(Matcher, KnowsTextThatMustCome) {
    const auto tokens = vocabulary({"{", "\"", "tit", "le"});
    Matcher matcher(grammar("root ::= \"{\" \"\\\"title\\\"\" [ ]? \":\" | \"{\" \"\\\"tip\\\"\"", tokens));
    EXPECT_EQ(matcher.forced(100).text, "{\"ti");
    EXPECT_EQ(matcher.forced(2).text, "{\"");
    EXPECT_EQ(Matcher(grammar("root ::= \"a b\" .", tokens)).forced(100).text, "a b");
    EXPECT_TRUE(matcher.accept(token_of(*tokens, "{")));
    EXPECT_TRUE(matcher.accept(token_of(*tokens, "\"")));
    EXPECT_TRUE(matcher.accept(token_of(*tokens, "tit")));
    EXPECT_EQ(matcher.forced(100).text, "le\":");
}

TEST(Matcher, GuessesSpaceFromTheTextBefore) {
    const auto tokens = vocabulary({"{", "\n ", "\"a\":", "1", ",", " "});
    const std::string text =
        "root ::= \"{\" s \"\\\"a\\\"\" s \":\" s [0-9]+ s \",\" s \"\\\"b\\\"\" s \":\" s [0-9]+ s \",\" s "
        "\"\\\"c\\\"\"\n"
        "s ::= \" \" | \"\\n\"{1,2} [ \\t]{0,20} | \"\"\n";
    Matcher matcher(grammar(text, tokens));
    EXPECT_EQ(matcher.forced(100).text, "{\"a\": ");
    for (const char* piece : {"{", "\n ", "\"a\":", " ", "1"}) {
        ASSERT_TRUE(matcher.accept(token_of(*tokens, piece)));
    }
    EXPECT_EQ(matcher.forced(100).text, "");  // more digits
    for (const char* piece : {",", "\n "}) {
        ASSERT_TRUE(matcher.accept(token_of(*tokens, piece)));
    }
    EXPECT_EQ(matcher.forced(100).text, "\"b\": ");
    Matcher compact(grammar(text, tokens));
    for (const char* piece : {"{", "\"a\":", "1", ","}) {
        ASSERT_TRUE(compact.accept(token_of(*tokens, piece)));
    }
    EXPECT_EQ(compact.forced(100).text, " \"b\":");
}

// ---- beside llama.cpp

struct Reference {
    llama_grammar* grammar;

    explicit Reference(const std::string& text)
        : grammar(llama_grammar_init_impl(nullptr, text.c_str(), "root", false, nullptr, 0, nullptr, 0)) {}
    Reference(const Reference&) = delete;
    Reference& operator=(const Reference&) = delete;
    ~Reference() { llama_grammar_free_impl(grammar); }

    // llama.cpp forgets that a text may not end inside a character.
    bool may_end() const {
        return grammar->partial_utf8.n_remain == 0 &&
               std::ranges::any_of(grammar->stacks, [](const auto& stack) { return stack.empty(); });
    }
    bool allows(Token token, const std::string& piece) const {
        const auto& partial = grammar->partial_utf8;
        auto decoded = decode(piece, {.bits = partial.value, .missing_bytes = partial.n_remain});
        decoded.whole.push_back(0);
        llama_grammar_candidates candidates = {
            {0, decoded.whole.data(), {decoded.rest.bits, decoded.rest.missing_bytes}, token}};
        return std::ranges::any_of(grammar->stacks, [&](const auto& stack) {
            return llama_grammar_reject_candidates_for_stack(grammar->rules, stack, candidates).empty();
        });
    }
};

class Inventor {
public:
    explicit Inventor(std::mt19937& random) : random_(random) {}

    std::string grammar() {
        std::string text = "root ::= " + alternatives(2) + "\n";
        for (int rule = 0; rule < 3; ++rule) {
            text += fmt::format("r{} ::= {}\n", rule, alternatives(2));
        }
        return text;
    }

private:
    unsigned up_to(unsigned most) { return static_cast<unsigned>(random_() % (most + 1)); }

    std::string alternatives(int depth) {
        std::string text = sequence(depth);
        while (up_to(2) == 0) {
            text += " | " + sequence(depth);
        }
        return text;
    }
    std::string sequence(int depth) {
        std::string text = item(depth);
        while (up_to(1) == 0) {
            text += " " + item(depth);
        }
        return text;
    }
    std::string item(int depth) {
        static const char* const repetitions[] = {"", "", "", "*", "+", "?", "{0,3}", "{2}", "{1,2}"};
        return single(depth) + repetitions[up_to(8)];
    }
    std::string single(int depth) {
        static const char* const singles[] = {"\"a\"", "\"ab\"",      "\"b\"",        "[ab]",
                                              "[^a]",  "[a-c]",       "\"\xC3\xA9\"", ".",
                                              "\"\"",  "[^\xC3\xA9]", "\"c\\n\"",     "[\xC3\xA8-\xC3\xAA]"};
        switch (up_to(depth > 0 ? 5 : 3)) {
            case 4: return fmt::format("r{}", up_to(2));
            case 5: return "(" + alternatives(depth - 1) + ")";
            default: {
                const std::string chosen = singles[up_to(11)];
                return chosen == "\"\"" ? "(\"\")" : chosen;
            }
        }
    }

    std::mt19937& random_;
};

// Compares what may come with what llama.cpp says, for some random steps.
void follow_beside(const Reference& reference, Matcher matcher, const Vocabulary& tokens, const std::string& text,
                   std::mt19937& random, int& followed) {
    for (int step = 0; step < 8; ++step) {
        const auto mask = matcher.allowed();
        std::vector<Token> possible;
        ASSERT_EQ(matcher.allows(end_token), reference.may_end()) << text;
        ASSERT_EQ(mask->contains(end_token), reference.may_end()) << text;
        for (Token token = 1; token < static_cast<Token>(tokens.size()); ++token) {
            const bool expected = reference.allows(token, tokens.piece(token));
            ASSERT_EQ(mask->contains(token), expected) << text << "\n" << tokens.piece(token);
            ASSERT_EQ(matcher.allows(token), expected) << text << "\n" << tokens.piece(token);
            if (expected) {
                possible.push_back(token);
            }
        }
        if (possible.empty()) {
            break;
        }
        const Token token = possible[random() % possible.size()];
        ASSERT_TRUE(matcher.accept(token));
        llama_grammar_accept_token(*reference.grammar, token, tokens.piece(token));
        ++followed;
    }
}

TEST(Matcher, AllowsWhatLlamaCppAllows) {
    const auto seed = std::random_device{}();
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Tokens pieces;
    const char* const parts[] = {"a", "b", "c", "\n", "\xC3", "\xA9", "\xC3\xA9", "\xE2\x82\xAC", "\xE2", "\x82"};
    for (int index = 0; index < 150; ++index) {
        std::string piece;
        for (auto length = 1 + random() % 4; length > 0; --length) {
            piece += parts[random() % std::size(parts)];
        }
        pieces.push_back(piece);
    }
    const auto tokens = vocabulary(pieces);
    int followed = 0;
    for (int round = 0; round < 200; ++round) {
        const std::string text = Inventor(random).grammar();
        auto rules = parse_rules(nullptr, text);
        if (!rules) {
            continue;  // left recursion
        }
        const Reference reference(text);
        if (reference.grammar == nullptr) {
            continue;  // what it takes for left recursion
        }
        try {
            follow_beside(reference, Matcher(std::make_shared<Grammar>(std::move(*rules), tokens)), *tokens, text,
                          random, followed);
        } catch (const TooComplex&) {
            continue;  // too many ways to read the text: refused here, slower and slower there
        }
        if (HasFatalFailure()) {
            return;
        }
    }
    EXPECT_GT(followed, 100);
}

TEST(Grammar, HostileOnesEndInTime) {
    const auto tokens = vocabulary({"a", "aa", "aaaa", "aaaaaaaaaaaaaaaa"});
    // Each letter doubles the ways to read the text.
    Matcher doubling(grammar("root ::= x \"!\"\nx ::= \"a\" x \"b\" | \"a\" x \"c\" | \"d\"", tokens));
    EXPECT_THROW(
        {
            for (int step = 0; step < 100; ++step) {
                doubling.accept(token_of(*tokens, "a"));
            }
        },
        TooComplex);
    // A text that gets longer and longer needs no more memory than the bound, and goes on.
    const auto deep = grammar("root ::= \"a\" root \"b\" | \"c\"", tokens);
    Matcher deepening(deep);
    for (int step = 0; step < 3000; ++step) {
        ASSERT_TRUE(deepening.accept(token_of(*tokens, "aaaaaaaaaaaaaaaa")));
    }
    EXPECT_LT(deep->bytes(), std::size_t{64} << 20U);
    EXPECT_EQ(allowed(deepening, *tokens), (Tokens{"a", "aa", "aaaa", "aaaaaaaaaaaaaaaa"}));
}

TEST(Grammar, IsSharedByAnswersSideBySide) {
    const auto tokens = vocabulary({"a", "b", "ab", "ba", "c", "abc"});
    const auto shared = grammar("root ::= ([ab] [abc]){0,200} \"c\"", tokens);
    std::vector<std::thread> threads;
    for (unsigned number = 0; number < 4; ++number) {
        threads.emplace_back([&, number] {
            std::mt19937 random(number);
            Matcher matcher(shared);
            for (int step = 0; step < 50; ++step) {
                const auto mask = matcher.allowed();
                const auto token = static_cast<Token>(1 + random() % (tokens->size() - 1));
                EXPECT_EQ(matcher.accept(token), mask->contains(token));
            }
        });
    }
    std::ranges::for_each(threads, [](std::thread& thread) { thread.join(); });
}

}  // namespace
}  // namespace worker::engine::llama::grammar
