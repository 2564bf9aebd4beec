/// JSON's own types: bool, numbers, string, and free JSON.

#include "schema/limits.hpp"
#include "schema/shapes.hpp"
#include "schema/wording.hpp"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <charconv>
#include <cmath>
#include <limits>

namespace schema {

namespace {

struct BoolShape final : Shape {
    Kinds kinds() const override { return Kinds::boolean; }
    void read(const Value& value, void* target, const Options&, const Reading& reading) const override {
        if (value.is_bool())
            *static_cast<bool*>(target) = value.get_bool();
        else
            fault_type(reading, *this, value);
    }
    Value write(const void* source) const override { return *static_cast<const bool*>(source); }
    boost::json::object document(const Options&, Components&) const override { return {{"type", "boolean"}}; }
};

/// 3 and 3.0 are integers, 3.5 and 1e300 are not ones of type T.
template <typename T>
std::optional<T> exact(const Value& value) {
    if (value.is_int64())
        return std::in_range<T>(value.get_int64()) ? std::optional(static_cast<T>(value.get_int64())) : std::nullopt;
    if (value.is_uint64())
        return std::in_range<T>(value.get_uint64()) ? std::optional(static_cast<T>(value.get_uint64())) : std::nullopt;
    const double number = value.get_double();
    // 2^digits is exact as a double where max() is not.
    const double above = std::ldexp(1.0, std::numeric_limits<T>::digits);
    const double least = std::is_signed_v<T> ? -above : 0.0;
    // What is beyond 64 bits arrives as the nearest double, which may be the least number itself.
    const bool rounded = std::numeric_limits<T>::digits > std::numeric_limits<double>::digits && number == -above;
    if (std::trunc(number) != number || number < least || number >= above || rounded)
        return std::nullopt;
    return static_cast<T>(number);
}

template <typename T>
struct IntegerShape final : Shape {
    Kinds kinds() const override { return Kinds::number; }

    void read(const Value& value, void* target, const Options& options, const Reading& reading) const override {
        if (!value.is_number())
            return fault_integer(value, reading);
        if (value.is_double() && std::trunc(value.get_double()) != value.get_double())
            return fault_integer(value, reading);
        // The declared limits first: "between 1 and 10" says more than what an integer can hold.
        if (!check_number(value.to_number<double>(), options, reading, value))
            return;
        if (const auto number = exact<T>(value))
            *static_cast<T*>(target) = *number;
        else
            reading.fault(FaultKind::out_of_range,
                          fmt::format("must be between {} and {}, not {}", std::numeric_limits<T>::min(),
                                      std::numeric_limits<T>::max(), shown(value)));
    }

    void fault_integer(const Value& value, const Reading& reading) const {
        const bool plain = value.is_number() || value.is_string() || value.is_bool();
        reading.fault(FaultKind::wrong_type,
                      fmt::format("must be an integer, not {}", plain ? shown(value) : describe(kind_of(value))));
    }

    Value write(const void* source) const override { return *static_cast<const T*>(source); }

    boost::json::object document(const Options& options, Components&) const override {
        boost::json::object schema{{"type", "integer"}};
        // What the type can hold is a limit as well; as an integer, which a double could not say exactly.
        if (!options.minimum && !options.exclusive_minimum)
            schema["minimum"] = std::numeric_limits<T>::min();
        if (!options.maximum && !options.exclusive_maximum)
            schema["maximum"] = std::numeric_limits<T>::max();
        document_number(schema, options);
        return schema;
    }
};

template <typename T>
struct FloatShape final : Shape {
    Kinds kinds() const override { return Kinds::number; }

    void read(const Value& value, void* target, const Options& options, const Reading& reading) const override {
        if (!value.is_number())
            return fault_type(reading, *this, value);
        const double number = value.to_number<double>();
        if (!check_number(number, options, reading, value))
            return;
        if (std::abs(number) > static_cast<double>(std::numeric_limits<T>::max()))
            return reading.fault(FaultKind::out_of_range, "is too large a number: " + shown(value));
        *static_cast<T*>(target) = static_cast<T>(number);
    }

