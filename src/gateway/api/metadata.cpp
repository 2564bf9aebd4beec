#include "gateway/api/metadata.hpp"

#include <algorithm>

namespace gateway::api {
namespace {

constexpr std::size_t most_entries = 16;
constexpr std::size_t longest_name = 64;
constexpr std::size_t longest_value = 512;

std::size_t characters(const std::string& text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U; }));
}

}  // namespace

schema::Options metadata_options(std::string doc) {
    return {
        .doc = std::move(doc), .max_length = longest_value, .max_items = most_entries, .example = {{"topic", "demo"}}};
}

std::optional<std::string> check_metadata(const std::optional<Metadata>& metadata) {
    if (metadata)
        for (const auto& [name, value] : *metadata)
            if (name.empty() || characters(name) > longest_name)
                return "must have names of 1 to 64 characters";
    return std::nullopt;
}

}  // namespace gateway::api
