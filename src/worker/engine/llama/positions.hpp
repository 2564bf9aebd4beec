#pragma once

/// Where the tokens of each sequence stand for the model. It is their place in the sequence, but for models to which a
/// picture is as long as its longer side, however many tokens it takes: what follows it stands nearer.

#include <llama.h>

#include <cstddef>
#include <vector>

#include "worker/engine/engine.hpp"

namespace worker::engine::llama {

class Positions {
public:
    explicit Positions(std::size_t sequences) : jumps_(sequences) {}

    /// Of a token that is not inside a picture.
    llama_pos of(Sequence sequence, std::size_t token) const;
    /// How many tokens a sequence has whose last position is `last`; -1: it is empty.
    std::size_t tokens(Sequence sequence, llama_pos last) const;

    /// The tokens of a picture end before `end`; the token there stands at `position`.
    void add(Sequence sequence, std::size_t end, llama_pos position);
    /// `to` gets what the first `tokens` tokens of `from` have.
    void copy(Sequence from, Sequence to, std::size_t tokens);
    void trim(Sequence sequence, std::size_t tokens);

private:
    struct Jump {
        std::size_t token;
        llama_pos position;
    };
    std::vector<Jump>& of(Sequence sequence) { return jumps_[static_cast<std::size_t>(sequence)]; }
    const std::vector<Jump>& of(Sequence sequence) const { return jumps_[static_cast<std::size_t>(sequence)]; }

    /// In ascending order.
    std::vector<std::vector<Jump>> jumps_;
};

}  // namespace worker::engine::llama
