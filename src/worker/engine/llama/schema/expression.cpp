#include "worker/engine/llama/schema/expression.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace worker::engine::llama::schema {
namespace {

// Nodes and their children together: a few dozen megabytes, a fraction of a second.
constexpr std::size_t most_size = 400'000;

}  // namespace

Expressions::Expressions() {
    known({.kind = Kind::nothing});
    known({.kind = Kind::empty, .takes_empty = true});
    known({.kind = Kind::other_than, .takes_empty = true, .children = {nothing}});
}

Expression Expressions::known(Node node) {
    std::vector<std::uint32_t> key = {static_cast<std::uint32_t>(node.kind), node.set, node.least, node.most};
    key.insert(key.end(), node.children.begin(), node.children.end());
    if (const auto found = numbers_.find(key); found != numbers_.end()) {
        return found->second;
    }
    size_ += 1 + node.children.size();
    if (size_ > most_size) {
        exhausted_ = true;
        return nothing;
    }
    nodes_.push_back(std::move(node));
    const auto number = static_cast<Expression>(nodes_.size() - 1);
    numbers_.emplace(std::move(key), number);
    return number;
}

Expression Expressions::characters(const CodePoints& set) {
    if (set.empty()) {
        return nothing;
    }
    const auto [place, added] = set_numbers_.try_emplace(set, static_cast<std::uint32_t>(sets_.size()));
    if (added) {
        sets_.push_back(set);
    }
    return known({.kind = Kind::characters, .set = place->second});
}

Expression Expressions::text(std::u32string_view text) {
    Expression expression = empty;
    for (auto character = text.rbegin(); character != text.rend(); ++character) {
        expression = then(characters(CodePoints({{*character, *character}})), expression);
    }
    return expression;
}

// Sequences hang to the right: (ab)c is a(bc).
Expression Expressions::then(Expression first, Expression second) {
    if (first == nothing || second == nothing) {
        return nothing;
    }
    if (first == empty || (first == anything && second == anything)) {
        return second;
    }
    if (second == empty) {
        return first;
    }
    std::vector<Expression> parts;
    for (Expression part = first; true; part = nodes_[part].children[1]) {
        if (nodes_[part].kind != Kind::then) {
            parts.push_back(part);
            break;
        }
        parts.push_back(nodes_[part].children[0]);
    }
    Expression sequence = second;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
        if (*part == anything && (sequence == anything ||
                                  (nodes_[sequence].kind == Kind::then && nodes_[sequence].children[0] == anything))) {
            continue;
        }
        sequence = known({.kind = Kind::then,
                          .takes_empty = takes_empty(*part) && takes_empty(sequence),
                          .children = {*part, sequence}});
    }
    return sequence;
}

Expression Expressions::either(std::vector<Expression> choices) {
    std::set<Expression> distinct;
    CodePoints set;
    while (!choices.empty()) {
        const Expression each = choices.back();
        choices.pop_back();
        const Node& node = nodes_[each];
        if (each == anything) {
            return anything;
        }
        if (node.kind == Kind::either) {
            choices.insert(choices.end(), node.children.begin(), node.children.end());
        } else if (node.kind == Kind::characters) {
            set = set.united(sets_[node.set]);
        } else if (each != nothing) {
            distinct.insert(each);
        }
    }
    if (!set.empty()) {
        distinct.insert(characters(set));
    }
    std::vector<Expression> children(distinct.begin(), distinct.end());
    join_repetitions(children);
    const bool others_take_empty =
        std::ranges::any_of(children, [&](Expression child) { return child != empty && takes_empty(child); });
    if (others_take_empty) {
        std::erase(children, empty);
    }
    if (children.size() < 2) {
        return children.empty() ? nothing : children.front();
    }
    const bool takes_empty = std::ranges::any_of(children, [&](Expression child) { return this->takes_empty(child); });
    return known({.kind = Kind::either, .takes_empty = takes_empty, .children = std::move(children)});
}

// What follows a counted repetition that could have ended earlier or later would otherwise be one choice for each
// count: h x{0,5} t | h x{0,4} t is h x{0,5} t.
void Expressions::join_repetitions(std::vector<Expression>& choices) {
    struct Counted {
        std::vector<Expression> around;  // before, what is repeated, after
        std::uint32_t least = 0;
        std::uint32_t most = 0;
    };
    const auto counted = [&](Expression choice) -> std::optional<Counted> {
        Counted found;
        Expression rest = choice;
        while (true) {
            const Expression part = nodes_[rest].kind == Kind::then ? nodes_[rest].children[0] : rest;
            const auto& [kind, takes_empty, set, least, most, children] = nodes_[part];
            if (kind == Kind::repeated && least != most && most > 1 && most != no_limit) {
                found.least = least;
                found.most = most;
                found.around.push_back(children[0]);
                found.around.push_back(part == rest ? empty : nodes_[rest].children[1]);
                return found;
            }
            if (part == rest) {
                return std::nullopt;
            }
            found.around.push_back(part);
            rest = nodes_[rest].children[1];
        }
    };
    std::map<std::vector<Expression>, Counted> joined;
    std::vector<Expression> kept;
    for (const Expression choice : choices) {
        auto each = counted(choice);
        if (!each) {
            kept.push_back(choice);
            continue;
        }
        const auto [place, added] = joined.try_emplace(each->around, *each);
        auto& one = place->second;
        if (!added && each->least <= one.most + 1 && one.least <= each->most + 1) {
            one.least = std::min(one.least, each->least);
            one.most = std::max(one.most, each->most);
        } else if (!added) {
            kept.push_back(choice);
        }
    }
    for (const auto& [around, one] : joined) {
        Expression choice = then(repeated(around[around.size() - 2], one.least, one.most), around.back());
        for (auto before = around.rbegin() + 2; before != around.rend(); ++before) {
            choice = then(*before, choice);
        }
        kept.push_back(choice);
    }
    std::ranges::sort(kept);
    const auto doubled = std::ranges::unique(kept);
    kept.erase(doubled.begin(), doubled.end());
    choices = std::move(kept);
}

