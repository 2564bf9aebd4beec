#pragma once

/// Tells a worker that is stuck from one that only does not get the processor. Image workers run at idle priority:
/// while chats keep every core busy they hardly move, and must not be taken for dead.

#include <sys/types.h>

#include <filesystem>
#include <optional>

#include "base/clock.hpp"

namespace gateway::fleet {

class StarvationMeter {
public:
    explicit StarvationMeter(pid_t pid, std::filesystem::path proc = "/proc");

    /// How much of the time since the last look the process wanted to run, or waited for a disk, and could not: the
    /// time in which it used no processor, if one of its threads is runnable now. 0 at the first look.
    base::Duration look(base::TimePoint now);

private:
    struct Look {
        base::TimePoint at;
        base::Duration used{};
    };

    const std::filesystem::path tasks_;
    std::optional<Look> last_;
};

}  // namespace gateway::fleet
