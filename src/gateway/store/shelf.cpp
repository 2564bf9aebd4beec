#include "gateway/store/shelf.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace gateway::store {
namespace {

constexpr std::int64_t schema_version = 1;
/// "llmg": tells our file from any other database.
constexpr std::int64_t application = 0x6c6c6d67;
constexpr const char* file_name = "store.db";
/// What an entry costs beside its texts: the row, the indexes, half a page.
constexpr std::uint64_t overhead_bytes = 4096;

constexpr const char* columns = "id, created, model, previous, metadata, body";
constexpr const char* all_columns = "id, created, model, previous, metadata, body, input, events";

std::string to_text(const Metadata& metadata) {
    boost::json::object object;
    for (const auto& [name, value] : metadata)
        object[name] = value;
    return boost::json::serialize(object);
}

Metadata to_metadata(const std::string& text) {
    Metadata metadata;
    boost::system::error_code error;
    const auto value = boost::json::parse(text, error);
    if (!error && value.is_object())
        for (const auto& pair : value.get_object())
            if (pair.value().is_string())
                metadata.emplace(pair.key(), pair.value().get_string());
    return metadata;
}

std::int64_t bytes_of(const Entry& entry) {
    return static_cast<std::int64_t>(overhead_bytes + entry.body.size() + entry.input.size() + entry.events.size());
}

Entry read(const Statement& row, Kind kind, const std::string& owner, bool whole) {
    return {.key = {.kind = kind, .owner = owner, .id = row.text(0)},
            .created = row.number(1),
            .model = row.text(2),
            .previous = row.text(3),
            .metadata = to_metadata(row.text(4)),
            .body = row.text(5),
            .input = whole ? row.text(6) : "",
            .events = whole ? row.text(7) : ""};
}

/// SQLite gives its other files the permissions of the first.
base::Result<void> make_private_file(const std::filesystem::path& folder, const std::string& path) {
    std::error_code error;
    const bool made = std::filesystem::create_directories(folder, error);
    if (made && !error)
        std::filesystem::permissions(folder, std::filesystem::perms::owner_all, error);
    if (error)
        return base::fail(base::ErrorCode::unavailable, fmt::format("store: {}: {}", folder.string(), error.message()));
    constexpr mode_t owner_only = 0600;
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, owner_only);
    const bool ready = file >= 0 && ::fchmod(file, owner_only) == 0;
    const std::string problem = std::system_category().message(errno);
    if (file >= 0)
        ::close(file);
    if (!ready)
        return base::fail(base::ErrorCode::unavailable, fmt::format("store: {}: {}", path, problem));
    return {};
}

}  // namespace

/// Commits when `work` succeeds, and leaves everything as it was when it does not.
template <typename Work>
auto Shelf::in_transaction(Work work) -> decltype(work()) {
    if (auto begun = database_.execute("BEGIN IMMEDIATE"); !begun)
        return std::unexpected(begun.error());
    const Size before = size_;
    auto result = work();
    if (result)
        if (auto done = database_.execute("COMMIT"); !done)
            result = std::unexpected(done.error());
    if (!result) {
        size_ = before;
        (void)database_.execute("ROLLBACK");  // may be rolled back already
    }
    return result;
}

base::Result<Shelf> Shelf::open(const std::filesystem::path& folder, Bounds bounds) {
    std::string path = ":memory:";
    if (!folder.empty()) {
        path = folder / file_name;
        if (auto made = make_private_file(folder, path); !made)
            return std::unexpected(made.error());
    }
    auto database = Database::open(path);
    if (!database)
        return std::unexpected(database.error());
    Shelf shelf(*std::move(database), bounds);
    if (auto prepared = shelf.prepare(); !prepared) {
        base::Error error = prepared.error();
        error.message = error.code == base::ErrorCode::unavailable
                            ? fmt::format("{} is in use by another gateway", path)
                            : fmt::format("{}: {}", path, error.message);
        return std::unexpected(std::move(error));
    }
    return shelf;
}

base::Result<void> Shelf::prepare() {
    // The lock is taken by the first statement that writes, and kept.
    if (auto done = database_.execute("PRAGMA locking_mode=EXCLUSIVE; PRAGMA auto_vacuum=INCREMENTAL;"
                                      "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
                                      "PRAGMA journal_size_limit=4194304; PRAGMA secure_delete=ON;"
                                      "BEGIN IMMEDIATE; COMMIT;");
        !done)
        return done;
    if (auto fits = check_version(); !fits)
        return fits;
    return measure();
}

