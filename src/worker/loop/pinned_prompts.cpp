#include "worker/loop/pinned_prompts.hpp"

#include <algorithm>
#include <utility>

#include "base/log.hpp"

namespace worker::loop {
namespace {

// Requests are what the cells are for.
constexpr std::size_t share_of_cells = 4;

}  // namespace

void PinnedPrompts::add(PinOrder order) {
    const auto& limits = engine_.limits();
    const std::size_t most = std::min(limits.cells / share_of_cells, limits.context_tokens);
    if (order.tokens.empty() || tokens_ + order.tokens.size() > most) {
        base::log::warning("a pinned prompt is left out: too large with the others",
                           {{"tokens", order.tokens.size()}, {"pinned", tokens_}, {"most", most}});
        return;
    }
    tokens_ += order.tokens.size();
    waiting_.push_back(std::move(order));
}

bool PinnedPrompts::start() {
    if (waiting_.empty()) {
        return false;
    }
    if (!memory_.fetch_to_pin(waiting_.front().tokens)) {
        return false;
    }
    const auto place = memory_.acquire_to_pin(waiting_.front().tokens);
    if (!place) {
        return false;
    }
    current_ =
        Current{.tokens = std::move(waiting_.front().tokens), .sequence = place->sequence, .evaluated = place->cached};
    waiting_.pop_front();
    return true;
}

bool PinnedPrompts::next() {
    if (!current_ && !start()) {
        return false;
    }
    Current& now = *current_;
    const std::size_t count = std::min(engine_.limits().batch_tokens, now.tokens.size() - now.evaluated);
    std::vector<engine::BatchToken> batch;
    for (std::size_t position = now.evaluated; position < now.evaluated + count; ++position) {
        batch.push_back({.token = now.tokens[position],
                         .sequence = now.sequence,
                         .position = static_cast<std::int32_t>(position),
                         .output = position + 1 == now.tokens.size()});
    }
    engine_.use({});
    if (!memory_.make_room(count) || engine_.decode(batch, never_) != engine::Decoded::done) {
        base::log::error("a pinned prompt could not be evaluated", {{"tokens", now.tokens.size()}});
        tokens_ -= now.tokens.size();
        memory_.roll_back(now.sequence, 0);
        memory_.release(now.sequence);
        current_.reset();
        return true;
    }
    memory_.append(now.sequence, std::span(now.tokens).subspan(now.evaluated, count));
    now.evaluated += count;
    if (now.evaluated == now.tokens.size()) {
        base::log::debug("prompt pinned", {{"tokens", now.tokens.size()}});
        memory_.pin(now.sequence);
        pinned_.push_back(std::move(now));
        current_.reset();
    }
    return true;
}

bool PinnedPrompts::give_way() {
    if (current_) {
        pinned_.push_back(*std::exchange(current_, std::nullopt));
    }
    if (pinned_.empty()) {
        return false;
    }
    for (Current& each : pinned_) {
        memory_.release(each.sequence);
        waiting_.push_back({.tokens = std::move(each.tokens)});
    }
    pinned_.clear();
    return true;
}

}  // namespace worker::loop
