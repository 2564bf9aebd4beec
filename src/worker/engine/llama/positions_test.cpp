#include "worker/engine/llama/positions.hpp"

#include <gtest/gtest.h>

namespace worker::engine::llama {
namespace {

TEST(Positions, AreThoseOfTheTokensWithoutPictures) {
    const Positions positions(1);
    EXPECT_EQ(positions.of(0, 0), 0);
    EXPECT_EQ(positions.of(0, 17), 17);
    EXPECT_EQ(positions.tokens(0, -1), 0U);
    EXPECT_EQ(positions.tokens(0, 16), 17U);
}

// Three tokens of text, a picture of 12 tokens that is 4 wide, and text again.
TEST(Positions, OfWhatFollowsAPictureAreNearer) {
    Positions positions(1);
    positions.add(0, 15, 7);
    EXPECT_EQ(positions.of(0, 3), 3);
    EXPECT_EQ(positions.of(0, 15), 7);
    EXPECT_EQ(positions.of(0, 18), 10);
    EXPECT_EQ(positions.tokens(0, 3), 15U) << "the picture's own tokens stand where it begins";
    EXPECT_EQ(positions.tokens(0, 9), 18U);
}

TEST(Positions, AddUpOverPictures) {
    Positions positions(1);
    positions.add(0, 15, 7);
    positions.add(0, 40, 12);
    EXPECT_EQ(positions.of(0, 20), 12);
    EXPECT_EQ(positions.of(0, 41), 13);
}

TEST(Positions, OfACutSequenceForgetWhatIsBehindTheCut) {
    Positions positions(2);
    positions.add(0, 15, 7);
    positions.add(0, 40, 12);
    positions.copy(0, 1, 20);
    EXPECT_EQ(positions.of(1, 41), 33);
    positions.trim(0, 14);
    EXPECT_EQ(positions.of(0, 14), 14);
    EXPECT_EQ(positions.tokens(0, 13), 14U);
}

TEST(Positions, KeepAPictureThatEndsAtTheCut) {
    Positions positions(1);
    positions.add(0, 15, 7);
    positions.trim(0, 15);
    EXPECT_EQ(positions.of(0, 15), 7);
}

}  // namespace
}  // namespace worker::engine::llama
