#include "worker/engine/llama/grammar/rules.hpp"

#include <fmt/format.h>
#include <llama-grammar.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace worker::engine::llama::grammar {
namespace {

using base::ErrorCode;
using base::fail;

Kind kind_of(llama_gretype type) {
    switch (type) {
        case LLAMA_GRETYPE_END: return Kind::end;
        case LLAMA_GRETYPE_ALT: return Kind::alternative;
        case LLAMA_GRETYPE_RULE_REF: return Kind::rule;
        case LLAMA_GRETYPE_CHAR: return Kind::character;
        case LLAMA_GRETYPE_CHAR_NOT: return Kind::not_character;
        case LLAMA_GRETYPE_CHAR_RNG_UPPER: return Kind::range_end;
        case LLAMA_GRETYPE_CHAR_ALT: return Kind::another_character;
        case LLAMA_GRETYPE_CHAR_ANY: return Kind::any_character;
        case LLAMA_GRETYPE_TOKEN: return Kind::token;
        case LLAMA_GRETYPE_TOKEN_NOT: return Kind::not_token;
    }
    return Kind::end;
}

const char* after_space(const char* text) {
    while (*text == ' ' || *text == '\t' || *text == '\r' || *text == '\n' || *text == '#') {
        if (*text == '#') {
            while (*text != 0 && *text != '\r' && *text != '\n') {
                ++text;
            }
        } else {
            ++text;
        }
    }
    return text;
}

std::optional<std::string> undefined_rule(const llama_grammar_parser& parser) {
    for (const auto& [name, id] : parser.symbol_ids) {
        if (id >= parser.rules.size() || parser.rules[id].empty()) {
            return name;
        }
    }
    return std::nullopt;
}

Rules flattened(const llama_grammar_rules& rules, std::size_t root) {
    std::vector<Place> begins;
    Place size = 0;
    for (const auto& rule : rules) {
        begins.push_back(size);
        size += static_cast<Place>(rule.size());
    }
    Rules flat{.root = begins[root]};
    flat.elements.reserve(size);
    for (const auto& rule : rules) {
        for (const auto& [type, value] : rule) {
            flat.elements.push_back({kind_of(type), type == LLAMA_GRETYPE_RULE_REF ? begins[value] : value});
        }
    }
    return flat;
}

// Finds rules that begin with themselves and leave something to do after it: to look for what may come first in them
// never ends. llama.cpp looks for left recursion too, but takes only rules for empty that have an empty alternative
// themselves: with others its stacks grow until the memory is full. Recursion that leaves nothing, as in `(a*)*`, is
// harmless.
class LeftRecursion {
public:
    explicit LeftRecursion(const llama_grammar_rules& rules) : rules_(rules), empty_(rules.size()) {
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t rule = 0; rule < rules.size(); ++rule) {
                if (!empty_[rule] && can_be_empty(rules[rule])) {
                    changed = empty_[rule] = true;
                }
            }
        }
    }

    bool found() const {
        Edges edges(rules_.size());
        Edges reversed(rules_.size());
        std::vector<std::pair<Rule, Rule>> growing;
        for (Rule rule = 0; rule < rules_.size(); ++rule) {
            visit_first_rules(rule, [&](Rule first, bool leaves_something) {
                edges[rule].push_back(first);
                reversed[first].push_back(rule);
                if (leaves_something) {
                    growing.emplace_back(rule, first);
                }
            });
        }
        // Rules that begin with each other form a component: backwards from the last one that a walk leaves.
        std::vector<Rule> component(rules_.size(), none);
        const auto order = left_order(edges);
        for (auto rule = order.rbegin(); rule != order.rend(); ++rule) {
            std::vector<Rule> open = {*rule};
            while (!open.empty()) {
                const Rule each = open.back();
                open.pop_back();
                if (component[each] == none) {
                    component[each] = *rule;
                    open.insert(open.end(), reversed[each].begin(), reversed[each].end());
                }
            }
        }
        return std::ranges::any_of(growing,
                                   [&](const auto& edge) { return component[edge.first] == component[edge.second]; });
    }

