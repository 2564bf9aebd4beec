#pragma once

/// Turns the bytes of tokens into valid UTF-8: a character split over tokens is held back until it is whole, bytes that
/// are no character become U+FFFD.

#include <string>
#include <string_view>

namespace worker::loop {

class Utf8Gate {
public:
    /// What is whole now.
    std::string push(std::string_view bytes);
    /// What is left of an unfinished character, as one U+FFFD; empty when there is none.
    std::string finish();
    bool holds_back() const { return !held_.empty(); }

private:
    std::string held_;
};

}  // namespace worker::loop
