#pragma once

/// Structured log lines on standard error, one JSON object or one `key=value` line each. The only user of spdlog is
/// log.cpp, so including this is cheap. Values of settings and headers that may be secret are never passed in.

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace base::log {

enum class Level { debug, info, warning, error };
enum class Format { text, json };

struct Field {
    std::string_view key;
    std::variant<std::string, std::int64_t, double, bool> value;

    Field(std::string_view k, std::string v) : key(k), value(std::move(v)) {}
    Field(std::string_view k, std::string_view v) : key(k), value(std::string(v)) {}
    Field(std::string_view k, const char* v) : key(k), value(std::string(v)) {}
    Field(std::string_view k, bool v) : key(k), value(v) {}
    Field(std::string_view k, double v) : key(k), value(v) {}
    template <std::integral T>
    Field(std::string_view k, T v) : key(k), value(static_cast<std::int64_t>(v)) {}
};

/// Call once at start. `process` is written in every line, e.g. "gateway" or "worker:smollm2". Thread-safe afterwards.
void setup(std::string process, Level level, Format format);

/// Writes one line: time, level, process, `message`, then the fields. Safe from any thread.
void write(Level level, std::string_view message, std::initializer_list<Field> fields = {});
/// The same for fields that were gathered one by one.
void write_fields(Level level, std::string_view message, std::span<const Field> fields);

inline void debug(std::string_view message, std::initializer_list<Field> fields = {}) {
    write(Level::debug, message, fields);
}
inline void info(std::string_view message, std::initializer_list<Field> fields = {}) {
    write(Level::info, message, fields);
}
inline void warning(std::string_view message, std::initializer_list<Field> fields = {}) {
    write(Level::warning, message, fields);
}
inline void error(std::string_view message, std::initializer_list<Field> fields = {}) {
    write(Level::error, message, fields);
}

}  // namespace base::log