base::Result<void> Shelf::check_version() {
    Statement versions(database_,
                       "SELECT (SELECT user_version FROM pragma_user_version),"
                       "(SELECT application_id FROM pragma_application_id), (SELECT count(*) FROM sqlite_schema)");
    if (auto row = versions.step(); !row)
        return std::unexpected(row.error());
    const std::int64_t version = versions.number(0);
    const bool ours = versions.number(1) == application;
    const bool empty = versions.number(2) == 0;
    if (version > schema_version && ours)
        return base::fail(base::ErrorCode::invalid, "is of a newer version of the gateway");
    if (!ours && !empty)
        return base::fail(base::ErrorCode::invalid, "is not a store of this gateway");
    if (!empty)
        return {};
    const std::string create = fmt::format(
        "BEGIN IMMEDIATE;"
        "CREATE TABLE entries (place INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,"
        " kind INTEGER NOT NULL, owner TEXT NOT NULL, created INTEGER NOT NULL, bytes INTEGER NOT NULL,"
        " model TEXT NOT NULL, previous TEXT NOT NULL, metadata TEXT NOT NULL, body TEXT NOT NULL,"
        " input TEXT NOT NULL, events BLOB NOT NULL);"
        "CREATE INDEX entries_of_owner ON entries (owner, kind, place);"
        "CREATE INDEX entries_by_age ON entries (created, bytes);"
        "PRAGMA application_id={}; PRAGMA user_version={}; COMMIT;",
        application, schema_version);
    return database_.execute(create.c_str());
}

base::Result<void> Shelf::measure() {
    Statement sum(database_, "SELECT count(*), coalesce(sum(bytes), 0) FROM entries");
    if (auto row = sum.step(); !row)
        return std::unexpected(row.error());
    size_ = {.entries = static_cast<std::uint64_t>(sum.number(0)), .bytes = static_cast<std::uint64_t>(sum.number(1))};
    return make_room();
}

