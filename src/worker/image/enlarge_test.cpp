#include "worker/image/enlarge.hpp"

#include <gmock/gmock.h>

namespace worker::image {
namespace {

using testing::Each;
using testing::ElementsAre;

TEST(Enlarged, RunsEvenlyFromPixelToPixel) {
    const Picture two{.width = 2, .height = 1, .channels = 1, .pixels = {0, 100}};
    EXPECT_THAT(enlarged(two, 4, 1).pixels, ElementsAre(0, 25, 75, 100));
    EXPECT_THAT(enlarged(two, 2, 1).pixels, ElementsAre(0, 100));
}

TEST(Enlarged, KeepsOneColourAndTheChannelsApart) {
    const Picture grey{.width = 3, .height = 2, .channels = 1, .pixels = std::vector<std::uint8_t>(6, 77)};
    const auto large = enlarged(grey, 64, 40);
    EXPECT_EQ(large.pixels.size(), 64U * 40U);
    EXPECT_THAT(large.pixels, Each(77));
    const Picture red{.width = 1, .height = 1, .channels = 3, .pixels = {255, 0, 9}};
    EXPECT_THAT(enlarged(red, 2, 1).pixels, ElementsAre(255, 0, 9, 255, 0, 9));
}

}  // namespace
}  // namespace worker::image
