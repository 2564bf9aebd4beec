#include "worker/speculation/acceptance.hpp"

#include <gtest/gtest.h>

namespace worker::speculation {
namespace {

TEST(Acceptance, TrustsALongAgreementMore) {
    const Acceptance fresh;
    EXPECT_LT(fresh.chance(Source::lookup, 2), fresh.chance(Source::lookup, 5));
    EXPECT_LT(fresh.chance(Source::lookup, 5), fresh.chance(Source::lookup, 40));
}

TEST(Acceptance, LearnsAndForgets) {
    Acceptance acceptance;
    for (int count = 0; count < 100; ++count) {
        acceptance.observe(Source::lookup, 3, true);
    }
    EXPECT_GT(acceptance.chance(Source::lookup, 3), 0.95);
    for (int count = 0; count < 100; ++count) {
        acceptance.observe(Source::lookup, 3, false);
    }
    EXPECT_LT(acceptance.chance(Source::lookup, 3), 0.05);
}

TEST(Acceptance, KeepsSourcesAndLengthsApart) {
    Acceptance acceptance;
    const Acceptance fresh;
    acceptance.observe(Source::prediction, 20, false);
    EXPECT_LT(acceptance.chance(Source::prediction, 20), fresh.chance(Source::prediction, 20));
    EXPECT_EQ(acceptance.chance(Source::prediction, 2), fresh.chance(Source::prediction, 2));
    EXPECT_EQ(acceptance.chance(Source::lookup, 20), fresh.chance(Source::lookup, 20));
}

}  // namespace
}  // namespace worker::speculation
