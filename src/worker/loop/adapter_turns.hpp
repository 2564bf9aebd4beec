#pragma once

/// Whose turn it is among answers with different adapters. One step evaluates with one set of adapters, so those who use
/// the same one share steps, and the sets take turns: one step each, in a circle. One that comes new is the last of it,
/// so none starves however often others come and go.

#include <memory>
#include <span>
#include <vector>

#include "worker/loop/run.hpp"

namespace worker::loop {

class AdapterTurns {
public:
    /// The sets of those who run, the one whose turn it is first.
    std::vector<engine::AdapterSet> in_order(std::span<const std::unique_ptr<Run>> running);
    /// A step was for this one.
    void took(const engine::AdapterSet& adapters);

private:
    std::vector<engine::AdapterSet> circle_;
};

}  // namespace worker::loop
