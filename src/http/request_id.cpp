#include "http/request_id.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace http {

std::string new_request_id() {
    thread_local std::mt19937_64 random(std::random_device{}());
    return fmt::format("req_{:016x}{:016x}", random(), random());
}

bool is_sane_request_id(std::string_view id) {
    return !id.empty() && id.size() <= 128 && std::ranges::all_of(id, [](char character) {
        return (character >= '0' && character <= '9') || (character >= 'A' && character <= 'Z') ||
               (character >= 'a' && character <= 'z') || std::string_view("-_.:").contains(character);
    });
}

}  // namespace http
