#pragma once

/// What is kept of an answer, as plain values.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gateway::store {

/// The numbers are in the files.
enum class Kind { response = 0, chat_completion = 1, picture = 2 };

using Metadata = std::map<std::string, std::string>;

/// Names one entry. Who is not its owner finds nothing.
struct Key {
    Kind kind = Kind::response;
    std::string owner;
    std::string id;
};

struct Entry {
    Key key;
    /// Unix time in seconds.
    std::int64_t created = 0;
    std::string model;
    /// The entry that this one goes on from, by id; empty: none.
    std::string previous;
    Metadata metadata;
    /// JSON text of the answer.
    std::string body;
    /// JSON text of what was asked.
    std::string input;
    /// How the answer came about, for those who want to see it again; in a form that only its writer knows.
    std::string events;
};

struct Query {
    std::optional<std::string> model;
    /// Entries that have all of these.
    Metadata metadata;
    /// Those that come after this one, by id.
    std::optional<std::string> after;
    std::size_t limit = 20;
    bool newest_first = false;
};

/// Without input and events.
struct Page {
    std::vector<Entry> entries;
    bool has_more = false;
};

}  // namespace gateway::store
