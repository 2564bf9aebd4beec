#include "worker/engine/llama/schema/numbers.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

namespace worker::engine::llama::schema {
namespace {

std::optional<Bound> at(const std::string& text, bool excluded = false) {
    return Bound{.value = decimal_of(text).value(), .excluded = excluded};
}

Language texts(const Numbers& numbers) {
    std::size_t states = 100'000;
    return language_of(numbers, states).value();
}

bool has(const Language& language, const std::string& text) {
    return language.contains(characters_of(text));
}

TEST(Decimal, IsExact) {
    EXPECT_EQ(decimal_of("0.10")->text(), "0.1");
    EXPECT_EQ(decimal_of("-0")->text(), "0");
    EXPECT_EQ(decimal_of("1e3")->text(), "1000");
    EXPECT_EQ(decimal_of("1.25E-3")->text(), "0.00125");
    EXPECT_EQ(decimal_of("18446744073709551615")->text(), "18446744073709551615");
    EXPECT_FALSE(decimal_of("1e300"));
    EXPECT_FALSE(decimal_of("1e99999999999"));
    EXPECT_LT(*decimal_of("-2"), *decimal_of("-1.5"));
    EXPECT_LT(*decimal_of("-1"), *decimal_of("0"));
    EXPECT_LT(*decimal_of("9.99"), *decimal_of("10"));
    EXPECT_LT(*decimal_of("0.3"), *decimal_of("0.31"));
    EXPECT_EQ(is_multiple(*decimal_of("0.3"), *decimal_of("0.1")), true);
    EXPECT_EQ(is_multiple(*decimal_of("0.35"), *decimal_of("0.1")), false);
    EXPECT_EQ(is_multiple(*decimal_of("-9"), *decimal_of("3")), true);
    EXPECT_EQ(is_multiple(*decimal_of("7.5"), *decimal_of("2.5")), true);
}

TEST(Numbers, WithinDecimalBounds) {
    const auto share = texts({.least = at("0.05"), .most = at("0.95", true)});
    for (const char* good : {"0.05", "0.5", "0.050", "0.94999999"}) {
        EXPECT_TRUE(has(share, good)) << good;
    }
    for (const char* bad : {"0", "0.04", "0.049", "0.95", "1", "-0.5", "00.5", ".5", "0.", "5e-1"}) {
        EXPECT_FALSE(has(share, bad)) << bad;
    }
    const auto below = texts({.most = at("-1.5")});
    EXPECT_TRUE(has(below, "-1.5"));
    EXPECT_TRUE(has(below, "-123456"));
    EXPECT_FALSE(has(below, "-1.49"));
    EXPECT_FALSE(has(below, "2"));
    const auto above = texts({.least = at("0", true)});
    EXPECT_TRUE(has(above, "0.001"));
    EXPECT_FALSE(has(above, "0"));
    EXPECT_FALSE(has(above, "0.000"));
    EXPECT_TRUE(texts({.least = at("2"), .most = at("1")}).empty());
    EXPECT_TRUE(texts({.whole_only = true, .least = at("0.1"), .most = at("0.9")}).empty());
}

TEST(Numbers, WholeOnesOfAnySize) {
    const auto byte = texts({.whole_only = true, .least = at("0"), .most = at("255")});
    for (int value = -10; value < 400; ++value) {
        EXPECT_EQ(has(byte, std::to_string(value)), value >= 0 && value <= 255) << value;
    }
    const auto large =
        texts({.whole_only = true, .least = at("18446744073709551614"), .most = at("18446744073709551616")});
    EXPECT_TRUE(has(large, "18446744073709551615"));
    EXPECT_FALSE(has(large, "18446744073709551617"));
}

TEST(Numbers, Multiples) {
    const auto cents = texts({.units = {*decimal_of("0.01")}});
    EXPECT_TRUE(has(cents, "12.34"));
    EXPECT_TRUE(has(cents, "12.3"));
    EXPECT_FALSE(has(cents, "12.345"));
    const auto quarters = texts({.least = at("-1"), .most = at("1"), .units = {*decimal_of("0.25")}});
    EXPECT_TRUE(has(quarters, "-0.75"));
    EXPECT_TRUE(has(quarters, "1.00"));
    EXPECT_FALSE(has(quarters, "0.3"));
    const auto both = texts({.whole_only = true, .units = {*decimal_of("4"), *decimal_of("6")}});
    EXPECT_TRUE(has(both, "24"));
    EXPECT_FALSE(has(both, "8"));
    std::size_t states = 100'000;
    EXPECT_FALSE(language_of({.units = {*decimal_of("99999.99")}}, states)) << "too large";
}

TEST(Numbers, AgreeWithArithmetic) {
    const auto seed = std::random_device{}();
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto in_thousandths = [](long value) {
        return fmt::format("{}{}.{:03}", value < 0 ? "-" : "", std::abs(value) / 1000, std::abs(value) % 1000);
    };
    int compared = 0;
    for (int round = 0; round < 150; ++round) {
        const long scale = round % 3 == 0 ? 3000 : round % 3 == 1 ? 200'000 : 40'000'000;
        const long low = static_cast<long>(random() % static_cast<unsigned>(scale)) - scale / 2;
        const long high = low + static_cast<long>(random() % static_cast<unsigned>(scale));
        const bool open = random() % 2 == 0;
        const long unit = random() % 3 == 0 ? 1 + static_cast<long>(random() % 700) : 0;
        Numbers numbers{.least = at(in_thousandths(low)), .most = at(in_thousandths(high), open)};
        if (unit > 0) {
            numbers.units.push_back(*decimal_of(in_thousandths(unit)));
        }
        std::size_t states = 100'000;
        const auto language = language_of(numbers, states);
        if (!language && unit > 0) {
            continue;  // too large
        }
        ASSERT_TRUE(language);
        ++compared;
        for (int each = 0; each < 80; ++each) {
            long value =
                low - scale / 10 + static_cast<long>(random() % static_cast<unsigned>(high - low + scale / 5 + 1));
            value = each % 8 == 0               ? low
                    : each % 8 == 1             ? high
                    : each % 8 == 2 && unit > 0 ? value / unit * unit
                                                : value;
            const bool expected =
                low <= value && (open ? value < high : value <= high) && (unit == 0 || value % unit == 0);
            auto text = in_thousandths(value);
            if (value % 1000 == 0 && random() % 2 == 0) {
                text.erase(text.size() - 4);
            }
            while (unit > 0 && text.contains('.') && (text.ends_with('0') || text.ends_with('.'))) {
                text.pop_back();  // no more digits than the unit has
            }
            if (text.starts_with("-0") && value == 0) {
                continue;
            }
            ASSERT_EQ(has(*language, text), expected)
                << text << " in " << in_thousandths(low) << " " << in_thousandths(high) << " by " << unit;
        }
    }
    EXPECT_GT(compared, 100);
}

}  // namespace
}  // namespace worker::engine::llama::schema
