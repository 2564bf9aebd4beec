#include "worker/loop/cancellations.hpp"

#include <gtest/gtest.h>

namespace worker::loop {
namespace {

TEST(Cancellations, AbortsAStepOnlyWhenItServesNobodyAnyMore) {
    Cancellations cancellations;
    cancellations.step_begins({"a", "b"});
    cancellations.request("a");
    EXPECT_FALSE(cancellations.abort());
    cancellations.request("b");
    EXPECT_TRUE(cancellations.abort());
    cancellations.step_ends();
    EXPECT_FALSE(cancellations.abort());
}

TEST(Cancellations, AWishFromBeforeTheStepCounts) {
    Cancellations cancellations;
    cancellations.request("a");
    cancellations.step_begins({"a"});
    EXPECT_TRUE(cancellations.abort());
}

TEST(Cancellations, AJobThatIsNotInTheStepDoesNotStopIt) {
    Cancellations cancellations;
    cancellations.step_begins({"a"});
    cancellations.request("b");
    EXPECT_FALSE(cancellations.abort());
    EXPECT_TRUE(cancellations.requested("b"));
    cancellations.forget("b");
    EXPECT_FALSE(cancellations.requested("b"));
}

}  // namespace
}  // namespace worker::loop
