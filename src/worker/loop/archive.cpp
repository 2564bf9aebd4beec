#include "worker/loop/archive.hpp"

#include <utility>

namespace worker::loop {

using prefix::Tier;

Archive::Archive(engine::Saving saving, const Limits& limits)
    : limits_(saving == engine::Saving::none ? Limits{} : limits), states_(saving == engine::Saving::stretches) {}

void Archive::keep(std::span<const engine::Token> tokens, std::string_view salt, std::size_t from,
                   engine::SavedState state) {
    if (state.size == 0 || state.size > limits_.memory_bytes) {
        return;
    }
    const auto id = states_.add(tokens, salt, from);
    states_.store(id, Tier::memory, state.size);
    in_memory_[id] = std::move(state);
    for (const auto contained : states_.superseded_by(id)) {
        discard(contained);
    }
    while (states_.bytes(Tier::memory) > limits_.memory_bytes) {
        discard(*states_.next_to_go(Tier::memory));
    }
}

std::span<const std::byte> Archive::use(Id state) {
    states_.use(state);
    return in_memory_.at(state).view();
}

void Archive::discard(Id state) {
    in_memory_.erase(state);
    states_.drop(state, Tier::memory);
}

}  // namespace worker::loop
