#pragma once

/// Who is served next, when tenants of different weight and requests of different priority wait for one thing.
///
/// The order: larger priority first; among equals the tenant that has had least for its weight; of one tenant first
/// come, first served. Waiting lifts a priority by one for each `ageing`, so that nobody waits for ever behind a stream
/// of more urgent ones.
///
/// What a tenant has had is a virtual time: it advances by the cost of its work divided by its weight, and one that comes
/// back after a pause goes on at the time of the one served last, so that nobody saves up turns. This is start-time fair
/// queueing (Goyal, Vin and Cheng, SIGCOMM 1996) with costs that become known while the work goes on, as Sheng et al.
/// use it for language models ("Fairness in Serving Large Language Models", OSDI 2024).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace base {

/// The virtual times. Tenants that were never seen have the time of the one served last.
class FairShares {
public:
    /// A tenant of which nobody waited begins to wait.
    void enter(const std::string& tenant) {
        const auto [entry, added] = times_.try_emplace(tenant, now_);
        entry->second = std::max(entry->second, now_);
    }
    /// One of the tenant is served.
    void serve(const std::string& tenant) { now_ = std::max(now_, time(tenant)); }
    /// `cost` of any unit, always the same one; negative when an estimate was too high.
    void charge(const std::string& tenant, double weight, double cost) {
        times_.try_emplace(tenant, now_).first->second += cost / std::max(weight, 1e-6);
        if (times_.size() > most_remembered) {
            // Those that are not ahead of the others need not be remembered.
            std::erase_if(times_, [this](const auto& each) { return each.second <= now_; });
        }
    }
    double time(const std::string& tenant) const {
        const auto found = times_.find(tenant);
        return found == times_.end() ? now_ : found->second;
    }

private:
    static constexpr std::size_t most_remembered = 1024;

    std::map<std::string, double> times_;
    double now_ = 0;
};

/// One that waits.
struct Turn {
    std::int32_t priority = 0;
    std::string tenant;
    /// Unique; smaller came first.
    std::uint64_t number = 0;
    TimePoint since;
};

template <typename Item>
class FairLine {
public:
    FairLine() = default;
    explicit FairLine(Duration ageing) : ageing_(ageing) {}

    void add(const Turn& turn, Item item) {
        if (waiting_of(turn.tenant) == 0) {
            shares_.enter(turn.tenant);
        }
        ++counts_[turn.tenant];
        queues_[{turn.priority, turn.tenant}].emplace(turn.number, Waiting{turn.since, std::move(item)});
        ++size_;
    }

    /// Takes it out without serving it. False: it does not wait here.
    bool remove(const Turn& turn) { return extract(turn).has_value(); }

    /// Takes it out and serves it; it must wait here. Charge what it costs.
    Item serve(const Turn& turn) {
        shares_.serve(turn.tenant);
        return std::move(*extract(turn));
    }

    void charge(const std::string& tenant, double weight, double cost) { shares_.charge(tenant, weight, cost); }

    /// The first one that `accept(turn, item)` takes; asked in the order of service.
    template <typename Accept>
    std::optional<Turn> first(TimePoint now, Accept accept) const {
        std::vector<Head> heads;
        for (const auto& [key, queue] : queues_) {
            heads.push_back({.priority = key.first, .tenant = &key.second, .next = queue.begin(), .end = queue.end()});
        }
        const auto before = [&](const Head& a, const Head& b) { return rank(a, now) < rank(b, now); };
        while (!heads.empty()) {
            const auto best = std::ranges::min_element(heads, before);
            Turn turn = best->turn();
            if (accept(std::as_const(turn), best->next->second.item)) {
                return turn;
            }
            if (++best->next == best->end) {
                heads.erase(best);
            }
        }
        return std::nullopt;
    }

    /// In no order that matters.
    template <typename Visit>
    void for_each(Visit visit) const {
        for (const auto& [key, queue] : queues_) {
            for (auto each = queue.begin(); each != queue.end(); ++each) {
                const Head head{.priority = key.first, .tenant = &key.second, .next = each, .end = queue.end()};
                visit(head.turn(), each->second.item);
            }
        }
    }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::size_t waiting_of(const std::string& tenant) const {
        const auto found = counts_.find(tenant);
        return found == counts_.end() ? 0 : found->second;
    }

private:
    struct Waiting {
        TimePoint since;
        Item item;
    };
    using Queue = std::map<std::uint64_t, Waiting>;

    /// The next one of a queue.
    struct Head {
        std::int32_t priority;
        const std::string* tenant;
        typename Queue::const_iterator next;
        typename Queue::const_iterator end;

        Turn turn() const {
            return {.priority = priority, .tenant = *tenant, .number = next->first, .since = next->second.since};
        }
    };

    // Smaller is served first. Age lifts up to the most urgent that waits and not beyond: among equals the shares decide.
    std::tuple<std::int64_t, double, std::uint64_t> rank(const Head& head, TimePoint now) const {
        const std::int64_t top = queues_.rbegin()->first.first;
        const std::int64_t lifted = head.priority + (now - head.next->second.since) / ageing_;
        return {-std::min(lifted, top), shares_.time(*head.tenant), head.next->first};
    }

    std::optional<Item> extract(const Turn& turn) {
        const auto queue = queues_.find({turn.priority, turn.tenant});
        const auto found = queue == queues_.end() ? typename Queue::iterator() : queue->second.find(turn.number);
        if (queue == queues_.end() || found == queue->second.end()) {
            return std::nullopt;
        }
        std::optional<Item> item(std::move(found->second.item));
        queue->second.erase(found);
        if (queue->second.empty()) {
            queues_.erase(queue);
        }
        if (--counts_[turn.tenant] == 0) {
            counts_.erase(turn.tenant);
        }
        --size_;
        return item;
    }

    Duration ageing_ = std::chrono::seconds(30);
    FairShares shares_;
    std::map<std::pair<std::int32_t, std::string>, Queue> queues_;  // by priority and tenant
    std::map<std::string, std::size_t> counts_;
    std::size_t size_ = 0;
};

}  // namespace base
