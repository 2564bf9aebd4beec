#pragma once

/// SQLite's C interface as two classes. For the sources of this folder; one thread at a time.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace gateway::store {

class Database {
public:
    /// `path` may be ":memory:". Errors: unavailable when another process has it open, internal for the rest; the
    /// message says what SQLite says.
    static base::Result<Database> open(const std::string& path);
    Database(Database&& other) noexcept;
    Database& operator=(Database&&) = delete;
    ~Database();

    /// Statements without parameters and results.
    base::Result<void> execute(const char* sql);
    base::Error error() const;
    /// Rows that the last statement changed.
    std::int64_t changes() const;
    sqlite3* handle() const { return handle_; }

private:
    explicit Database(sqlite3* handle) : handle_(handle) {}
    sqlite3* handle_;
};

/// One statement, prepared, bound and stepped. A mistake in the SQL or a parameter shows at the first `step`.
///
///     Statement find(database, "SELECT body FROM entries WHERE id = ?");
///     find.bind(id);
///     auto row = find.step();          // an error, or whether there is a row
///     if (row && *row) use(find.text(0));
class Statement {
public:
    Statement(Database& database, const std::string& sql);
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;
    ~Statement();

    /// The next parameter, from left to right. The text must live until the last `step`.
    Statement& bind(std::string_view text);
    Statement& bind(std::int64_t number);

    base::Result<bool> step();
    /// For statements without rows.
    base::Result<void> run();

    std::string text(int column) const;
    std::int64_t number(int column) const;

private:
    Database& database_;
    sqlite3_stmt* statement_ = nullptr;
    int next_parameter_ = 1;
    bool failed_ = false;
};

}  // namespace gateway::store
