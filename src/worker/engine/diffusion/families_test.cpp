#include "worker/engine/diffusion/families.hpp"

#include <gtest/gtest.h>

using namespace worker::engine::diffusion;

TEST(Families, EveryDefaultSizeIsAllowed) {
    for (const auto& family : known_families()) {
        EXPECT_EQ(family.side % family.size_multiple, 0U) << family.name;
        EXPECT_GE(family.steps, 1U) << family.name;
    }
}

TEST(Families, AnUnknownOneGetsCarefulValues) {
    const auto family = family_named("Something New");
    EXPECT_EQ(family.size_multiple, 64U);
    EXPECT_EQ(family.max_reference_images, 0U);
}

TEST(Families, FluxWithoutGuidanceTakesFourSteps) {
    EXPECT_EQ(without_guidance_input(family_named("Flux")).steps, 4U);
    EXPECT_EQ(without_guidance_input(family_named("SD 1.x")).steps, 20U);
}
