#pragma once

/// Values with a unit, written as text: durations ("250ms", "30s", "1h30m"), sizes ("512MiB", "4GB"), file paths, and
/// secrets. Limits speak in base units: `minimum` of a duration is in seconds, of a size in bytes.

#include "schema/shapes.hpp"

#include <chrono>
#include <compare>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <string>
#include <string_view>

namespace schema {

/// A size of memory, a file or a body.
struct Bytes {
    std::uint64_t count = 0;
    auto operator<=>(const Bytes&) const = default;
};

constexpr Bytes kibibytes(std::uint64_t n) {
    return {n << 10};
}
constexpr Bytes mebibytes(std::uint64_t n) {
    return {n << 20};
}
constexpr Bytes gibibytes(std::uint64_t n) {
    return {n << 30};
}

/// Text that must not be shown: it is written as "***", also in faults.
class Secret {
public:
    Secret() = default;
    explicit Secret(std::string value) : value_(std::move(value)) {}
    /// The real text. Not for logs.
    const std::string& reveal() const { return value_; }
    bool operator==(const Secret&) const = default;

private:
    std::string value_;
};

/// "1h30m", "30s", "1.5s", "250ms", "0". The error is a complaint: `must be a duration with a unit, such as "30s" ...,
/// not "30"`.
std::expected<std::chrono::nanoseconds, std::string> parse_duration(std::string_view text);
/// With the largest units that say it exactly.
std::string to_text(std::chrono::nanoseconds duration);

/// "32MiB", "4GB", "100B"; KiB MiB GiB TiB are powers of 1024, KB MB GB TB of 1000.
std::expected<Bytes, std::string> parse_bytes(std::string_view text);
std::string to_text(Bytes bytes);

template <>
struct ShapeFor<Bytes> {
    static const Shape& get();
};
template <>
struct ShapeFor<Secret> {
    static const Shape& get();
};
template <>
struct ShapeFor<std::filesystem::path> {
    static const Shape& get();
};

class DurationShape : public Shape {
public:
    Kinds kinds() const override { return Kinds(Kinds::string | Kinds::number); }
    void read(const Value& value, void* target, const Options& options, const Reading& reading) const override;
    Value write(const void* source) const override;
    boost::json::object document(const Options& options, Components& components) const override;

protected:
    virtual void assign(void* target, std::chrono::nanoseconds duration) const = 0;
    virtual std::chrono::nanoseconds get(const void* source) const = 0;
};

template <typename Rep, typename Period>
struct ShapeFor<std::chrono::duration<Rep, Period>> {
    static const Shape& get() {
        using Duration = std::chrono::duration<Rep, Period>;
        struct Typed final : DurationShape {
            void assign(void* target, std::chrono::nanoseconds duration) const override {
                *static_cast<Duration*>(target) = std::chrono::duration_cast<Duration>(duration);
            }
            std::chrono::nanoseconds get(const void* source) const override {
                return std::chrono::duration_cast<std::chrono::nanoseconds>(*static_cast<const Duration*>(source));
            }
        };
        static const Typed shape;
        return shape;
    }
};

}  // namespace schema
