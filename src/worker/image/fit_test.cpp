#include "worker/image/fit.hpp"

#include <gmock/gmock.h>

namespace worker::image {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr SizeLimits limits{.min_side = 64, .max_side = 1024, .multiple = 64};

TEST(NearestSize, KeepsShapeAndAreaAsFarAsTheLimitsAllow) {
    EXPECT_EQ(nearest_size({512, 320}, limits), (Size{512, 320}));
    EXPECT_EQ(nearest_size({500, 333}, limits), (Size{512, 320}));
    EXPECT_EQ(nearest_size({4000, 3000}, limits), (Size{1024, 768}));
    EXPECT_EQ(nearest_size({8, 8}, limits), (Size{64, 64}));
    EXPECT_EQ(nearest_size({1, 4096}, limits), (Size{64, 1024}));
    EXPECT_EQ(nearest_size({65, 700}, limits), (Size{64, 704}));
    EXPECT_EQ(nearest_size({1030, 1030}, {.min_side = 100, .max_side = 1000, .multiple = 64}), (Size{960, 960}));
}

TEST(Fitted, KeepsOneColour) {
    const Picture grey{.width = 7, .height = 5, .channels = 3, .pixels = std::vector<std::uint8_t>(105, 77)};
    for (const Size size : {Size{64, 64}, {3, 9}, {1, 1}, {7, 5}}) {
        const auto result = fitted(grey, size);
        EXPECT_EQ(result.pixels.size(), std::size_t{size.width} * size.height * 3);
        EXPECT_THAT(result.pixels, Each(77));
    }
}

TEST(Fitted, AveragesWhenItShrinks) {
    Picture stripes{.width = 64, .height = 2, .channels = 1, .pixels = {}};
    for (int i = 0; i < 128; ++i) {
        stripes.pixels.push_back(i % 2 == 0 ? 0 : 255);
    }
    const auto small = fitted(stripes, {.width = 8, .height = 1});
    for (std::size_t i = 1; i < 7; ++i) {
        EXPECT_NEAR(small.pixels[i], 128, 8);
    }
}

TEST(Fitted, CutsOffEvenly) {
    const Picture wide{.width = 4, .height = 2, .channels = 1, .pixels = {10, 20, 30, 40, 10, 20, 30, 40}};
    EXPECT_THAT(fitted(wide, {.width = 2, .height = 2}).pixels, ElementsAre(20, 30, 20, 30));
    const Picture high{.width = 1, .height = 4, .channels = 1, .pixels = {10, 20, 30, 40}};
    EXPECT_THAT(fitted(high, {.width = 1, .height = 2}).pixels.size(), 2U);
}

TEST(Fitted, RunsEvenlyFromPixelToPixelWhenItEnlarges) {
    const Picture two{.width = 2, .height = 1, .channels = 1, .pixels = {0, 100}};
    EXPECT_THAT(fitted(two, {.width = 4, .height = 2}).pixels, ElementsAre(0, 25, 75, 100, 0, 25, 75, 100));
}

}  // namespace
}  // namespace worker::image
