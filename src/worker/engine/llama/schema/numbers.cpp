#include "worker/engine/llama/schema/numbers.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <utility>

namespace worker::engine::llama::schema {
namespace {

constexpr std::size_t whole_digits = 16;    // where no bound says how many
constexpr std::size_t fraction_digits = 8;  // the same
constexpr std::uint32_t largest_unit = 100'000;
constexpr std::size_t most_states = 15'000;

/// Bounds of a number without its sign.
struct Side {
    bool possible = true;
    std::optional<Bound> least;
    std::optional<Bound> most;
};

Bound mirrored(const Bound& bound) {
    return {.value = bound.value.magnitude(), .excluded = bound.excluded};
}

Side not_negative(const Numbers& numbers) {
    Side side;
    if (numbers.least && !numbers.least->value.negative) {
        side.least = numbers.least;
    }
    if (numbers.most) {
        side.possible = !numbers.most->value.negative;
        side.most = numbers.most;
    }
    return side;
}

Side negative(const Numbers& numbers) {
    Side side;
    if (numbers.least) {
        side.possible = numbers.least->value.negative;
        side.most = mirrored(*numbers.least);
    }
    if (numbers.most && numbers.most->value.negative) {
        side.least = mirrored(*numbers.most);
    }
    return side;
}

struct Unit {
    std::uint32_t size = 1;    // in units of its last digit
    std::size_t fraction = 0;  // how many digits that is behind the point
};

std::optional<Unit> unit_of(const Decimal& decimal) {
    const std::string digits = decimal.whole + decimal.fraction;
    Unit unit{.size = 0, .fraction = decimal.fraction.size()};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), unit.size);
    if (error != std::errc() || end != digits.data() + digits.size() || unit.size == 0 || unit.size > largest_unit) {
        return std::nullopt;
    }
    return unit;
}

enum class Phase : std::uint8_t { start, sign, zero, whole, point, fraction };

struct State {
    Phase phase = Phase::start;
    bool negative = false;
    bool above_zero = false;
    std::size_t digits = 0;  // of the part of the number that the phase is in
    int to_least = 0;        // how the digits so far compare with those of the bound: -1, 0 or 1
    int to_most = 0;
    std::vector<std::uint32_t> rests;  // by unit

    auto operator<=>(const State&) const = default;
};

class Machine {
public:
    Machine(const Numbers& numbers, std::vector<Unit> units)
        : sides_{not_negative(numbers), negative(numbers)}, units_(std::move(units)), whole_only_(numbers.whole_only) {
        most_fraction_ = whole_only_ ? 0 : fraction_digits;
        for (const auto& side : sides_) {
            for (const auto& bound : {side.least, side.most}) {
                if (bound && !whole_only_) {
                    most_fraction_ = std::max(most_fraction_, bound->value.fraction.size() + 1);
                }
            }
        }
        for (const auto& unit : units_) {
            most_fraction_ = std::min(most_fraction_, unit.fraction);
        }
    }

    State start() const { return {.rests = std::vector<std::uint32_t>(units_.size())}; }

    std::optional<State> next(State state, char32_t character) const {
        if (character == '-') {
            if (state.phase != Phase::start || !sides_[1].possible) {
                return std::nullopt;
            }
            state.phase = Phase::sign;
            state.negative = true;
            return state;
        }
        if (!side(state).possible) {
            return std::nullopt;
        }
        if (character == '.') {
            if ((state.phase != Phase::zero && state.phase != Phase::whole) || most_fraction_ == 0) {
                return std::nullopt;
            }
            end_whole(state);
            state.phase = Phase::point;
            state.digits = 0;
            return state;
        }
        return digit(std::move(state), static_cast<char>(character));
    }

    bool ends(State state) const {
        if (state.phase == Phase::start || state.phase == Phase::sign || state.phase == Phase::point ||
            !side(state).possible || (state.negative && !state.above_zero)) {
            return false;
        }
        const bool in_fraction = state.phase == Phase::fraction;
        const std::size_t behind_point = in_fraction ? state.digits : 0;
        if (!in_fraction) {
            end_whole(state);
        }
        const auto compared = [&](const std::optional<Bound>& bound, int so_far) {
            const bool less = so_far == 0 && bound->value.fraction.size() > behind_point;
            return less ? -1 : so_far;
        };
        const auto& [possible, least, most] = side(state);
        if (least) {
            const int to_least = compared(least, state.to_least);
            if (to_least < 0 || (to_least == 0 && least->excluded)) {
                return false;
            }
        }
        if (most) {
            const int to_most = compared(most, state.to_most);
            if (to_most > 0 || (to_most == 0 && most->excluded)) {
                return false;
            }
        }
        for (std::size_t index = 0; index < units_.size(); ++index) {
            std::uint64_t rest = state.rests[index];
            for (auto place = behind_point; place < units_[index].fraction; ++place) {
                rest = rest * 10 % units_[index].size;
            }
            if (rest != 0) {
                return false;
            }
        }
        return true;
    }

private:
    const Side& side(const State& state) const { return sides_[state.negative ? 1 : 0]; }

