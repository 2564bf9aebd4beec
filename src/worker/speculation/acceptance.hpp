#pragma once

/// Learns how often guesses come true, for one answer. A guess made after a long agreement is a better one, so lengths
/// of agreement are told apart. Begins with what is usual, and forgets: texts change.

#include <array>
#include <cstddef>

#include "worker/speculation/draft.hpp"

namespace worker::speculation {

class Acceptance {
public:
    Acceptance();

    /// Begins with what was learned of other answers instead.
    void begin_like(const Acceptance& usual, Source source);

    /// Of a guess whose source agreed with the last `agreed` tokens.
    double chance(Source source, std::size_t agreed) const;
    void observe(Source source, std::size_t agreed, bool came_true);

private:
    static constexpr std::size_t levels = 6;

    struct Estimate {
        double tries = 0;
        double hits = 0;
    };

    static std::size_t level_of(std::size_t agreed);

    std::array<std::array<Estimate, levels>, sources> estimates_;
};

}  // namespace worker::speculation
