#include "worker/loop/memory.hpp"

namespace worker::loop {
namespace {

engine::Sequence number(std::size_t sequence) {
    return static_cast<engine::Sequence>(sequence);
}

}  // namespace

Memory::Memory(engine::TextEngine& engine)
    : engine_(engine), store_(engine.limits().sequences, engine.limits().cells) {}

// The last token is always evaluated: its distribution is what the answer begins with.
std::optional<prefix::Match> Memory::match(std::span<const engine::Token> tokens, std::string_view salt) const {
    return store_.longest_match(tokens.first(tokens.size() - 1), salt, [this](std::size_t sequence, std::size_t count) {
        return engine_.reusable(number(sequence), count);
    });
}

std::size_t Memory::cached(std::span<const engine::Token> tokens, std::string_view salt) const {
    const auto found = match(tokens, salt);
    return found ? found->tokens : 0;
}

std::optional<Memory::Place> Memory::acquire(std::span<const engine::Token> tokens, std::string_view salt,
                                             std::size_t promised) {
    const auto found = match(tokens, salt);
    if (!store_.could_hold(tokens.size(), found, promised)) {
        return std::nullopt;
    }
    const auto target = store_.place(found ? std::optional(found->sequence) : std::nullopt);
    if (!target) {
        return std::nullopt;
    }
    std::size_t cached = 0;
    if (found && *target == found->sequence) {
        cached = roll_back(number(*target), found->tokens);
    } else {
        clear(*target);
        if (found) {
            engine_.copy(number(found->sequence), number(*target), found->tokens);
            store_.copy(found->sequence, *target, found->tokens);
            cached = found->tokens;
        }
    }
    store_.take(*target, salt);
    return Place{.sequence = number(*target), .cached = cached};
}

void Memory::release(engine::Sequence sequence) {
    store_.release(static_cast<std::size_t>(sequence));
}

void Memory::discard(engine::Sequence sequence) {
    clear(static_cast<std::size_t>(sequence));
    release(sequence);
}

bool Memory::make_room(std::size_t cells) {
    while (store_.free_cells() < cells) {
        const auto oldest = store_.oldest_idle();
        if (!oldest) {
            return false;
        }
        clear(*oldest);
    }
    return true;
}

void Memory::append(engine::Sequence sequence, std::span<const engine::Token> tokens) {
    store_.append(static_cast<std::size_t>(sequence), tokens);
}

std::size_t Memory::roll_back(engine::Sequence sequence, std::size_t tokens) {
    const std::size_t left = engine_.trim(sequence, tokens) ? tokens : 0;
    store_.trim(static_cast<std::size_t>(sequence), left);
    return left;
}

void Memory::clear(std::size_t sequence) {
    engine_.clear(number(sequence));
    store_.trim(sequence, 0);
}

}  // namespace worker::loop
