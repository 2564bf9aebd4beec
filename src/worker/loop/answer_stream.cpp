#include "worker/loop/answer_stream.hpp"

#include <algorithm>
#include <utility>

namespace worker::loop {

AnswerStream::AnswerStream(std::vector<std::string> stops) : stops_(std::move(stops)) {
    std::erase_if(stops_, [](const std::string& stop) { return stop.empty(); });
}

Released AnswerStream::push(std::string_view bytes, const TokenInfo* info) {
    const std::size_t begin = released_ + held_.size();
    held_ += gate_.push(bytes);
    if (info != nullptr) {
        // A token that ends inside a character is out when the rest of that character is.
        const std::size_t end = released_ + held_.size() + (gate_.holds_back() ? 1 : 0);
        tokens_.push_back({.begin = begin, .end = end, .info = *info});
    }
    if (const Found found = find_stop(); !found.text.empty()) {
        return release(found.begin, found.text);
    }
    return release(held_.size() - length_of_possible_stop(), {});
}

Released AnswerStream::finish() {
    held_ += gate_.finish();
    Released rest = release(held_.size(), {});
    for (HeldToken& token : tokens_) {
        rest.tokens.push_back(std::move(token.info));
    }
    tokens_.clear();
    return rest;
}

AnswerStream::Found AnswerStream::find_stop() const {
    Found first;
    for (const std::string& stop : stops_) {
        if (const auto begin = held_.find(stop); begin < first.begin) {
            first = {.begin = begin, .text = stop};
        }
    }
    return first;
}

std::size_t AnswerStream::length_of_possible_stop() const {
    std::size_t longest = 0;
    for (const std::string& stop : stops_) {
        for (std::size_t length = std::min(stop.size() - 1, held_.size()); length > longest; --length) {
            if (held_.ends_with(std::string_view(stop).substr(0, length))) {
                longest = length;
            }
        }
    }
    return longest;
}

Released AnswerStream::release(std::size_t length, std::string_view stop) {
    Released out{.text = held_.substr(0, length), .tokens = {}, .stop = std::string(stop)};
    held_.erase(0, length);
    released_ += length;
    while (!tokens_.empty() && (out.stopped() ? tokens_.front().begin < released_ : tokens_.front().end <= released_)) {
        out.tokens.push_back(std::move(tokens_.front().info));
        tokens_.pop_front();
    }
    return out;
}

}  // namespace worker::loop