base::Result<void> Shelf::insert(const Entry& entry) {
    const std::string metadata = to_text(entry.metadata);
    Statement insert(database_,
                     "INSERT INTO entries (id, kind, owner, created, bytes, model, previous, metadata, body, input,"
                     " events) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    insert.bind(entry.key.id).bind(static_cast<std::int64_t>(entry.key.kind)).bind(entry.key.owner);
    insert.bind(entry.created).bind(bytes_of(entry)).bind(entry.model).bind(entry.previous).bind(metadata);
    insert.bind(entry.body).bind(entry.input).bind(entry.events);
    if (auto done = insert.run(); !done)
        return done;
    size_.entries += 1;
    size_.bytes += static_cast<std::uint64_t>(bytes_of(entry));
    return make_room();
}

base::Result<void> Shelf::put(const Entry& entry) {
    if (static_cast<std::uint64_t>(bytes_of(entry)) > bounds_.bytes)
        return base::fail(base::ErrorCode::too_large, "store: an answer is larger than all that may be kept");
    return in_transaction([&] { return insert(entry); });
}

base::Result<void> Shelf::make_room() {
    while (size_.bytes > bounds_.bytes) {
        Statement oldest(database_,
                         "DELETE FROM entries WHERE place = (SELECT min(place) FROM entries) RETURNING bytes");
        auto row = oldest.step();
        if (!row)
            return std::unexpected(row.error());
        if (!*row)
            break;
        size_.entries -= 1;
        size_.bytes -= static_cast<std::uint64_t>(oldest.number(0));
        if (auto done = oldest.run(); !done)  // a DELETE is complete when it has been stepped to its end
            return done;
    }
    return {};
}

base::Result<bool> Shelf::replace(const Entry& entry) {
    if (static_cast<std::uint64_t>(bytes_of(entry)) > bounds_.bytes)
        return base::fail(base::ErrorCode::too_large, "store: an answer is larger than all that may be kept");
    return in_transaction([&]() -> base::Result<bool> {
        Statement old(database_, "SELECT bytes FROM entries WHERE id = ? AND kind = ? AND owner = ?");
        old.bind(entry.key.id).bind(static_cast<std::int64_t>(entry.key.kind)).bind(entry.key.owner);
        auto row = old.step();
        if (!row || !*row)
            return row;
        const std::string metadata = to_text(entry.metadata);
        Statement update(database_,
                         "UPDATE entries SET bytes = ?, metadata = ?, body = ?, input = ?, events = ? WHERE id = ?");
        update.bind(bytes_of(entry)).bind(metadata).bind(entry.body).bind(entry.input).bind(entry.events);
        update.bind(entry.key.id);
        if (auto done = update.run(); !done)
            return std::unexpected(done.error());
        size_.bytes += static_cast<std::uint64_t>(bytes_of(entry) - old.number(0));
        if (auto done = make_room(); !done)
            return std::unexpected(done.error());
        return true;
    });
}

base::Result<std::optional<Entry>> Shelf::find(const Key& key) {
    Statement find(database_,
                   fmt::format("SELECT {} FROM entries WHERE id = ? AND kind = ? AND owner = ?", all_columns));
    find.bind(key.id).bind(static_cast<std::int64_t>(key.kind)).bind(key.owner);
    auto row = find.step();
    if (!row)
        return std::unexpected(row.error());
    if (!*row)
        return std::nullopt;
    return read(find, key.kind, key.owner, true);
}

base::Result<bool> Shelf::remove(const Key& key) {
    return in_transaction([&]() -> base::Result<bool> {
        Statement remove(database_, "DELETE FROM entries WHERE id = ? AND kind = ? AND owner = ? RETURNING bytes");
        remove.bind(key.id).bind(static_cast<std::int64_t>(key.kind)).bind(key.owner);
        auto row = remove.step();
        if (!row || !*row)
            return row;
        size_.entries -= 1;
        size_.bytes -= static_cast<std::uint64_t>(remove.number(0));
        if (auto done = remove.run(); !done)
            return std::unexpected(done.error());
        return true;
    });
}

base::Result<Page> Shelf::list(Kind kind, const std::string& owner, const Query& query) {
    std::int64_t after = -1;
    if (query.after) {
        Statement place(database_, "SELECT place FROM entries WHERE id = ? AND kind = ? AND owner = ?");
        place.bind(*query.after).bind(static_cast<std::int64_t>(kind)).bind(owner);
        auto row = place.step();
        if (!row)
            return std::unexpected(row.error());
        if (!*row)
            return base::fail(base::ErrorCode::not_found, fmt::format("There is no `{}` to go on after.", *query.after),
                              "after");
        after = place.number(0);
    }
    std::string sql = fmt::format("SELECT {} FROM entries WHERE owner = ? AND kind = ?", columns);
    if (query.model)
        sql += " AND model = ?";
    for (std::size_t i = 0; i < query.metadata.size(); ++i)
        sql += " AND EXISTS (SELECT 1 FROM json_each(metadata) WHERE key = ? AND value = ?)";
    if (after >= 0)
        sql += query.newest_first ? " AND place < ?" : " AND place > ?";
    sql += query.newest_first ? " ORDER BY place DESC LIMIT ?" : " ORDER BY place LIMIT ?";
    Statement select(database_, sql);
    select.bind(owner).bind(static_cast<std::int64_t>(kind));
    if (query.model)
        select.bind(*query.model);
    for (const auto& [name, value] : query.metadata)
        select.bind(name).bind(value);
    if (after >= 0)
        select.bind(after);
    select.bind(static_cast<std::int64_t>(query.limit + 1));  // one more tells whether there are more

    Page page;
    while (true) {
        auto row = select.step();
        if (!row)
            return std::unexpected(row.error());
        if (!*row)
            return page;
        if (page.entries.size() == query.limit) {
            page.has_more = true;
            return page;
        }
        page.entries.push_back(read(select, kind, owner, false));
    }
}

base::Result<std::vector<Entry>> Shelf::conversation(const Key& key) {
    std::vector<Entry> entries;
    Key next = key;
    while (!next.id.empty()) {
        auto found = find(next);
        if (!found)
            return std::unexpected(found.error());
        if (!*found && entries.empty())
            return entries;
        if (!*found)
            return base::fail(base::ErrorCode::invalid,
                              fmt::format("An earlier part of that conversation (`{}`) is no longer kept.", next.id));
        next.id = (*found)->previous;
        entries.push_back(**std::move(found));
    }
    std::ranges::reverse(entries);
    return entries;
}

base::Result<void> Shelf::expire(std::int64_t now) {
    auto expired = in_transaction([&]() -> base::Result<void> {
        Statement remove(database_, "DELETE FROM entries WHERE created < ? RETURNING bytes");
        remove.bind(now - bounds_.age.count());
        while (true) {
            auto row = remove.step();
            if (!row)
                return std::unexpected(row.error());
            if (!*row)
                return {};
            size_.entries -= 1;
            size_.bytes -= static_cast<std::uint64_t>(remove.number(0));
        }
    });
    if (!expired)
        return expired;
    return database_.execute("PRAGMA incremental_vacuum(1000)");
}

}  // namespace gateway::store
