#pragma once

/// Tells a worker that is stuck from one that computes, and from one that only does not get the processor. Image
/// workers run at low priority: while chats keep every core busy they hardly move, and must not be taken for dead.

#include <sys/types.h>

#include <filesystem>
#include <optional>

#include "base/clock.hpp"

namespace gateway::fleet {

/// What became of a process between two looks.
struct ProcessorTime {
    /// It used a twentieth of one processor or more: far more than answers to Health cost.
    bool computed = false;
    /// How long it wanted to run, or waited for a disk, and could not: the time in which it used no processor, if one
    /// of its threads is runnable now.
    base::Duration starved{};
};

class StarvationMeter {
public:
    explicit StarvationMeter(pid_t pid, std::filesystem::path proc = "/proc");

    /// Since the last look; nothing at the first.
    ProcessorTime look(base::TimePoint now);

private:
    struct Look {
        base::TimePoint at;
        base::Duration used{};
    };

    const std::filesystem::path tasks_;
    std::optional<Look> last_;
};

}  // namespace gateway::fleet
