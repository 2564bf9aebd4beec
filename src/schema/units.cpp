#include "schema/units.hpp"

#include "schema/limits.hpp"
#include "schema/wording.hpp"

#include <fmt/format.h>
#include <array>
#include <boost/json/object.hpp>
#include <charconv>
#include <cmath>

namespace schema {

namespace {

using std::chrono::nanoseconds;

struct Unit {
    std::string_view name;
    double size;
};

/// From large to small: text is written with the first that divide it.
constexpr std::array time_units{Unit{"h", 3600e9}, Unit{"m", 60e9}, Unit{"s", 1e9},
                                Unit{"ms", 1e6},   Unit{"us", 1e3}, Unit{"ns", 1}};
constexpr std::array byte_units{Unit{"TiB", 1099511627776.0},
                                Unit{"GiB", 1073741824.0},
                                Unit{"MiB", 1048576.0},
                                Unit{"KiB", 1024.0},
                                Unit{"TB", 1e12},
                                Unit{"GB", 1e9},
                                Unit{"MB", 1e6},
                                Unit{"KB", 1e3},
                                Unit{"B", 1}};

/// Takes "1.5ms" from the front of `text`; nullopt when there is no such thing.
template <std::size_t N>
std::optional<double> take_quantity(std::string_view& text, const std::array<Unit, N>& units) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (error != std::errc() || number < 0 || !std::isfinite(number))
        return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    while (text.starts_with(' '))
        text.remove_prefix(1);
    const Unit* longest = nullptr;
    for (const Unit& unit : units)
        if (text.starts_with(unit.name) && (!longest || unit.name.size() > longest->name.size()))
            longest = &unit;
    if (!longest)
        return std::nullopt;
    text.remove_prefix(longest->name.size());
    return number * longest->size;
}

constexpr std::string_view duration_wanted = R"(a duration with a unit, such as "250ms", "30s", "10m" or "1h30m")";
constexpr std::string_view size_wanted = R"(a size with a unit, such as "512MiB" or "4GB")";

std::string spell_seconds(double seconds) {
    return to_text(nanoseconds(std::llround(seconds * 1e9)));
}
std::string spell_size(double bytes) {
    return to_text(Bytes{static_cast<std::uint64_t>(bytes)});
}

}  // namespace

std::expected<nanoseconds, std::string> parse_duration(std::string_view text) {
    const auto complaint = [text] {
        return std::unexpected(fmt::format("must be {}, not {}", duration_wanted, quoted(text)));
    };
    if (text == "0")
        return nanoseconds(0);
    double total = 0;
    std::string_view rest = text;
    do {
        const auto part = take_quantity(rest, time_units);
        if (!part)
            return complaint();
        total += *part;
    } while (!rest.empty());
    constexpr double longest = 100.0 * 365 * 24 * 3600 * 1e9;
    if (total > longest)
        return std::unexpected(fmt::format("must be less than 100 years, not {}", quoted(text)));
    return nanoseconds(std::llround(total));
}

std::string to_text(nanoseconds duration) {
    if (duration.count() == 0)
        return "0s";
    std::string text;
    std::int64_t rest = duration.count();
    for (const Unit& unit : time_units) {
        const auto size = static_cast<std::int64_t>(unit.size);
        if (rest / size == 0)
            continue;
        text += fmt::format("{}{}", rest / size, unit.name);
        rest %= size;
    }
    return text;
}

std::expected<Bytes, std::string> parse_bytes(std::string_view text) {
    std::string_view rest = text;
    const auto size = take_quantity(rest, byte_units);
    if (text == "0")
        return Bytes{0};
    if (!size || !rest.empty())
        return std::unexpected(fmt::format("must be {}, not {}", size_wanted, quoted(text)));
    constexpr double exabyte = 1e18;
    if (*size > exabyte)
        return std::unexpected(fmt::format("must be less than an exabyte, not {}", quoted(text)));
    return Bytes{static_cast<std::uint64_t>(std::llround(*size))};
}

std::string to_text(Bytes bytes) {
    const Unit* best = &byte_units.back();
    for (const Unit& unit : byte_units)
        if (bytes.count % static_cast<std::uint64_t>(unit.size) == 0 && unit.size > best->size)
            best = &unit;
    return bytes.count == 0 ? "0B"
                            : fmt::format("{}{}", bytes.count / static_cast<std::uint64_t>(best->size), best->name);
}

