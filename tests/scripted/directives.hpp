#pragma once

/// What a test writes into a prompt to direct the scripted worker: `[[key=value key …]]`, as many pairs of brackets as
/// it likes, anywhere in the last user message (or in the prompt of a completion, an image, the first embedding input).
/// Values run to the next space or to `]]`.
///
///   tokens=N           answer with N numbered words instead of an echo; images: ignored
///   delay_ms=N         wait before each token; images: before each step
///   first_delay_ms=N   wait before the first event after `queued`
///   reasoning=N        N words of reasoning before the answer
///   tool=NAME          answer with a call of the function NAME; its argument is {"text": the echo}
///   prompt_tokens=N    usage to report instead of the counted words
///   cached_tokens=N
///   finish=length      finish reason of the answer (stop is the default)
///   fail=CODE          fail instead of answering; CODE is a name of ErrorCode in lower case, e.g. busy, context_length
///   fail_after=N       with `fail`: after N tokens (images: steps)
///   crash              end the process by a signal
///   crash_after=N      the same after N tokens (steps)
///   hang               say nothing more: no events, no answer to Health, deaf to Cancel
///   hang_after=N       the same after N tokens (steps)
///
/// Without directives the answer is an echo of the message, one token a word; "ok" when it is empty.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "engine.pb.h"

namespace scripted {

namespace contract = llm_gateway::engine::v1;

struct Directives {
    std::optional<unsigned> tokens;
    std::chrono::milliseconds delay{0};
    std::chrono::milliseconds first_delay{0};
    unsigned reasoning = 0;
    std::string tool;
    std::optional<unsigned> prompt_tokens;
    unsigned cached_tokens = 0;
    bool finish_by_length = false;
    contract::ErrorCode fail = contract::ERROR_CODE_UNSPECIFIED;
    unsigned fail_after = 0;
    std::optional<unsigned> crash_after;
    std::optional<unsigned> hang_after;
    /// The text without the directives, without spaces around it.
    std::string echo;
};

/// Unknown keys and bad numbers are ignored.
Directives directives_of(std::string_view text);

}  // namespace scripted
