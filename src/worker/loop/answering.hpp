#pragma once

/// After a step: the next tokens of an answer and the events that tell of them.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "worker/loop/run.hpp"

namespace worker::loop {

/// How a step took one answer on.
struct Progress {
    /// In the order they are to be sent.
    std::vector<rpc::Event> events;
    /// Tokens that were chosen, the end token among them.
    std::uint32_t tokens = 0;
    /// Of the tokens that the events tell of.
    std::uint32_t reasoning_tokens = 0;
    /// Tokens of the run's draft that turned out to be the answer's and are kept.
    std::size_t accepted = 0;
    /// The answer is complete; its last event is `ChoiceFinished`.
    bool finished = false;
    /// The answer cannot go on; the job fails once the events are sent.
    std::optional<base::Error> failure;
};

/// Chooses the run's next token from the distribution at `first_output` of the last step, and as long as what is chosen
/// is what the draft says, the next one from the distribution that follows. The same tokens in the same order as without
/// a draft, since nothing is chosen from a distribution that depends on a wrong guess. Changes the run alone, so that
/// different runs may be taken on side by side. `context_tokens`: most tokens of prompt and answer together.
Progress take_on(Run& run, std::size_t first_output, std::size_t context_tokens);

}  // namespace worker::loop
