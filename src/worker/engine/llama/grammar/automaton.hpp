#pragma once

/// The states a text can bring a grammar into, found as they are needed and remembered with the ways between them.
///
/// A state is the set of all stacks of places where the grammar may go on. Stacks share their lower parts and are
/// numbered, so that equal states are found to be equal, whatever text led to them.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "worker/engine/engine.hpp"
#include "worker/engine/llama/grammar/characters.hpp"
#include "worker/engine/llama/grammar/rules.hpp"

namespace worker::engine::llama::grammar {

/// Thrown when a grammar has too many ways to read a text, or its states take too much memory.
struct TooComplex : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Automaton {
public:
    using State = std::uint32_t;
    /// The state after a text that the grammar does not allow.
    static constexpr State dead = 0;
    /// One stack: the places to go on from, the innermost last. An empty one means that the text may end.
    using Stack = std::vector<Place>;

    explicit Automaton(std::shared_ptr<const Rules> rules);

    State start() const { return start_; }
    State next(State state, std::uint32_t character);
    /// The state after a token that the grammar names as such (`<token>`).
    State next_by_token(State state, Token token);

    bool may_end(State state) const { return states_[state].may_end; }
    bool names_tokens(State state) const { return states_[state].names_tokens; }
    /// Whether some character that begins so can come.
    bool could_begin(State state, PartOfCharacter part) const;
    /// What can come where a grammar leaves little choice.
    struct Outlook {
        bool fixed = false;                        ///< nothing but space and some characters by name
        bool space = false;                        ///< space may come
        std::optional<std::uint32_t> character{};  ///< the only other one
    };
    Outlook outlook(State state) const;

    std::vector<Stack> stacks(State state) const;
    State state_of(const std::vector<Stack>& stacks);
    State united(State one, State other);

    /// About how much memory is used.
    std::size_t bytes() const { return bytes_; }

private:
    using Node = std::uint32_t;
    static constexpr Node bottom = 0;  // the empty stack
    static constexpr State unknown = ~State{0};
    // From so many questions on a state answers for ASCII from a table.
    static constexpr std::uint32_t worth_a_table = 32;

    struct Link {
        Place place = 0;
        Node below = bottom;
    };
    struct Entry {
        std::vector<Node> stacks;             // sorted
        std::vector<std::uint32_t> first_of;  // ranges of characters that all lead to the same state: their first ones
        std::vector<State> then;              // and the state, or `unknown`
        std::unique_ptr<std::array<State, 128>> ascii;
        std::uint32_t asked = 0;
        bool may_end = false;
        bool names_tokens = false;
    };

    Node pushed(Place place, Node below);
    Node continued(Place place, Node below) { return rules_->ends_at(place) ? below : pushed(place, below); }
    /// The stacks that begin with a character or a token, when rules are replaced by what they stand for.
    const std::vector<Node>& expanded(Node node);
    State numbered(std::vector<Node> stacks);
    State step(State state, std::uint32_t character);
    void divide(Entry& entry) const;
    void take(std::size_t bytes);

    std::shared_ptr<const Rules> rules_;
    std::vector<Link> links_;
    std::unordered_map<std::uint64_t, Node> nodes_;
    std::unordered_map<Node, std::vector<Node>> expansions_;
    std::vector<Entry> states_;
    std::map<std::vector<Node>, State> numbers_;
    std::size_t bytes_ = 0;
    State start_ = dead;
};

}  // namespace worker::engine::llama::grammar
