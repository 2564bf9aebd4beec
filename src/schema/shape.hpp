#pragma once

/// The type-erased core. A `Shape` knows how one C++ type is read from JSON, written to JSON and documented. Everything
/// typed (object.hpp, shapes.hpp) is a thin layer that hands pointers to members to this core, so that the work is
/// compiled once.

#include "schema/fault.hpp"

#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace schema {

using Value = boost::json::value;

/// An ECMAScript regular expression that must be found in a string; anchor it with ^ and $. Compiled with the table; a
/// wrong one is a bug and throws there. Nothing is found in strings of more than `longest` bytes, as the matcher
/// recurses.
class Pattern {
public:
    static constexpr std::size_t longest = 4096;

    Pattern() = default;
    Pattern(const char* text);
    bool found_in(std::string_view text) const;
    const std::string& text() const { return text_; }
    bool empty() const { return text_.empty(); }

private:
    std::string text_;
    std::shared_ptr<const void> compiled_;
};

/// What a field declares beside its name and type. A limit speaks about every JSON value of its kind that belongs to
/// the field itself: `minimum` about the number, or each number of a list; `max_length` about the string, also inside
/// an optional or a one-of. It does not reach into nested objects, which have tables of their own.
///
/// The default of a field is the initial value of the member: there is no second place to say it.
struct Options {
    std::string doc = {};
    /// The key must be there. Written also when empty: a required `std::optional` is null when it has no value, one
    /// that is not required is left out. For a field that is not required an explicit null means absent.
    bool required = false;
    bool deprecated = false;
    std::optional<double> minimum = {};
    std::optional<double> maximum = {};
    std::optional<double> exclusive_minimum = {};
    std::optional<double> exclusive_maximum = {};
    /// In characters (code points).
    std::optional<std::size_t> min_length = {};
    std::optional<std::size_t> max_length = {};
    /// Of arrays, and entries of maps.
    std::optional<std::size_t> min_items = {};
    std::optional<std::size_t> max_items = {};
    Pattern pattern = {};
    /// OpenAPI's `format`, documentation only: "uri", "date-time".
    std::string format = {};
    /// One example value; null for none.
    Value example = {};
};

/// What to do with fields no table knows.
enum class Unknown {
    report,  ///< accept, and list their paths: what OpenAI's clients send must not break
    refuse,  ///< a fault that names the nearest field: configuration, and our own answers in tests
};

struct ParseOptions {
    Unknown unknown = Unknown::report;
    std::size_t max_depth = 64;
    std::size_t max_faults = 100;
};

/// What a reading found, apart from the value.
struct Findings {
    ParseOptions options;
    Faults faults;
    /// Paths of fields that no table knows, and of fields that are accepted without effect.
    std::vector<std::string> unknown;
    std::vector<std::string> ignored;

    /// So many faults that reading on is no use to anybody.
    bool full() const { return faults.size() > options.max_faults; }
};

/// A place in the document while it is read. Lives on the stack of the reader, linked to the place around it; its path
/// becomes text only when somebody complains.
class Reading {
public:
    explicit Reading(Findings& findings) : findings_(&findings) {}

    /// The place of a field or element inside this one. `key` and this must outlive the returned value.
    Reading at(std::string_view key) const { return Reading(*this, key, 0); }
    Reading at(std::size_t index) const { return Reading(*this, {}, index); }
    /// The same place, with findings of its own: for trying alternatives.
    Reading with(Findings& findings) const;

    std::string path() const;
    void fault(FaultKind kind, std::string message) const;
    /// Takes over what another reading of this place found.
    void take(Findings&& other) const;
    Findings& findings() const { return *findings_; }

private:
    Reading(const Reading& parent, std::string_view key, std::size_t index)
        : findings_(parent.findings_), parent_(&parent), key_(key), index_(index) {}

    Findings* findings_;
    const Reading* parent_ = nullptr;
    std::string_view key_;
    std::size_t index_ = 0;
};

/// Collects the named schemas of a document: `#/components/schemas/...` of OpenAPI, or `#/$defs/...`.
class Components;

/// The JSON types a shape can accept, as bits.
enum Kinds : std::uint8_t { null = 1, boolean = 2, number = 4, string = 8, array = 16, object = 32, anything = 63 };

class Shape {
public:
    virtual ~Shape() = default;

    /// Which JSON types this may be read from. A one-of is told apart by it.
    virtual Kinds kinds() const = 0;
    /// Reads into `*target`, an initialised object of the type. On faults the target holds something, but nothing to be
    /// used.
    virtual void read(const Value& value, void* target, const Options& options, const Reading& reading) const = 0;
    virtual Value write(const void* source) const = 0;
    /// The JSON Schema (2020-12, as OpenAPI 3.1 uses it) of the type under these options; `{"$ref": ...}` for named
    /// types.
    virtual boost::json::object document(const Options& options, Components& components) const = 0;
    /// The constant that is written under `key`, when this is an object with such a constant: how tagged alternatives
    /// are told apart.
    virtual const Value* constant_at(std::string_view key) const;
    /// Names of all constants, for finding the tag that alternatives share.
    virtual std::vector<std::string> constant_keys() const;
    /// True for values without content (an empty optional).
    virtual bool empty(const void* source) const;
    /// Whether a fault must not show what was given.
    virtual bool secret() const { return false; }
};

/// A shape by function, so that tables of types that contain each other can be built in any order.
using ShapeRef = const Shape& (*)();

class Components {
public:
    explicit Components(std::string prefix = "#/components/schemas/") : prefix_(std::move(prefix)) {}

    /// A reference to the named schema; `make` is called the first time. Two types of one name are a bug and throw.
    boost::json::object refer(const std::string& name, const void* identity,
                              const std::function<boost::json::object()>& make);
    /// All schemas so far, sorted by name.
    boost::json::object schemas() const;

private:
    struct Entry {
        const void* identity;
        boost::json::object schema;
    };
    std::string prefix_;
    std::map<std::string, Entry> entries_;
};

}  // namespace schema
