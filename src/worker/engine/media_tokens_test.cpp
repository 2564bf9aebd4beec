#include "worker/engine/media_tokens.hpp"

#include <gtest/gtest.h>

#include <set>

namespace worker::engine {
namespace {

MediaDigest digest(std::uint8_t first) {
    MediaDigest digest{};
    digest[0] = first;
    return digest;
}

TEST(MediaTokens, AreNoTokensOfText) {
    for (const Token token : media_tokens(digest(7), 100)) {
        EXPECT_TRUE(is_media(token));
        EXPECT_LT(token, -1);
    }
    EXPECT_FALSE(is_media(0));
    EXPECT_FALSE(is_media(-1));
}

TEST(MediaTokens, NeverMeanNoToken) {
    MediaDigest ones;
    ones.fill(0xff);
    EXPECT_NE(media_tokens(ones, 1).front(), -1);
    EXPECT_TRUE(begins_media(media_tokens(ones, 1).front()));
}

TEST(MediaTokens, TellWhereAPieceBegins) {
    const auto tokens = media_tokens(digest(7), 20);
    EXPECT_TRUE(begins_media(tokens.front()));
    for (std::size_t index = 1; index < tokens.size(); ++index) {
        EXPECT_FALSE(begins_media(tokens[index]));
    }
}

TEST(MediaTokens, OfDifferentPiecesDiffer) {
    std::set<Token> firsts;
    for (int each = 0; each < 256; ++each) {
        firsts.insert(media_tokens(digest(static_cast<std::uint8_t>(each)), 3).front());
    }
    EXPECT_EQ(firsts.size(), 256U);
}

TEST(MediaTokens, HoldAllOfTheDigest) {
    for (std::size_t byte = 0; byte < 32; ++byte) {
        MediaDigest other = digest(7);
        other[byte] ^= 1;
        EXPECT_NE(media_tokens(digest(7), 9), media_tokens(other, 9)) << byte;
    }
}

TEST(WithoutPartOfMedia, CutsBackToWhereAPieceBegins) {
    std::vector<Token> tokens{1, 2, 3};
    for (const int each : {1, 2}) {
        const auto piece = media_tokens(digest(static_cast<std::uint8_t>(each)), 4);
        tokens.insert(tokens.end(), piece.begin(), piece.end());
    }
    tokens.push_back(4);
    const std::size_t expected[] = {0, 1, 2, 3, 3, 3, 3, 7, 7, 7, 7, 11, 12};
    for (std::size_t count = 0; count <= tokens.size(); ++count) {
        EXPECT_EQ(without_part_of_media(tokens, count), expected[count]) << count;
    }
}

}  // namespace
}  // namespace worker::engine
