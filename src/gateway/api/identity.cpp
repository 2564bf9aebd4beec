#include "gateway/api/identity.hpp"

#include <fmt/format.h>

#include <chrono>
#include <random>

namespace gateway::api {

std::string new_id(std::string_view prefix) {
    // The gateway has one thread; each draw is an instruction of the processor.
    static std::random_device device;
    return fmt::format("{}{:08x}{:08x}{:08x}{:08x}", prefix, device(), device(), device(), device());
}

std::int64_t unix_time() {
    return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

}  // namespace gateway::api
