#pragma once

/// Many token sequences as one tree: what begins alike is one path. A holder is anything numbered that stands for such
/// a sequence (one in the engine's memory, or a saved state); each node knows who goes through it, so that the longest
/// common beginning with a prompt is found in time of the prompt's length, however many holders there are. Holders of
/// different salts never meet. Pure bookkeeping.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace worker::prefix {

using Token = std::int32_t;
using Holder = std::uint32_t;

class PrefixTree {
public:
    /// A part of the path of a prompt: who has its first `tokens` tokens. Lives until the tree changes.
    struct Step {
        std::size_t tokens = 0;
        std::span<const Holder> holders;
    };

    PrefixTree();
    ~PrefixTree();
    PrefixTree(PrefixTree&&) noexcept;
    PrefixTree& operator=(PrefixTree&&) noexcept;

    /// The holder, empty until now, continues with `tokens`. Salt matters for its first tokens only.
    void extend(Holder holder, std::span<const Token> tokens, std::string_view salt);
    /// `to`, empty until now, holds the first `tokens` tokens of `from`.
    void follow(Holder to, Holder from, std::size_t tokens);
    /// What follows the first `tokens` tokens is no longer the holder's.
    void trim(Holder holder, std::size_t tokens);

    std::size_t length(Holder holder) const;
    std::vector<Token> tokens(Holder holder) const;

    /// The path of a prompt as far as any holder goes; each step has more tokens, and some of the holders, of the one
    /// before.
    std::vector<Step> walk(std::span<const Token> tokens, std::string_view salt) const;
    /// The whole path of a holder.
    std::vector<Step> path(Holder holder) const;

    std::size_t nodes() const { return nodes_; }

private:
    struct Node;

    Node*& end(Holder holder);
    Node* root(std::string_view salt);
    Node& add_child(Node& parent, std::span<const Token> run, std::vector<Holder> holders);
    void split(Node& node, std::size_t tokens);
    void merge_with_only_child(Node& node);
    Node* leave(Node& node, Holder holder);

    std::map<std::string, std::unique_ptr<Node>, std::less<>> roots_;
    /// Of each holder, the node its sequence ends with; null when it is empty.
    std::vector<Node*> ends_;
    std::size_t nodes_ = 0;
};

}  // namespace worker::prefix
