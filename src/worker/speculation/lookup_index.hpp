#pragma once

/// Finds where in a growing text its last tokens stood before. Two chains of equal beginnings, as compressors have
/// them: through the places with the same last four tokens, and through those with the same last two. Appending costs
/// a few nanoseconds a token, looking up a few microseconds.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "worker/speculation/draft.hpp"

namespace worker::speculation {

/// A token that no model has: what comes after it has nothing to do with what came before, and no match reaches over it.
inline constexpr Token divider = -1;

class LookupIndex {
public:
    /// A place in the text, and how many tokens before it equal the last ones of the text.
    struct Match {
        std::size_t position = 0;
        std::size_t length = 0;
    };

    LookupIndex();

    /// Begins with a divider.
    void append(Token token);

    /// The longest match of two tokens or more; the latest of those as long.
    std::optional<Match> find() const;

    const std::vector<Token>& text() const { return text_; }

private:
    struct Chain {
        std::size_t tokens;                // that places in one chain have in common
        std::vector<std::uint32_t> heads;  // by hash: the latest place, 0 for none
        std::vector<std::uint32_t> next;   // by place: the one before it with the same hash
    };

    std::size_t hash_of_end(const Chain& chain) const;
    std::size_t length_of_match(std::size_t position) const;
    std::optional<Match> longest_in(const Chain& chain) const;
    void add_end_to(Chain& chain);

    std::vector<Token> text_;
    Chain chains_[2];
};

}  // namespace worker::speculation
