#include "gateway/store/sqlite.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <utility>

namespace gateway::store {
namespace {

base::Error to_error(sqlite3* handle) {
    const bool locked = sqlite3_errcode(handle) == SQLITE_BUSY;
    return {.code = locked ? base::ErrorCode::unavailable : base::ErrorCode::internal,
            .message = fmt::format("store: {}", sqlite3_errmsg(handle)),
            .param = {},
            .retry_after = {}};
}

}  // namespace

base::Result<Database> Database::open(const std::string& path) {
    sqlite3* handle = nullptr;
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    if (sqlite3_open_v2(path.c_str(), &handle, flags, nullptr) != SQLITE_OK) {
        base::Error error = to_error(handle);
        sqlite3_close(handle);
        return std::unexpected(std::move(error));
    }
    return Database(handle);
}

Database::Database(Database&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}

Database::~Database() {
    sqlite3_close(handle_);
}

base::Result<void> Database::execute(const char* sql) {
    if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK)
        return std::unexpected(error());
    return {};
}

base::Error Database::error() const {
    return to_error(handle_);
}

std::int64_t Database::changes() const {
    return sqlite3_changes64(handle_);
}

Statement::Statement(Database& database, const std::string& sql) : database_(database) {
    failed_ = sqlite3_prepare_v2(database.handle(), sql.c_str(), static_cast<int>(sql.size()), &statement_, nullptr) !=
              SQLITE_OK;
}

Statement::~Statement() {
    sqlite3_finalize(statement_);
}

Statement& Statement::bind(std::string_view text) {
    // Never null: an empty view may have no address, and SQLite would take that for NULL.
    const char* data = text.empty() ? "" : text.data();
    failed_ = failed_ || sqlite3_bind_text64(statement_, next_parameter_++, data, text.size(), SQLITE_STATIC,
                                             SQLITE_UTF8) != SQLITE_OK;
    return *this;
}

Statement& Statement::bind(std::int64_t number) {
    failed_ = failed_ || sqlite3_bind_int64(statement_, next_parameter_++, number) != SQLITE_OK;
    return *this;
}

base::Result<bool> Statement::step() {
    if (failed_)
        return std::unexpected(database_.error());
    switch (sqlite3_step(statement_)) {
        case SQLITE_ROW: return true;
        case SQLITE_DONE: return false;
        default: return std::unexpected(database_.error());
    }
}

base::Result<void> Statement::run() {
    if (auto row = step(); !row)
        return std::unexpected(row.error());
    return {};
}

std::string Statement::text(int column) const {
    const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_, column));
    return data == nullptr ? std::string()
                           : std::string(data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
}

std::int64_t Statement::number(int column) const {
    return sqlite3_column_int64(statement_, column);
}

}  // namespace gateway::store
