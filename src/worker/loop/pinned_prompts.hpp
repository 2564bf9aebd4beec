#pragma once

/// Beginnings of prompts that the operator wants kept evaluated for good. They are evaluated while nothing else is to
/// be done, a step at a time, and may take a quarter of the cells at most.

#include <atomic>
#include <deque>
#include <vector>

#include "worker/engine/engine.hpp"
#include "worker/loop/memory.hpp"

namespace worker::loop {

struct PinOrder {
    std::vector<engine::Token> tokens;
};

class PinnedPrompts {
public:
    PinnedPrompts(engine::TextEngine& engine, Memory& memory) : engine_(engine), memory_(memory) {}

    /// One that does not fit any more is left out, with a line in the log.
    void add(PinOrder order);
    /// Evaluates a part. False when there is nothing to do.
    bool next();
    /// For a request that finds no room otherwise: they lose their place and are evaluated anew later, as far as they
    /// must. False when there are none.
    bool give_way();

private:
    struct Current {
        std::vector<engine::Token> tokens;
        engine::Sequence sequence = 0;
        std::size_t evaluated = 0;
    };

    bool start();

    engine::TextEngine& engine_;
    Memory& memory_;
    std::deque<PinOrder> waiting_;
    std::optional<Current> current_;
    std::vector<Current> pinned_;
    std::size_t tokens_ = 0;
    const std::atomic<bool> never_ = false;
};

}  // namespace worker::loop