void DurationShape::read(const Value& value, void* target, const Options& options, const Reading& reading) const {
    if (value.is_number() && value.to_number<double>() == 0)
        return read(Value("0"), target, options, reading);
    if (!value.is_string())
        return reading.fault(FaultKind::wrong_type, fmt::format("must be {}, not {}", duration_wanted, shown(value)));
    const auto duration = parse_duration({value.get_string().data(), value.get_string().size()});
    if (!duration)
        return reading.fault(FaultKind::not_allowed, duration.error());
    const double seconds = std::chrono::duration<double>(*duration).count();
    if (check_number(seconds, options, reading, value, spell_seconds))
        assign(target, *duration);
}

Value DurationShape::write(const void* source) const {
    return Value(to_text(get(source)));
}

boost::json::object DurationShape::document(const Options& options, Components&) const {
    boost::json::object schema{
        {"type", "string"}, {"pattern", R"(^([0-9.]+ *(h|m|s|ms|us|ns))+$|^0$)"}, {"x-unit", "duration"}};
    if (options.minimum)
        schema["x-minimum"] = spell_seconds(*options.minimum);
    if (options.maximum)
        schema["x-maximum"] = spell_seconds(*options.maximum);
    return schema;
}

namespace {

struct BytesShape final : Shape {
    Kinds kinds() const override { return Kinds(Kinds::string | Kinds::number); }

    void read(const Value& value, void* target, const Options& options, const Reading& reading) const override {
        if (value.is_number() && value.to_number<double>() == 0)
            return read(Value("0"), target, options, reading);
        if (!value.is_string())
            return reading.fault(FaultKind::wrong_type, fmt::format("must be {}, not {}", size_wanted, shown(value)));
        const auto bytes = parse_bytes({value.get_string().data(), value.get_string().size()});
        if (!bytes)
            return reading.fault(FaultKind::not_allowed, bytes.error());
        if (check_number(static_cast<double>(bytes->count), options, reading, value, spell_size))
            *static_cast<Bytes*>(target) = *bytes;
    }

    Value write(const void* source) const override { return Value(to_text(*static_cast<const Bytes*>(source))); }

    boost::json::object document(const Options& options, Components&) const override {
        boost::json::object schema{
            {"type", "string"}, {"pattern", R"(^[0-9.]+ *([KMGT]i?)?B$|^0$)"}, {"x-unit", "size"}};
        if (options.minimum)
            schema["x-minimum"] = spell_size(*options.minimum);
        if (options.maximum)
            schema["x-maximum"] = spell_size(*options.maximum);
        return schema;
    }
};

struct SecretShape final : TextShape {
    bool secret() const override { return true; }
    void read(const Value& value, void* target, const Options& options, const Reading& reading) const override {
        if (!value.is_string())
            return fault_type(reading, *this, value);
        if (options.min_length && value.get_string().size() < *options.min_length)
            return reading.fault(FaultKind::out_of_range,
                                 fmt::format("must have at least {} characters", *options.min_length));
        assign(target, std::string(value.get_string().data(), value.get_string().size()));
    }
    void assign(void* target, std::string text) const override {
        *static_cast<Secret*>(target) = Secret(std::move(text));
    }
    std::string text(const void* source) const override {
        return static_cast<const Secret*>(source)->reveal().empty() ? "" : "***";
    }
    boost::json::object document(const Options&, Components&) const override {
        return {{"type", "string"}, {"writeOnly", true}, {"x-unit", "secret"}};
    }
};

struct PathShape final : TextShape {
    void assign(void* target, std::string text) const override {
        *static_cast<std::filesystem::path*>(target) = std::move(text);
    }
    std::string text(const void* source) const override {
        return static_cast<const std::filesystem::path*>(source)->string();
    }
    boost::json::object document(const Options& options, Components& components) const override {
        auto schema = TextShape::document(options, components);
        schema["x-unit"] = "path";
        return schema;
    }
};

}  // namespace

const Shape& ShapeFor<Bytes>::get() {
    static const BytesShape shape;
    return shape;
}

const Shape& ShapeFor<Secret>::get() {
    static const SecretShape shape;
    return shape;
}

const Shape& ShapeFor<std::filesystem::path>::get() {
    static const PathShape shape;
    return shape;
}

}  // namespace schema
