#pragma once

/// From tokens to text that may be sent: valid UTF-8, and never a part of a stop text. What could be the beginning of a
/// stop text is held back until it is clear; half a match at the end of the answer is delivered.

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "engine.pb.h"
#include "worker/loop/utf8_gate.hpp"

namespace worker::loop {

struct Released {
    std::string text;
    /// The tokens whose text is out with this; only those that were pushed with their description.
    std::vector<llm_gateway::engine::v1::TokenInfo> tokens;
    /// The stop text that was found; nothing more may be pushed then.
    std::string stop = {};

    bool stopped() const { return !stop.empty(); }
};

class AnswerStream {
public:
    using TokenInfo = llm_gateway::engine::v1::TokenInfo;

    /// Empty stop texts are ignored.
    explicit AnswerStream(std::vector<std::string> stops);

    Released push(std::string_view bytes, const TokenInfo* info = nullptr);
    /// The answer ends without a stop text: everything held back.
    Released finish();

private:
    struct HeldToken {
        std::size_t begin = 0;  // offsets in the whole text
        std::size_t end = 0;
        TokenInfo info;
    };

    /// Where the first stop text begins, and which it is.
    struct Found {
        std::size_t begin = std::string::npos;
        std::string_view text;
    };
    Found find_stop() const;
    std::size_t length_of_possible_stop() const;
    Released release(std::size_t length, std::string_view stop);

    std::vector<std::string> stops_;
    Utf8Gate gate_;
    std::string held_;
    std::size_t released_ = 0;
    std::deque<HeldToken> tokens_;
};

}  // namespace worker::loop
