#include "worker/engine/llama/schema/pattern.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "worker/engine/llama/schema/pattern_tree.hpp"

namespace worker::engine::llama::schema {
namespace {

using Tree = PatternTree;
using Kind = PatternTree::Kind;

/// What a part and all that follows it matches: where it begins the text, and where something stands before it.
struct Rest {
    Expression at_begin = Expressions::nothing;
    Expression later = Expressions::nothing;
};

class Composer {
public:
    explicit Composer(Expressions& expressions) : expressions_(expressions) {}

    /// Nothing for looking ahead inside a repetition.
    std::optional<Rest> before(const Tree& tree, Rest rest) {
        if (is_plain(tree)) {
            return before(plain(tree), rest);
        }
        switch (tree.kind) {
            case Kind::characters: break;
            case Kind::begin: return Rest{.at_begin = rest.at_begin, .later = Expressions::nothing};
            case Kind::end: return Rest{.at_begin = end(rest.at_begin), .later = end(rest.later)};
            case Kind::sequence:
                for (auto part = tree.children.rbegin(); part != tree.children.rend(); ++part) {
                    if (const auto longer = before(*part, rest)) {
                        rest = *longer;
                    } else {
                        return std::nullopt;
                    }
                }
                return rest;
            case Kind::choice: {
                std::vector<Expression> at_begin;
                std::vector<Expression> later;
                for (const Tree& child : tree.children) {
                    const auto each = before(child, rest);
                    if (!each) {
                        return std::nullopt;
                    }
                    at_begin.push_back(each->at_begin);
                    later.push_back(each->later);
                }
                return Rest{expressions_.either(std::move(at_begin)), expressions_.either(std::move(later))};
            }
            case Kind::repeated:
                if (tree.least == 0 && tree.most == 1) {
                    const auto once = before(tree.children[0], rest);
                    return once ? std::optional(Rest{expressions_.either({once->at_begin, rest.at_begin}),
                                                     expressions_.either({once->later, rest.later})})
                                : std::nullopt;
                }
                return std::nullopt;
            case Kind::ahead:
            case Kind::not_ahead: {
                const auto seen = before(tree.children[0], {Expressions::anything, Expressions::anything});
                if (!seen) {
                    return std::nullopt;
                }
                const auto demand = [&](Expression ahead, Expression rest) {
                    return expressions_.both({tree.kind == Kind::ahead ? ahead : expressions_.other_than(ahead), rest});
                };
                return Rest{demand(seen->at_begin, rest.at_begin), demand(seen->later, rest.later)};
            }
        }
        return std::nullopt;
    }

private:
    static bool is_plain(const Tree& tree) {
        return (tree.kind == Kind::characters || tree.kind == Kind::sequence || tree.kind == Kind::choice ||
                tree.kind == Kind::repeated) &&
               std::ranges::all_of(tree.children, is_plain);
    }

    Expression plain(const Tree& tree) {
        switch (tree.kind) {
            case Kind::characters: return expressions_.characters(tree.set);
            case Kind::choice: {
                std::vector<Expression> choices;
                for (const Tree& child : tree.children) {
                    choices.push_back(plain(child));
                }
                return expressions_.either(std::move(choices));
            }
            case Kind::repeated: return expressions_.repeated(plain(tree.children[0]), tree.least, tree.most);
            default: {
                Expression sequence = Expressions::empty;
                for (auto part = tree.children.rbegin(); part != tree.children.rend(); ++part) {
                    sequence = expressions_.then(plain(*part), sequence);
                }
                return sequence;
            }
        }
    }

    Rest before(Expression part, Rest rest) {
        const Expression later = expressions_.then(part, rest.later);
        if (rest.at_begin == rest.later) {
            return {later, later};
        }
        if (!expressions_.takes_empty(part)) {
            return {later, later};
        }
        const Expression some = expressions_.both({part, not_empty()});
        return {expressions_.either({rest.at_begin, expressions_.then(some, rest.later)}), later};
    }

    Expression end(Expression rest) const {
        return expressions_.takes_empty(rest) ? Expressions::empty : Expressions::nothing;
    }
    Expression not_empty() { return expressions_.then(expressions_.any_character(), Expressions::anything); }

    Expressions& expressions_;
};

}  // namespace

base::Result<Expression> texts_with(Expressions& expressions, std::string_view pattern) {
    const auto tree = pattern_tree(pattern);
    if (!tree) {
        return std::unexpected(tree.error());
    }
    const auto found = Composer(expressions).before(*tree, {Expressions::anything, Expressions::anything});
    if (!found) {
        return base::fail(base::ErrorCode::unsupported, "looking around inside a repetition cannot be enforced");
    }
    const Expression something = expressions.then(expressions.any_character(), Expressions::anything);
    return expressions.either({found->at_begin, expressions.then(something, found->later)});
}

}  // namespace worker::engine::llama::schema
