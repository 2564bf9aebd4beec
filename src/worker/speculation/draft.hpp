#pragma once

/// Tokens guessed to come next. They are evaluated together with the one that is known, and each is kept only if it is
/// what sampling chooses: a guess can make an answer faster, never different.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace worker::speculation {

using Token = std::int32_t;

/// Where a guess comes from.
enum class Source {
    lookup,      ///< the prompt and the answer so far: what followed when the same tokens came before
    prediction,  ///< the text that the job expects to be answered
    format,      ///< the output format leaves no choice
    model,       ///< a smaller model
};
inline constexpr std::size_t sources = 4;
inline constexpr std::string_view source_names[sources] = {"lookup", "prediction", "format", "model"};

struct Draft {
    Source source = Source::lookup;
    std::vector<Token> tokens;
    /// For each token: how likely it is right, if those before it are.
    std::vector<double> chances;
    /// Tokens from elsewhere, of which the source is sure but for how they are split.
    std::size_t certain = 0;
    /// What each token would still take to be made, of a draft that is only planned; its tokens are not known yet.
    double making_seconds = 0;
};

}  // namespace worker::speculation
