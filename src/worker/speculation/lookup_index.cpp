#include "worker/speculation/lookup_index.hpp"

#include <algorithm>
#include <utility>

namespace worker::speculation {
namespace {

constexpr std::size_t heads = std::size_t{1} << 14;
// Of many equal beginnings the latest are looked at.
constexpr std::size_t most_places = 48;
// A match as long as this is as good as a longer one.
constexpr std::size_t longest_match = 32;

}  // namespace

LookupIndex::LookupIndex()
    : text_{divider},
      chains_{{.tokens = 4, .heads = std::vector<std::uint32_t>(heads), .next = {0}},
              {.tokens = 2, .heads = std::vector<std::uint32_t>(heads), .next = {0}}} {}

void LookupIndex::append(Token token) {
    // The place behind the present end is found by what stands before it.
    for (Chain& chain : chains_) {
        add_end_to(chain);
    }
    text_.push_back(token);
}

void LookupIndex::add_end_to(Chain& chain) {
    std::uint32_t next = 0;
    if (text_.size() >= chain.tokens) {
        auto& head = chain.heads[hash_of_end(chain)];
        next = std::exchange(head, static_cast<std::uint32_t>(text_.size()));
    }
    chain.next.push_back(next);
}

std::size_t LookupIndex::hash_of_end(const Chain& chain) const {
    std::uint64_t hash = 0;
    for (auto token = text_.end() - static_cast<std::ptrdiff_t>(chain.tokens); token != text_.end(); ++token) {
        hash = (hash ^ static_cast<std::uint32_t>(*token)) * 0x9e3779b97f4a7c15ULL;
    }
    return static_cast<std::size_t>(hash >> 50);
}

std::optional<LookupIndex::Match> LookupIndex::find() const {
    for (const Chain& chain : chains_) {
        if (const auto match = longest_in(chain)) {
            return match;
        }
    }
    return std::nullopt;
}

std::optional<LookupIndex::Match> LookupIndex::longest_in(const Chain& chain) const {
    if (text_.size() < chain.tokens) {
        return std::nullopt;
    }
    Match best;
    std::size_t places = 0;
    for (std::size_t place = chain.heads[hash_of_end(chain)]; place != 0 && places < most_places;
         place = chain.next[place], ++places) {
        const auto length = length_of_match(place);
        if (length > best.length) {
            best = {.position = place, .length = length};
        }
    }
    return best.length >= chain.tokens ? std::optional(best) : std::nullopt;
}

std::size_t LookupIndex::length_of_match(std::size_t position) const {
    const std::size_t most = std::min(position, longest_match);
    std::size_t length = 0;
    while (length < most && text_[position - 1 - length] == text_[text_.size() - 1 - length] &&
           text_[position - 1 - length] != divider) {
        ++length;
    }
    return length;
}

}  // namespace worker::speculation