private:
    using Rule = std::uint32_t;
    using Edges = std::vector<std::vector<Rule>>;
    static constexpr Rule none = ~Rule{0};

    // The rules in the order in which a walk along the edges, deep first, leaves them.
    static std::vector<Rule> left_order(const Edges& edges) {
        std::vector<Rule> order;
        std::vector<bool> seen(edges.size());
        std::vector<std::pair<Rule, std::size_t>> path;  // and the next edge
        for (Rule start = 0; start < edges.size(); ++start) {
            if (!seen[start]) {
                seen[start] = true;
                path.emplace_back(start, 0);
            }
            while (!path.empty()) {
                auto& [rule, next] = path.back();
                if (next == edges[rule].size()) {
                    order.push_back(rule);
                    path.pop_back();
                } else if (const Rule to = edges[rule][next++]; !seen[to]) {
                    seen[to] = true;
                    path.emplace_back(to, 0);
                }
            }
        }
        return order;
    }

    static bool ends(const llama_grammar_element& element) {
        return element.type == LLAMA_GRETYPE_END || element.type == LLAMA_GRETYPE_ALT;
    }

    bool can_be_empty(const llama_grammar_rule& rule) const {
        bool empty = true;  // the alternative so far
        for (const auto& element : rule) {
            if (!ends(element)) {
                empty = empty && element.type == LLAMA_GRETYPE_RULE_REF && empty_[element.value];
            } else if (empty) {
                return true;
            } else {
                empty = true;
            }
        }
        return false;
    }

    template <typename Visit>
    void visit_first_rules(Rule rule, Visit visit) const {
        const auto& elements = rules_[rule];
        bool at_beginning = true;
        for (std::size_t index = 0; index < elements.size(); ++index) {
            const auto& [type, value] = elements[index];
            if (ends(elements[index])) {
                at_beginning = true;
            } else if (at_beginning) {
                const bool reference = type == LLAMA_GRETYPE_RULE_REF;
                if (reference) {
                    visit(value, !ends(elements[index + 1]));
                }
                at_beginning = reference && empty_[value];
            }
        }
    }

    const llama_grammar_rules& rules_;
    std::vector<bool> empty_;
};

}  // namespace

std::vector<Place> Rules::alternatives(Place rule) const {
    std::vector<Place> places = {rule};
    for (Place place = rule; elements[place].kind != Kind::end; ++place) {
        if (elements[place].kind == Kind::alternative) {
            places.push_back(place + 1);
        }
    }
    return places;
}

Place Rules::after_characters(Place place) const {
    do {
        place += elements[place + 1].kind == Kind::range_end ? 2 : 1;
    } while (elements[place].kind == Kind::another_character);
    return place;
}

bool Rules::has_character(Place place, std::uint32_t character) const {
    const bool wanted = elements[place].kind != Kind::not_character;
    do {
        const auto& element = elements[place];
        const bool range = elements[place + 1].kind == Kind::range_end;
        const auto last = range ? elements[place + 1].value : element.value;
        if (element.kind == Kind::any_character || (element.value <= character && character <= last)) {
            return wanted;
        }
        place += range ? 2 : 1;
    } while (elements[place].kind == Kind::another_character);
    return !wanted;
}

base::Result<Rules> parse_rules(const llama_vocab* vocab, const std::string& text) {
    llama_grammar_parser parser(vocab);
    try {
        for (const char* next = after_space(text.c_str()); *next != 0;) {
            next = parser.parse_rule(next);
        }
    } catch (const std::exception& problem) {
        return fail(ErrorCode::invalid, fmt::format("The grammar cannot be read: {:.200}", problem.what()));
    }
    const auto root = parser.symbol_ids.find("root");
    if (root == parser.symbol_ids.end()) {
        return fail(ErrorCode::invalid, "The grammar has no rule 'root'.");
    }
    if (const auto undefined = undefined_rule(parser)) {
        return fail(ErrorCode::invalid, fmt::format("The grammar has no rule '{:.200}'.", *undefined));
    }
    if (LeftRecursion(parser.rules).found()) {
        return fail(ErrorCode::invalid, "A rule of the grammar begins with itself (left recursion).");
    }
    return flattened(parser.rules, root->second);
}

}  // namespace worker::engine::llama::grammar
