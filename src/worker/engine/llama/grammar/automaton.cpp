#include "worker/engine/llama/grammar/automaton.hpp"

#include <algorithm>
#include <utility>

namespace worker::engine::llama::grammar {
namespace {

constexpr std::size_t most_stacks = 1024;
constexpr std::size_t most_bytes = std::size_t{32} << 20U;
constexpr std::size_t bytes_of_map_entry = 64;

}  // namespace

Automaton::Automaton(std::shared_ptr<const Rules> rules) : rules_(std::move(rules)) {
    links_.emplace_back();
    states_.emplace_back();  // dead
    std::vector<Node> stacks;
    for (const Place place : rules_->alternatives(rules_->root)) {
        const auto& more = expanded(continued(place, bottom));
        stacks.insert(stacks.end(), more.begin(), more.end());
    }
    start_ = numbered(std::move(stacks));
}

// Called before anything is added: what is thrown here leaves all as it was.
void Automaton::take(std::size_t bytes) {
    bytes_ += bytes;
    if (bytes_ > most_bytes) {
        throw TooComplex("the grammar needs too much memory");
    }
}

Automaton::Node Automaton::pushed(Place place, Node below) {
    const auto key = (std::uint64_t{place} << 32U) | below;
    if (const auto known = nodes_.find(key); known != nodes_.end()) {
        return known->second;
    }
    take(sizeof(Link) + bytes_of_map_entry);
    links_.push_back({place, below});
    return nodes_.emplace(key, static_cast<Node>(links_.size() - 1)).first->second;
}

const std::vector<Automaton::Node>& Automaton::expanded(Node node) {
    if (const auto known = expansions_.find(node); known != expansions_.end()) {
        return known->second;
    }
    std::vector<Node> found;
    std::vector<Node> seen = {node};
    for (std::size_t next = 0; next < seen.size(); ++next) {
        const Node top = seen[next];
        const auto [place, below] = links_[top];
        if (top == bottom || rules_->elements[place].kind != Kind::rule) {
            found.push_back(top);
            continue;
        }
        const Node after = continued(place + 1, below);
        for (const Place alternative : rules_->alternatives(rules_->elements[place].value)) {
            const Node inside = continued(alternative, after);
            if (std::ranges::find(seen, inside) == seen.end()) {
                seen.push_back(inside);
            }
        }
        if (seen.size() > most_stacks) {
            throw TooComplex("the grammar has too many ways to go on");
        }
    }
    std::ranges::sort(found);
    take(found.size() * sizeof(Node) + bytes_of_map_entry);
    return expansions_.emplace(node, std::move(found)).first->second;
}

Automaton::State Automaton::numbered(std::vector<Node> stacks) {
    if (stacks.empty()) {
        return dead;
    }
    std::ranges::sort(stacks);
    const auto doubled = std::ranges::unique(stacks);
    stacks.erase(doubled.begin(), doubled.end());
    if (stacks.size() > most_stacks) {
        throw TooComplex("the grammar has too many ways to read the text");
    }
    if (const auto known = numbers_.find(stacks); known != numbers_.end()) {
        return known->second;
    }
    Entry entry;
    entry.stacks = stacks;
    entry.may_end = stacks.front() == bottom;
    divide(entry);
    take(2 * stacks.size() * sizeof(Node) + 2 * entry.then.size() * sizeof(State) + sizeof(Entry) + bytes_of_map_entry);
    states_.push_back(std::move(entry));
    return numbers_.emplace(std::move(stacks), static_cast<State>(states_.size() - 1)).first->second;
}

// Two characters lead to the same state when no boundary of a set lies between them.
void Automaton::divide(Entry& entry) const {
    entry.first_of = {0};
    for (const Node node : entry.stacks) {
        if (node == bottom) {
            continue;
        }
        Place place = links_[node].place;
        const auto kind = rules_->elements[place].kind;
        if (kind == Kind::token || kind == Kind::not_token) {
            entry.names_tokens = true;
            continue;
        }
        for (const Place end = rules_->after_characters(place); place < end; ++place) {
            const auto& element = rules_->elements[place];
            if (element.kind != Kind::any_character) {
                entry.first_of.push_back(element.kind == Kind::range_end ? element.value + 1 : element.value);
                if (element.kind != Kind::range_end) {
                    entry.first_of.push_back(element.value + 1);
                }
            }
        }
    }
    std::ranges::sort(entry.first_of);
    const auto doubled = std::ranges::unique(entry.first_of);
    entry.first_of.erase(doubled.begin(), doubled.end());
    entry.then.assign(entry.first_of.size(), unknown);
}

Automaton::State Automaton::next(State state, std::uint32_t character) {
    Entry& entry = states_[state];
    if (entry.ascii != nullptr && character < entry.ascii->size()) {
        if (const State then = (*entry.ascii)[character]; then != unknown) {
            return then;
        }
    }
    if (entry.then.empty()) {
        return dead;
    }
    const auto range =
        static_cast<std::size_t>(std::ranges::upper_bound(entry.first_of, character) - entry.first_of.begin()) - 1;
    State then = entry.then[range];
    if (then == unknown) {
        then = step(state, character);  // `entry` may have moved
        states_[state].then[range] = then;
    }
    Entry& same = states_[state];
    if (same.ascii != nullptr && character < same.ascii->size()) {
        (*same.ascii)[character] = then;
    } else if (++same.asked == worth_a_table) {
        take(sizeof(*same.ascii));
        same.ascii = std::make_unique<std::array<State, 128>>();
        same.ascii->fill(unknown);
    }
    return then;
}

Automaton::State Automaton::step(State state, std::uint32_t character) {
    std::vector<Node> stacks;
    for (const Node node : std::vector(states_[state].stacks)) {
        const auto [place, below] = links_[node];
        const auto kind = rules_->elements[place].kind;
        if (node == bottom || kind == Kind::token || kind == Kind::not_token ||
            !rules_->has_character(place, character)) {
            continue;
        }
        const auto& more = expanded(continued(rules_->after_characters(place), below));
        stacks.insert(stacks.end(), more.begin(), more.end());
    }
    return numbered(std::move(stacks));
}

Automaton::State Automaton::next_by_token(State state, Token token) {
    std::vector<Node> stacks;
    for (const Node node : std::vector(states_[state].stacks)) {
        const auto [place, below] = links_[node];
        const auto& [kind, value] = rules_->elements[place];
        const bool same = value == static_cast<std::uint32_t>(token);
        if (node != bottom && ((kind == Kind::token && same) || (kind == Kind::not_token && !same))) {
            const auto& more = expanded(continued(place + 1, below));
            stacks.insert(stacks.end(), more.begin(), more.end());
        }
    }
    return numbered(std::move(stacks));
}

bool Automaton::could_begin(State state, PartOfCharacter part) const {
    const auto [first, last] = possible(part);
    if (first > last) {
        return false;
    }
    return std::ranges::any_of(states_[state].stacks, [&](Node node) {
        Place place = links_[node].place;
        const auto kind = rules_->elements[place].kind;
        if (node == bottom || kind == Kind::token || kind == Kind::not_token) {
            return false;
        }
        const bool wanted = kind != Kind::not_character;
        for (const Place end = rules_->after_characters(place); place < end; ++place) {
            const auto& element = rules_->elements[place];
            const bool range = rules_->elements[place + 1].kind == Kind::range_end;
            const auto high = range ? rules_->elements[place + 1].value : element.value;
            if (element.kind == Kind::any_character || (element.value <= last && first <= high)) {
                return wanted;
            }
            place += range ? 1 : 0;
        }
        return !wanted;
    });
}

Automaton::Outlook Automaton::outlook(State state) const {
    Outlook outlook;
    bool several = false;
    std::optional<std::uint32_t> only;
    bool one = true;
    for (const Node node : states_[state].stacks) {
        Place place = links_[node].place;
        if (node == bottom || rules_->elements[place].kind != Kind::character) {
            return {};
        }
        const Place first = place;
        bool space = false;
        bool other = false;
        for (const Place end = rules_->after_characters(place); place < end; ++place) {
            const auto& [kind, value] = rules_->elements[place];
            const bool is_space = value == ' ' || value == '\t' || value == '\n';
            (is_space && kind != Kind::range_end ? space : other) = true;
        }
        if (other && (space || rules_->has_character(first, ' '))) {
            return {};  // text, which space is a part of
        }
        const auto value = rules_->elements[first].value;
        const bool single = place == first + 1;
        one = one && single && only.value_or(value) == value;
        only = value;
        outlook.space = outlook.space || space;
        if (other) {
            several = several || !single || outlook.character.value_or(value) != value;
            outlook.character = value;
        }
    }
    outlook.fixed = true;
    if (one) {
        return {.fixed = true, .space = false, .character = only};
    }
    if (several) {
        outlook.character.reset();
    }
    return outlook;
}

std::vector<Automaton::Stack> Automaton::stacks(State state) const {
    std::vector<Stack> all;
    for (Node node : states_[state].stacks) {
        auto& stack = all.emplace_back();
        for (; node != bottom; node = links_[node].below) {
            stack.push_back(links_[node].place);
        }
        std::ranges::reverse(stack);
    }
    return all;
}

Automaton::State Automaton::state_of(const std::vector<Stack>& stacks) {
    std::vector<Node> nodes;
    for (const Stack& stack : stacks) {
        Node node = bottom;
        for (const Place place : stack) {
            node = pushed(place, node);
        }
        nodes.push_back(node);
    }
    return numbered(std::move(nodes));
}

Automaton::State Automaton::united(State one, State other) {
    auto stacks = states_[one].stacks;
    stacks.insert(stacks.end(), states_[other].stacks.begin(), states_[other].stacks.end());
    return numbered(std::move(stacks));
}

}  // namespace worker::engine::llama::grammar
