#include "base/fair_line.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <ranges>

namespace base {
namespace {

using namespace std::chrono_literals;

/// Names in the line, each costing so much.
struct Counter {
    void add(const std::string& tenant, const std::string& name, std::int32_t priority = 0) {
        line.add({.priority = priority, .tenant = tenant, .number = ++numbers, .since = clock.now()}, name);
    }
    std::string serve(double cost = 1, double weight = 1) {
        const auto turn = line.first(clock.now(), [](const Turn&, const std::string&) { return true; });
        if (!turn) {
            return "";
        }
        const std::string name = line.serve(*turn);
        line.charge(turn->tenant, weight, cost);
        return name;
    }
    std::string all() {
        std::string names;
        while (!line.empty()) {
            names += serve();
        }
        return names;
    }

    ManualClock clock;
    FairLine<std::string> line{30s};
    std::uint64_t numbers = 0;
};

TEST(FairLine, OfOneTenantFirstComeFirstServed) {
    Counter counter;
    for (const char* name : {"1", "2", "3"}) {
        counter.add("", name);
    }
    EXPECT_EQ(counter.all(), "123");
}

TEST(FairLine, ATenantWithOneRequestDoesNotWaitForAllOfAnother) {
    Counter counter;
    for (int request = 0; request < 6; ++request) {
        counter.add("many", "m");
    }
    EXPECT_EQ(counter.serve(), "m");
    EXPECT_EQ(counter.serve(), "m");
    counter.add("one", "o");
    EXPECT_EQ(counter.all(), "ommmm");
}

TEST(FairLine, WhatCostsMoreGoesLessOften) {
    Counter counter;
    for (int request = 0; request < 4; ++request) {
        counter.add("large", "L");
        counter.add("small", "s");
    }
    std::string served;
    for (int turn = 0; turn < 6; ++turn) {
        const auto next = counter.line.first(counter.clock.now(), [](const Turn&, const std::string&) { return true; });
        served += counter.serve(next->tenant == "large" ? 3 : 1);
    }
    EXPECT_EQ(served, "LsssLs");
}

TEST(FairLine, NobodySavesUpTurnsWhileAway) {
    Counter counter;
    for (int request = 0; request < 20; ++request) {
        counter.add("busy", "b");
    }
    for (int turn = 0; turn < 10; ++turn) {
        counter.serve();
    }
    for (int request = 0; request < 10; ++request) {
        counter.add("back", "k");
    }
    std::string served;
    for (int turn = 0; turn < 6; ++turn) {
        served += counter.serve();
    }
    EXPECT_EQ(std::ranges::count(served, 'b'), 3);
}

TEST(FairLine, PriorityComesBeforeShares) {
    Counter counter;
    counter.add("a", "flex", -1);
    counter.add("a", "normal");
    counter.serve(100);
    counter.add("b", "other");
    counter.add("a", "urgent", 1);
    EXPECT_EQ(counter.all(), "urgentotherflex");
}

TEST(FairLine, AgeLiftsALowPriorityUpToTheOthersAndNotBeyond) {
    Counter counter;
    counter.add("a", "old", -1);
    counter.clock.advance(31s);
    counter.add("a", "new");
    EXPECT_EQ(counter.serve(), "old");
    // Of one priority the shares decide, however long anybody waits.
    counter.line.charge("a", 1, 100);
    counter.clock.advance(300s);
    counter.add("b", "fresh");
    EXPECT_EQ(counter.serve(), "fresh");
}

TEST(FairLine, WhoIsNotAcceptedIsPassed) {
    Counter counter;
    counter.add("a", "1");
    counter.add("a", "2");
    const auto turn =
        counter.line.first(counter.clock.now(), [](const Turn&, const auto& name) { return name == "2"; });
    ASSERT_TRUE(turn);
    EXPECT_EQ(turn->number, 2U);
    EXPECT_FALSE(counter.line.first(counter.clock.now(), [](const Turn&, const auto&) { return false; }));
}

TEST(FairLine, RemovesWhoLeaves) {
    Counter counter;
    counter.add("a", "1");
    counter.add("a", "2");
    EXPECT_TRUE(counter.line.remove({.tenant = "a", .number = 1}));
    EXPECT_FALSE(counter.line.remove({.tenant = "a", .number = 1}));
    EXPECT_FALSE(counter.line.remove({.tenant = "b", .number = 2}));
    EXPECT_EQ(counter.line.waiting_of("a"), 1U);
    EXPECT_EQ(counter.all(), "2");
    EXPECT_EQ(counter.line.waiting_of("a"), 0U);
}

// While all tenants have something waiting, what each has had stays in proportion to its weight, within the cost of two
// requests, whatever they cost (the bound of start-time fair queueing).
TEST(FairLine, SharesFollowTheWeights) {
    for (unsigned seed = 0; seed < 50; ++seed) {
        std::mt19937 random(seed);
        const std::map<std::string, double> weights{{"a", 1}, {"b", 2}, {"c", 0.5}, {"d", 1}};
        std::map<std::string, double> had;
        Counter counter;
        for (int request = 0; request < 400; ++request) {
            for (const auto& [tenant, weight] : weights) {
                counter.add(tenant, tenant);
            }
        }
        constexpr int most = 50;
        for (int turn = 0; turn < 300; ++turn) {
            const auto next =
                counter.line.first(counter.clock.now(), [](const Turn&, const std::string&) { return true; });
            const double cost = 1 + static_cast<double>(random() % most);
            had[next->tenant] += cost / weights.at(next->tenant);
            counter.serve(cost, weights.at(next->tenant));
        }
        const auto [least, largest] = std::ranges::minmax(had | std::views::values);
        EXPECT_LE(largest - least, 2 * most / 0.5) << "seed " << seed;
    }
}

// A low priority is served although more urgent requests never stop coming.
TEST(FairLine, NobodyStarves) {
    Counter counter;
    counter.add("patient", "p", -1);
    std::string served;
    for (int turn = 0; turn < 200 && !served.contains('p'); ++turn) {
        counter.add("urgent", "u", 1);
        counter.clock.advance(1s);
        served += counter.serve();
    }
    EXPECT_TRUE(served.contains('p'));
}

}  // namespace
}  // namespace base
