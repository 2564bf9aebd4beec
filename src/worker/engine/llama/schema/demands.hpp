#pragma once

/// What schemas that apply together demand of a value, keyword by keyword.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "worker/engine/llama/schema/document.hpp"
#include "worker/engine/llama/schema/numbers.hpp"
#include "worker/engine/llama/schema/texts.hpp"
#include "worker/engine/llama/schema/together.hpp"

namespace worker::engine::llama::schema {

/// Types of values, as a set. Whole numbers are numbers too.
class Types {
public:
    enum Type : std::uint8_t { null = 1, boolean = 2, object = 4, array = 8, string = 16, whole = 32, fraction = 64 };

    Types() = default;
    Types(Type type) : bits_(type) {}  // NOLINT(google-explicit-constructor): a type is a set of one
    static Types all() { return Types(std::uint8_t{127}); }
    static Types named(const std::string& name);

    bool has(Type type) const { return (bits_ & type) != 0; }
    bool empty() const { return bits_ == 0; }
    Types operator|(Types other) const { return Types(static_cast<std::uint8_t>(bits_ | other.bits_)); }
    Types operator&(Types other) const { return Types(static_cast<std::uint8_t>(bits_ & other.bits_)); }

private:
    explicit Types(std::uint8_t bits) : bits_(bits) {}
    std::uint8_t bits_ = 0;
};

/// The names that the schemas require.
std::vector<std::string> names_required(const Document& document, const Together& together);

/// A range of counts.
struct Counts {
    std::uint64_t least = 0;
    std::optional<std::uint64_t> most;

    bool possible() const { return !most || least <= *most; }
};

/// The types that the schemas allow.
Types types_allowed(const Document& document, const Together& together);
/// Those of the values that are written: where no schema names a type, the types that its keywords are about.
Types types_meant(const Document& document, const Together& together);
Types types_of_schema(const common_json& type);

/// The values that an `enum` or `const` leaves; nothing where there is neither.
std::optional<std::vector<const common_json*>> values_listed(const Document& document, const Together& together);

/// From "minItems", "maxItems" and the like. `fault` is set when a minimum is beyond what anybody would write.
Counts counts(const Document& document, const Together& together, const char* least, const char* most,
              std::optional<Fault>& fault);

/// `fault` is set when a bound has too many digits.
Numbers numbers(const Document& document, const Together& together, std::optional<Fault>& fault);

}  // namespace worker::engine::llama::schema
