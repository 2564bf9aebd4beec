#include "gateway/fleet/starvation.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

namespace gateway::fleet {
namespace {

struct ThreadTimes {
    char state = 'S';
    long ticks = 0;
};

/// proc(5): the name, field 2, is in brackets and may hold brackets; 3 is the state, 14 and 15 are the processor times.
ThreadTimes read_thread(const std::filesystem::path& stat) {
    std::ifstream file(stat);
    std::string text;
    std::getline(file, text, '\0');
    const auto name_end = text.rfind(')');
    if (name_end == std::string::npos) {
        return {};
    }
    std::istringstream fields(text.substr(name_end + 1));
    ThreadTimes times;
    fields >> times.state;
    std::string skipped;
    for (int field = 4; field < 14; ++field) {
        fields >> skipped;
    }
    long user = 0;
    long system = 0;
    fields >> user >> system;
    times.ticks = user + system;
    return times;
}

}  // namespace

StarvationMeter::StarvationMeter(pid_t pid, std::filesystem::path proc)
    : tasks_(std::move(proc) / std::to_string(pid) / "task") {}

ProcessorTime StarvationMeter::look(base::TimePoint now) {
    static const long ticks_a_second = ::sysconf(_SC_CLK_TCK);
    bool wants_to_run = false;
    long ticks = 0;
    std::error_code gone;
    for (const auto& thread : std::filesystem::directory_iterator(tasks_, gone)) {
        const auto times = read_thread(thread.path() / "stat");
        wants_to_run = wants_to_run || times.state == 'R' || times.state == 'D';
        ticks += times.ticks;
    }
    const base::Duration used = std::chrono::milliseconds(ticks * 1000 / ticks_a_second);
    const auto before = std::exchange(last_, Look{.at = now, .used = used});
    if (!before) {
        return {};
    }
    const auto passed = now - before->at;
    const auto computed = used - before->used;
    return {.computed = computed > base::Duration{} && computed * 20 >= passed,
            .starved = wants_to_run ? std::max(base::Duration{}, passed - computed) : base::Duration{}};
}

}  // namespace gateway::fleet
