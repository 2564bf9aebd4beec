#include "worker/engine/llama/positions.hpp"

#include <algorithm>

namespace worker::engine::llama {

llama_pos Positions::of(Sequence sequence, std::size_t token) const {
    const auto& jumps = of(sequence);
    const auto next = std::ranges::upper_bound(jumps, token, {}, &Jump::token);
    if (next == jumps.begin()) {
        return static_cast<llama_pos>(token);
    }
    const Jump& last = *std::prev(next);
    return last.position + static_cast<llama_pos>(token - last.token);
}

std::size_t Positions::tokens(Sequence sequence, llama_pos last) const {
    const auto& jumps = of(sequence);
    if (jumps.empty()) {
        return static_cast<std::size_t>(last + 1);
    }
    // A picture's tokens all stand where it begins.
    const Jump& jump = jumps.back();
    return last < jump.position ? jump.token : jump.token + static_cast<std::size_t>(last + 1 - jump.position);
}

void Positions::add(Sequence sequence, std::size_t end, llama_pos position) {
    if (of(sequence, end) != position) {
        of(sequence).push_back({.token = end, .position = position});
    }
}

void Positions::copy(Sequence from, Sequence to, std::size_t tokens) {
    of(to) = of(from);
    trim(to, tokens);
}

void Positions::trim(Sequence sequence, std::size_t tokens) {
    std::erase_if(of(sequence), [&](const Jump& jump) { return jump.token > tokens; });
}

}  // namespace worker::engine::llama
