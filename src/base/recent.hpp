#pragma once

/// What was worked out from texts, for the texts used last: bounded by bytes, counted. Safe from any thread.

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace base {

/// `Value` is cheap to copy.
template <typename Value>
class Recent {
public:
    explicit Recent(std::size_t most_bytes) : most_bytes_(most_bytes) {}

    std::optional<Value> find(std::string_view text) {
        const std::scoped_lock lock(mutex_);
        const auto known = entries_.find(text);
        ++(known == entries_.end() ? misses_ : hits_);
        if (known == entries_.end()) {
            return std::nullopt;
        }
        known->second.used = ++uses_;
        return known->second.value;
    }

    /// Counts as no use.
    bool contains(std::string_view text) const {
        const std::scoped_lock lock(mutex_);
        return entries_.contains(text);
    }

    /// `bytes`: about what the value takes. One that is larger than the bound is not kept.
    void keep(std::string text, Value value, std::size_t bytes) {
        bytes += text.size();
        const std::scoped_lock lock(mutex_);
        if (bytes > most_bytes_ || entries_.contains(text)) {
            return;
        }
        while (bytes_ + bytes > most_bytes_) {
            const auto oldest =
                std::ranges::min_element(entries_, {}, [](const auto& entry) { return entry.second.used; });
            bytes_ -= oldest->second.bytes;
            entries_.erase(oldest);
        }
        bytes_ += bytes;
        entries_.emplace(std::move(text), Entry{.value = std::move(value), .bytes = bytes, .used = ++uses_});
    }

    /// Adds its numbers to the contract's StatisticsReply, or what looks like one.
    template <typename Statistics>
    void report(std::string_view name, Statistics& reply) const {
        const std::scoped_lock lock(mutex_);
        auto& cache = *reply.add_caches();
        cache.set_name(std::string(name));
        cache.set_hits(hits_);
        cache.set_misses(misses_);
        cache.set_bytes(bytes_);
        cache.set_limit_bytes(most_bytes_);
    }

private:
    struct Entry {
        Value value;
        std::size_t bytes = 0;
        std::uint64_t used = 0;
    };

    const std::size_t most_bytes_;
    mutable std::mutex mutex_;  // all below
    std::map<std::string, Entry, std::less<>> entries_;
    std::size_t bytes_ = 0;
    std::uint64_t uses_ = 0;
    std::uint64_t hits_ = 0;
    std::uint64_t misses_ = 0;
};

}  // namespace base