    static std::size_t most_whole(const Side& side) {
        if (side.most) {
            return side.most->value.whole.size();
        }
        return std::max(whole_digits, side.least ? side.least->value.whole.size() + 1 : 0);
    }

    static int compared(char digit, char other) { return digit < other ? -1 : digit > other ? 1 : 0; }

    std::optional<State> digit(State state, char digit) const {
        const auto follow = [&](const std::optional<Bound>& bound, int& relation, bool in_fraction) {
            if (!bound) {
                return;
            }
            const std::string& digits = in_fraction ? bound->value.fraction : bound->value.whole;
            if (!in_fraction && state.digits >= digits.size()) {
                relation = 1;
            } else if (relation == 0) {
                relation = compared(digit, state.digits < digits.size() ? digits[state.digits] : '0');
            }
        };
        const bool in_fraction = state.phase == Phase::point || state.phase == Phase::fraction;
        if (state.phase == Phase::zero || (in_fraction && state.digits >= most_fraction_) ||
            (!in_fraction && state.digits >= most_whole(side(state)))) {
            return std::nullopt;
        }
        follow(side(state).least, state.to_least, in_fraction);
        follow(side(state).most, state.to_most, in_fraction);
        for (std::size_t index = 0; index < units_.size(); ++index) {
            const auto rest = std::uint64_t{state.rests[index]} * 10 + static_cast<std::uint64_t>(digit - '0');
            state.rests[index] = static_cast<std::uint32_t>(rest % units_[index].size);
        }
        state.above_zero = state.above_zero || digit != '0';
        if (in_fraction) {
            state.phase = Phase::fraction;
        } else {
            state.phase = state.digits == 0 && digit == '0' ? Phase::zero : Phase::whole;
        }
        ++state.digits;
        return state;
    }

    // A whole part with fewer digits than the bound's is less, whatever they are.
    void end_whole(State& state) const {
        const auto& [possible, least, most] = side(state);
        if (least && state.digits < least->value.whole.size()) {
            state.to_least = -1;
        }
        if (most && state.digits < most->value.whole.size()) {
            state.to_most = -1;
        }
    }

    Side sides_[2];
    std::vector<Unit> units_;
    bool whole_only_;
    std::size_t most_fraction_ = 0;
};

template <typename Stricter>
std::optional<Bound> stricter(const std::optional<Bound>& one, const std::optional<Bound>& other,
                              Stricter is_stricter) {
    if (!one || !other) {
        return one ? one : other;
    }
    if (one->value == other->value) {
        return Bound{.value = one->value, .excluded = one->excluded || other->excluded};
    }
    return is_stricter(one->value, other->value) ? one : other;
}

}  // namespace

Numbers Numbers::shared(const Numbers& other) const {
    Numbers both = *this;
    both.whole_only = whole_only || other.whole_only;
    both.plain = plain || other.plain;
    both.least = stricter(least, other.least, std::greater<>());
    both.most = stricter(most, other.most, std::less<>());
    for (const auto& unit : other.units) {
        if (std::ranges::find(both.units, unit) == both.units.end()) {
            both.units.push_back(unit);
        }
    }
    return both;
}

bool Numbers::spans(const Decimal& value) const {
    const bool high_enough = !least || value > least->value || (value == least->value && !least->excluded);
    const bool low_enough = !most || value < most->value || (value == most->value && !most->excluded);
    return high_enough && low_enough;
}

bool Numbers::bounds_meet() const {
    return !least || !most || least->value < most->value ||
           (least->value == most->value && !least->excluded && !most->excluded);
}

std::optional<Language> language_of(const Numbers& numbers, std::size_t& states_left) {
    std::vector<Unit> units;
    for (const auto& decimal : numbers.units) {
        const auto unit = unit_of(decimal);
        if (!unit) {
            return std::nullopt;
        }
        units.push_back(*unit);
    }
    const Machine machine(numbers, std::move(units));
    std::size_t looked_at = 0;
    auto language = explored(
        machine.start(), U"-.0123456789", std::min(most_states, states_left),
        [&](const State& state, char32_t character) { return machine.next(state, character); },
        [&](const State& state) {
            ++looked_at;
            return machine.ends(state);
        });
    states_left -= std::min(states_left, looked_at);
    return language;
}

}  // namespace worker::engine::llama::schema
