#include "worker/engine/diffusion/named_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/engine/diffusion/families.hpp"

namespace worker::engine::diffusion {
namespace {

using testing::Contains;
using testing::Not;

TEST(NamedOptions, EveryNameThatIsOfferedIsKnown) {
    for (const auto network : {Network::unet, Network::transformer}) {
        for (const auto& name : step_caches_of(network)) {
            EXPECT_TRUE(step_cache_named(name)) << name;
        }
    }
    for (const auto& name : second_pass_upscalers({.encodes_images = true, .upscaler = true})) {
        EXPECT_TRUE(second_pass_upscaler_named(name)) << name;
    }
    EXPECT_FALSE(step_cache_named("none"));
    EXPECT_FALSE(second_pass_upscaler_named("None"));
}

TEST(NamedOptions, AKindOfNetworkHasTheCachesThatWorkForIt) {
    EXPECT_THAT(step_caches_of(Network::unet), testing::ElementsAre("ucache", "spectrum"));
    EXPECT_THAT(step_caches_of(Network::transformer), Not(Contains("ucache")));
    EXPECT_EQ(network_of("SDXL (SSD1B)"), Network::unet);
    EXPECT_EQ(network_of("Instruct-Pix2Pix"), Network::unet);
    EXPECT_EQ(network_of("SD3.x"), Network::transformer);
    EXPECT_EQ(network_of("Flux"), Network::transformer);
}

TEST(NamedOptions, WithoutAnEncoderOnlyTheLatentIsEnlarged) {
    EXPECT_THAT(second_pass_upscalers({}), Not(Contains("lanczos")));
    EXPECT_THAT(second_pass_upscalers({.encodes_images = true}), Not(Contains("model")));
    EXPECT_THAT(second_pass_upscalers({.encodes_images = true, .upscaler = true}), Contains("model"));
}

}  // namespace
}  // namespace worker::engine::diffusion
