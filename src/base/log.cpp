#include "base/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>

#include "base/utf8.hpp"

namespace base::log {
namespace {

Format format = Format::text;
std::string process_name = "llm-gateway";

spdlog::level::level_enum to_spdlog(Level level) {
    switch (level) {
        case Level::debug: return spdlog::level::debug;
        case Level::info: return spdlog::level::info;
        case Level::warning: return spdlog::level::warn;
        case Level::error: return spdlog::level::err;
    }
    return spdlog::level::info;
}

std::string quoted(std::string_view text) {
    return boost::json::serialize(boost::json::string(valid_utf8(text)));
}

bool is_plain_word(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char character) {
        return character > ' ' && character < 0x7f && !std::string_view("\"\\=").contains(character);
    });
}

std::string rendered(const Field& field) {
    struct Visitor {
        std::string operator()(const std::string& value) const {
            return format == Format::text && is_plain_word(value) ? value : quoted(value);
        }
        std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
        std::string operator()(double value) const { return fmt::format("{:.6g}", value); }
        std::string operator()(bool value) const { return value ? "true" : "false"; }
    };
    return std::visit(Visitor{}, field.value);
}

}  // namespace

void setup(std::string process, Level level, Format chosen_format) {
    process_name = std::move(process);
    format = chosen_format;
    auto logger = spdlog::stderr_logger_mt("log");
    logger->set_level(to_spdlog(level));
    logger->flush_on(spdlog::level::debug);
    logger->set_pattern(format == Format::json ? R"({"time":"%Y-%m-%dT%H:%M:%S.%e%z","level":"%l",%v)"
                                               : "%Y-%m-%dT%H:%M:%S.%e%z %-7l %v");
    spdlog::set_default_logger(std::move(logger));
}

void write(Level level, std::string_view message, std::initializer_list<Field> fields) {
    write_fields(level, message, std::span(fields.begin(), fields.size()));
}

void write_fields(Level level, std::string_view message, std::span<const Field> fields) {
    const auto spdlog_level = to_spdlog(level);
    if (!spdlog::should_log(spdlog_level)) {
        return;
    }
    std::string line = format == Format::json
                           ? fmt::format(R"("process":{},"message":{})", quoted(process_name), quoted(message))
                           : fmt::format("[{}] {}", process_name, message);
    for (const Field& field : fields) {
        line += format == Format::json ? fmt::format(",{}:{}", quoted(field.key), rendered(field))
                                       : fmt::format(" {}={}", field.key, rendered(field));
    }
    if (format == Format::json) {
        line += '}';
    }
    spdlog::log(spdlog_level, "{}", line);
}

}  // namespace base::log
