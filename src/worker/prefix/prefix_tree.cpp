#include "worker/prefix/prefix_tree.hpp"

#include <algorithm>
#include <utility>

namespace worker::prefix {

// Its run begins at `start`; every holder of a node holds the whole run. Sequences end only at the end of a node.
struct PrefixTree::Node {
    Node* parent = nullptr;
    std::size_t start = 0;
    std::vector<Token> run;
    std::vector<Holder> holders;
    std::map<Token, std::unique_ptr<Node>> children;
    std::string salt;  // of a root

    std::size_t end() const { return start + run.size(); }
    bool is_root() const { return parent == nullptr; }
};

PrefixTree::PrefixTree() = default;
PrefixTree::~PrefixTree() = default;
PrefixTree::PrefixTree(PrefixTree&&) noexcept = default;
PrefixTree& PrefixTree::operator=(PrefixTree&&) noexcept = default;

PrefixTree::Node*& PrefixTree::end(Holder holder) {
    if (ends_.size() <= holder) {
        ends_.resize(holder + std::size_t{1});
    }
    return ends_[holder];
}

PrefixTree::Node* PrefixTree::root(std::string_view salt) {
    const auto found = roots_.find(salt);
    if (found != roots_.end()) {
        return found->second.get();
    }
    auto& made = roots_[std::string(salt)];
    made = std::make_unique<Node>();
    made->salt = salt;
    return made.get();
}

PrefixTree::Node& PrefixTree::add_child(Node& parent, std::span<const Token> run, std::vector<Holder> holders) {
    auto child = std::make_unique<Node>();
    child->parent = &parent;
    child->start = parent.end();
    child->run.assign(run.begin(), run.end());
    child->holders = std::move(holders);
    ++nodes_;
    auto& place = parent.children[run.front()];
    place = std::move(child);
    return *place;
}

// The node keeps its first `tokens` tokens; the rest becomes its only child, with the same holders.
void PrefixTree::split(Node& node, std::size_t tokens) {
    auto children = std::exchange(node.children, {});
    Node& rest = add_child(node, std::span(node.run).subspan(tokens), node.holders);
    rest.start = node.start + tokens;
    rest.children = std::move(children);
    for (auto& [token, child] : rest.children) {
        child->parent = &rest;
    }
    node.run.resize(tokens);
    for (const Holder holder : rest.holders) {
        if (ends_[holder] == &node) {
            ends_[holder] = &rest;
        }
    }
}

void PrefixTree::merge_with_only_child(Node& node) {
    if (node.is_root() || node.children.size() != 1 ||
        node.children.begin()->second->holders.size() != node.holders.size()) {
        return;
    }
    const auto child = std::move(node.children.begin()->second);
    node.run.insert(node.run.end(), child->run.begin(), child->run.end());
    node.children = std::move(child->children);
    for (auto& [token, grandchild] : node.children) {
        grandchild->parent = &node;
    }
    for (const Holder holder : node.holders) {
        if (ends_[holder] == child.get()) {
            ends_[holder] = &node;
        }
    }
    --nodes_;
}

void PrefixTree::extend(Holder holder, std::span<const Token> tokens, std::string_view salt) {
    if (tokens.empty()) {
        return;
    }
    Node* const before = end(holder);
    Node* node = before != nullptr ? before : root(salt);
    while (!tokens.empty()) {
        const auto next = node->children.find(tokens.front());
        if (next == node->children.end()) {
            const bool only_its_own = !node->is_root() && node->children.empty() && node->holders.size() == 1;
            if (only_its_own) {
                node->run.insert(node->run.end(), tokens.begin(), tokens.end());
            } else {
                node = &add_child(*node, tokens, {holder});
            }
            break;
        }
        Node& child = *next->second;
        const auto common = static_cast<std::size_t>(std::ranges::mismatch(child.run, tokens).in1 - child.run.begin());
        if (common < child.run.size()) {
            split(child, common);
        }
        child.holders.push_back(holder);
        tokens = tokens.subspan(common);
        node = &child;
    }
    ends_[holder] = node;
    if (before != nullptr && before != node) {
        merge_with_only_child(*before);
    }
}

void PrefixTree::follow(Holder to, Holder from, std::size_t tokens) {
    Node* node = end(from);
    end(to) = nullptr;
    if (tokens == 0) {
        return;
    }
    while (node->start >= tokens) {
        node = node->parent;
    }
    if (node->end() > tokens) {
        split(*node, tokens - node->start);
    }
    ends_[to] = node;
    for (; !node->is_root(); node = node->parent) {
        node->holders.push_back(to);
    }
}

// Returns the parent. A node that nobody holds goes; its children, having none of other holders, went before.
PrefixTree::Node* PrefixTree::leave(Node& node, Holder holder) {
    std::erase(node.holders, holder);
    Node* const parent = node.parent;
    if (!node.holders.empty()) {
        merge_with_only_child(node);
        return parent;
    }
    parent->children.erase(node.run.front());
    --nodes_;
    if (parent->is_root() && parent->children.empty()) {
        roots_.erase(roots_.find(parent->salt));
        return nullptr;
    }
    return parent;
}

void PrefixTree::trim(Holder holder, std::size_t tokens) {
    Node* node = end(holder);
    if (node == nullptr || node->end() <= tokens) {
        return;
    }
    while (node != nullptr && !node->is_root() && node->start >= tokens) {
        node = leave(*node, holder);
    }
    if (node == nullptr || node->is_root()) {
        ends_[holder] = nullptr;
        return;
    }
    ends_[holder] = node;
    if (node->end() > tokens) {
        if (node->holders.size() == 1) {
            node->run.resize(tokens - node->start);
            return;
        }
        split(*node, tokens - node->start);
        ends_[holder] = node;
        leave(*node->children.begin()->second, holder);
    }
}

std::size_t PrefixTree::length(Holder holder) const {
    return holder < ends_.size() && ends_[holder] != nullptr ? ends_[holder]->end() : 0;
}

std::vector<Token> PrefixTree::tokens(Holder holder) const {
    std::vector<Token> tokens(length(holder));
    for (const Node* node = tokens.empty() ? nullptr : ends_[holder]; node != nullptr; node = node->parent) {
        std::ranges::copy(node->run, tokens.begin() + static_cast<std::ptrdiff_t>(node->start));
    }
    return tokens;
}

std::vector<PrefixTree::Step> PrefixTree::walk(std::span<const Token> tokens, std::string_view salt) const {
    std::vector<Step> steps;
    const auto found = roots_.find(salt);
    const Node* node = found == roots_.end() ? nullptr : found->second.get();
    while (node != nullptr && !tokens.empty()) {
        const auto next = node->children.find(tokens.front());
        if (next == node->children.end()) {
            break;
        }
        node = next->second.get();
        const auto common = static_cast<std::size_t>(std::ranges::mismatch(node->run, tokens).in1 - node->run.begin());
        steps.push_back({.tokens = node->start + common, .holders = node->holders});
        if (common < node->run.size()) {
            break;
        }
        tokens = tokens.subspan(common);
    }
    return steps;
}

std::vector<PrefixTree::Step> PrefixTree::path(Holder holder) const {
    std::vector<Step> steps;
    for (const Node* node = length(holder) == 0 ? nullptr : ends_[holder]; node != nullptr && !node->is_root();
         node = node->parent) {
        steps.push_back({.tokens = node->end(), .holders = node->holders});
    }
    std::ranges::reverse(steps);
    return steps;
}

}  // namespace worker::prefix