Expression Expressions::both(std::vector<Expression> demands) {
    std::set<Expression> distinct;
    while (!demands.empty()) {
        const Expression each = demands.back();
        demands.pop_back();
        if (each == nothing) {
            return nothing;
        }
        if (nodes_[each].kind == Kind::both) {
            demands.insert(demands.end(), nodes_[each].children.begin(), nodes_[each].children.end());
        } else if (each != anything) {
            distinct.insert(each);
        }
    }
    std::vector<Expression> children(distinct.begin(), distinct.end());
    const bool takes_empty = std::ranges::all_of(children, [&](Expression child) { return this->takes_empty(child); });
    if (distinct.contains(empty)) {
        return takes_empty ? empty : nothing;
    }
    if (children.size() < 2) {
        return children.empty() ? anything : children.front();
    }
    return known({.kind = Kind::both, .takes_empty = takes_empty, .children = std::move(children)});
}

Expression Expressions::other_than(Expression expression) {
    if (nodes_[expression].kind == Kind::other_than) {
        return nodes_[expression].children[0];
    }
    return known({.kind = Kind::other_than, .takes_empty = !takes_empty(expression), .children = {expression}});
}

Expression Expressions::repeated(Expression expression, std::uint32_t least, std::uint32_t most) {
    if (least > most) {
        return nothing;
    }
    if (expression == nothing) {
        return least == 0 ? empty : nothing;
    }
    if (expression == empty || most == 0) {
        return empty;
    }
    if (least == 1 && most == 1) {
        return expression;
    }
    if (takes_empty(expression)) {
        least = 0;  // the others can be empty
    }
    if (expression == anything) {
        return anything;
    }
    const auto& node = nodes_[expression];
    if (least == 0 && most == no_limit) {
        const bool every = node.kind == Kind::characters && sets_[node.set] == CodePoints::all();
        if (every) {
            return anything;
        }
        if (node.kind == Kind::repeated && node.least <= 1 && node.most == no_limit) {
            return repeated(node.children[0], 0, no_limit);
        }
    }
    return known(
        {.kind = Kind::repeated, .takes_empty = least == 0, .least = least, .most = most, .children = {expression}});
}

Expression Expressions::after(Expression expression, char32_t character) {
    if (exhausted_) {
        return nothing;
    }
    const auto key = (std::uint64_t{expression} << 32U) | character;
    if (const auto found = derivatives_.find(key); found != derivatives_.end()) {
        return found->second;
    }
    const Expression result = derived(expression, character);
    if (++size_ > most_size) {
        exhausted_ = true;
    }
    derivatives_.emplace(key, result);
    return result;
}

Expression Expressions::derived(Expression expression, char32_t character) {
    const Node node = nodes_[expression];  // a copy: what follows adds nodes
    switch (node.kind) {
        case Kind::nothing:
        case Kind::empty: return nothing;
        case Kind::characters: return sets_[node.set].contains(character) ? empty : nothing;
        case Kind::then: {
            const Expression longer = then(after(node.children[0], character), node.children[1]);
            return takes_empty(node.children[0]) ? either({longer, after(node.children[1], character)}) : longer;
        }
        case Kind::either:
        case Kind::both: {
            std::vector<Expression> children;
            for (const Expression child : node.children) {
                children.push_back(after(child, character));
            }
            return node.kind == Kind::either ? either(std::move(children)) : both(std::move(children));
        }
        case Kind::other_than: return other_than(after(node.children[0], character));
        case Kind::repeated: {
            const auto less = [](std::uint32_t count) { return count == 0 || count == no_limit ? count : count - 1; };
            return then(after(node.children[0], character),
                        repeated(node.children[0], less(node.least), less(node.most)));
        }
    }
    return nothing;
}

std::vector<CodePoints> Expressions::sets(Expression expression) const {
    std::set<Expression> seen = {expression};
    std::vector<Expression> open = {expression};
    std::set<std::uint32_t> found;
    while (!open.empty()) {
        const Node& node = nodes_[open.back()];
        open.pop_back();
        if (node.kind == Kind::characters) {
            found.insert(node.set);
        }
        for (const Expression child : node.children) {
            if (seen.insert(child).second) {
                open.push_back(child);
            }
        }
    }
    std::vector<CodePoints> sets;
    for (const auto set : found) {
        sets.push_back(sets_[set]);
    }
    return sets;
}

}  // namespace worker::engine::llama::schema
