#pragma once

/// The kept entries, in a database. Blocking, for one thread: store.hpp has it on a thread of its own. Errors of every
/// function are those of the disk (internal) unless it says otherwise.

#include <chrono>
#include <filesystem>
#include <optional>
#include <vector>

#include "gateway/store/entry.hpp"
#include "gateway/store/sqlite.hpp"

namespace gateway::store {

struct Bounds {
    std::chrono::seconds age = std::chrono::hours(24 * 30);
    /// Of all entries together, as they count: their texts and a little for each. The file stays near it.
    std::uint64_t bytes = std::uint64_t{128} << 20U;
};

struct Size {
    std::uint64_t entries = 0;
    std::uint64_t bytes = 0;
};

class Shelf {
public:
    /// In `folder`, which is made when it is not there, readable by the gateway's user alone; in memory when it is
    /// empty. Errors: unavailable when another gateway has it, invalid when the file is of a newer gateway or none of
    /// ours.
    static base::Result<Shelf> open(const std::filesystem::path& folder, Bounds bounds);

    /// A new entry; the oldest go when there is no room. Errors: too_large when it alone is larger than the bound.
    base::Result<void> put(const Entry& entry);
    /// The entry of the same key, in its old place. False when there is none (any more).
    base::Result<bool> replace(const Entry& entry);
    base::Result<std::optional<Entry>> find(const Key& key);
    /// False when there was none.
    base::Result<bool> remove(const Key& key);
    /// In the order they were put. Errors: not_found with param "after" when there is no such entry.
    base::Result<Page> list(Kind kind, const std::string& owner, const Query& query);
    /// The entry and all that it goes on from, the first one first. Empty when there is no such entry. Errors: invalid
    /// when an earlier part is gone: half a conversation would mean something else.
    base::Result<std::vector<Entry>> conversation(const Key& key);

    /// Lets go what is older than the bound at `now` (Unix time), and gives space back to the disk. To be called now
    /// and then.
    base::Result<void> expire(std::int64_t now);
    Size size() const { return size_; }

private:
    Shelf(Database database, Bounds bounds) : database_(std::move(database)), bounds_(bounds) {}
    base::Result<void> prepare();
    base::Result<void> check_version();
    base::Result<void> measure();
    base::Result<void> make_room();
    base::Result<void> insert(const Entry& entry);
    template <typename Work>
    auto in_transaction(Work work) -> decltype(work());

    Database database_;
    Bounds bounds_;
    Size size_;
};

}  // namespace gateway::store