    Value write(const void* source) const override {
        const T number = *static_cast<const T*>(source);
        if (!std::isfinite(number))
            return nullptr;  // JSON has no word for it
        if constexpr (std::same_as<T, double>)
            return number;
        // The shortest digits that mean this float, not those of the double next to it: 0.1, not 0.10000000149011612.
        std::array<char, 32> digits;
        const auto end = std::to_chars(digits.begin(), digits.end(), number).ptr;
        double same = 0;
        std::from_chars(digits.begin(), end, same);
        return same;
    }

    boost::json::object document(const Options& options, Components&) const override {
        boost::json::object schema{{"type", "number"}};
        document_number(schema, options);
        return schema;
    }
};

struct StringShape final : TextShape {
    void assign(void* target, std::string text) const override { *static_cast<std::string*>(target) = std::move(text); }
    std::string text(const void* source) const override { return *static_cast<const std::string*>(source); }
};

struct AnyShape final : Shape {
    Kinds kinds() const override { return Kinds::anything; }
    void read(const Value& value, void* target, const Options&, const Reading&) const override {
        *static_cast<Value*>(target) = value;
    }
    Value write(const void* source) const override { return *static_cast<const Value*>(source); }
    boost::json::object document(const Options&, Components&) const override { return {}; }
};

struct FreeObjectShape final : Shape {
    Kinds kinds() const override { return Kinds::object; }
    void read(const Value& value, void* target, const Options& options, const Reading& reading) const override {
        if (!value.is_object())
            return fault_type(reading, *this, value);
        if (check_items(value.get_object().size(), options, reading))
            *static_cast<boost::json::object*>(target) = value.get_object();
    }
    Value write(const void* source) const override { return *static_cast<const boost::json::object*>(source); }
    boost::json::object document(const Options& options, Components&) const override {
        boost::json::object schema{{"type", "object"}};
        document_items(schema, options, Kinds::object);
        schema["additionalProperties"] = true;
        return schema;
    }
};

struct FreeArrayShape final : Shape {
    Kinds kinds() const override { return Kinds::array; }
    void read(const Value& value, void* target, const Options& options, const Reading& reading) const override {
        if (!value.is_array())
            return fault_type(reading, *this, value);
        if (check_items(value.get_array().size(), options, reading))
            *static_cast<boost::json::array*>(target) = value.get_array();
    }
    Value write(const void* source) const override { return *static_cast<const boost::json::array*>(source); }
    boost::json::object document(const Options& options, Components&) const override {
        boost::json::object schema{{"type", "array"}, {"items", boost::json::object{}}};
        document_items(schema, options, Kinds::array);
        return schema;
    }
};

template <typename S>
const Shape& single() {
    static const S shape;
    return shape;
}

}  // namespace

template <>
const Shape& ShapeFor<bool>::get() {
    return single<BoolShape>();
}
template <>
const Shape& ShapeFor<std::int32_t>::get() {
    return single<IntegerShape<std::int32_t>>();
}
template <>
const Shape& ShapeFor<std::int64_t>::get() {
    return single<IntegerShape<std::int64_t>>();
}
template <>
const Shape& ShapeFor<std::uint32_t>::get() {
    return single<IntegerShape<std::uint32_t>>();
}
template <>
const Shape& ShapeFor<std::uint64_t>::get() {
    return single<IntegerShape<std::uint64_t>>();
}
template <>
const Shape& ShapeFor<float>::get() {
    return single<FloatShape<float>>();
}
template <>
const Shape& ShapeFor<double>::get() {
    return single<FloatShape<double>>();
}
template <>
const Shape& ShapeFor<std::string>::get() {
    return single<StringShape>();
}
template <>
const Shape& ShapeFor<Value>::get() {
    return single<AnyShape>();
}
template <>
const Shape& ShapeFor<boost::json::object>::get() {
    return single<FreeObjectShape>();
}
template <>
const Shape& ShapeFor<boost::json::array>::get() {
    return single<FreeArrayShape>();
}

}  // namespace schema
