#include "schema/sample.hpp"

#include <gtest/gtest.h>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace schema {
namespace {

TEST(Mutation, DamagedBodiesGiveFaultsOrValuesAndNeverMore) {
    std::mt19937 random(99);
    int refused = 0;
    for (int i = 0; i < 20000; ++i) {
        std::string body(sample::valid_body);
        for (auto n = 1 + random() % 3; n > 0; --n)
            body = sample::mutated(std::move(body), random);
        const auto parsed = parse<sample::Request>(body);
        if (parsed)
            continue;
        ++refused;
        ASSERT_FALSE(parsed.error().empty()) << body;
        for (const Fault& fault : parsed.error())
            ASSERT_FALSE(fault.message.empty()) << body;
    }
    EXPECT_GT(refused, 10000);
}

TEST(Mutation, EveryFuzzSeedAndItsBeginningsAreReadWithoutHarm) {
    int seeds = 0;
    for (const auto& entry : std::filesystem::directory_iterator(FUZZ_SEEDS)) {
        std::ifstream file(entry.path(), std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        for (std::size_t length = 0; length < text.size(); ++length)
            EXPECT_FALSE(parse<sample::Request>(text.substr(0, length))) << entry.path() << " " << length;
        ++seeds;
    }
    EXPECT_GE(seeds, 10);
}

}  // namespace
}  // namespace schema
