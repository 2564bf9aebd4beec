#pragma once

/// From a C++ type to its `Shape`. Structs and enums are described by a function `describe(schema::Type<T>)` beside
/// them (see object.hpp); the rest follows from the type: bool, numbers, strings, optional, vector, map, variant, free
/// JSON, units.

#include "base/strong_id.hpp"
#include "schema/shape.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace schema {

/// Names a type in an overload: `describe(schema::Type<ChatRequest>)`.
template <typename T>
struct Type {};

template <typename T>
concept Described = requires {
    { describe(Type<T>{}) } -> std::convertible_to<const Shape&>;
};

/// The shape of a type that is not described by a table. Specialised below and in units.hpp.
template <typename T>
struct ShapeFor;

template <typename T>
const Shape& shape_of() {
    if constexpr (Described<T>)
        return describe(Type<T>{});
    else
        return ShapeFor<T>::get();
}

/// Read from and written as JSON's own types; a number may be written 1.0 where an integer is meant.
template <typename T>
    requires std::same_as<T, bool> || std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t> ||
             std::same_as<T, std::uint32_t> || std::same_as<T, std::uint64_t> || std::same_as<T, float> ||
             std::same_as<T, double> || std::same_as<T, std::string> || std::same_as<T, Value> ||
             std::same_as<T, boost::json::object> || std::same_as<T, boost::json::array>
struct ShapeFor<T> {
    static const Shape& get();
};

/// May be null or absent. Transparent to the options of its field.
class OptionalShape : public Shape {
public:
    explicit OptionalShape(ShapeRef inner) : inner_(inner) {}
    Kinds kinds() const override;
    void read(const Value& value, void* target, const Options& options, const Reading& reading) const override;
    Value write(const void* source) const override;
    boost::json::object document(const Options& options, Components& components) const override;
    bool secret() const override { return inner_().secret(); }
    bool empty(const void* source) const override { return content(source) == nullptr; }

protected:
    virtual void clear(void* target) const = 0;
    virtual void* emplace(void* target) const = 0;
    virtual const void* content(const void* source) const = 0;

private:
    ShapeRef inner_;
};

class ListShape : public Shape {
public:
    explicit ListShape(ShapeRef inner) : inner_(inner) {}
    Kinds kinds() const override { return Kinds::array; }
    void read(const Value& value, void* target, const Options& options, const Reading& reading) const override;
    Value write(const void* source) const override;
    boost::json::object document(const Options& options, Components& components) const override;
    bool secret() const override { return inner_().secret(); }

protected:
    virtual void clear(void* target) const = 0;
    /// Adds an element, valid until the next is added.
    virtual void* append(void* target) const = 0;
    virtual std::size_t size(const void* source) const = 0;
    virtual const void* element(const void* source, std::size_t index) const = 0;

private:
    ShapeRef inner_;
};

/// An object with free keys and values of one type.
class MapShape : public Shape {
public:
    explicit MapShape(ShapeRef inner) : inner_(inner) {}
    Kinds kinds() const override { return Kinds::object; }
    void read(const Value& value, void* target, const Options& options, const Reading& reading) const override;
    Value write(const void* source) const override;
    boost::json::object document(const Options& options, Components& components) const override;
    bool secret() const override { return inner_().secret(); }

protected:
    virtual void clear(void* target) const = 0;
    virtual void* entry(void* target, std::string_view key) const = 0;
    virtual void each(const void* source,
                      const std::function<void(const std::string& key, const void* value)>& visit) const = 0;

private:
    ShapeRef inner_;
};

/// One of several types. Told apart by JSON type; among objects by the constant they share (`.constant("type",
/// "text")`); and where both fail, by the first alternative that reads without a fault.
class OneOfShape : public Shape {
public:
    explicit OneOfShape(std::vector<ShapeRef> alternatives) : alternatives_(std::move(alternatives)) {}
    Kinds kinds() const override;
    void read(const Value& value, void* target, const Options& options, const Reading& reading) const override;
    Value write(const void* source) const override;
    boost::json::object document(const Options& options, Components& components) const override;

protected:
    virtual void* emplace(void* target, std::size_t index) const = 0;
    virtual std::pair<std::size_t, const void*> content(const void* source) const = 0;

private:
    /// The key by which the object alternatives are told apart; empty when they share none.
    std::string tag() const;
    void read_tagged(const Value& value, void* target, const Options& options, const Reading& reading,
                     const std::string& tag) const;
    void read_first_that_fits(const Value& value, void* target, const Options& options, const Reading& reading,
                              const std::vector<std::size_t>& candidates) const;

    std::vector<ShapeRef> alternatives_;
};

template <typename T>
struct ShapeFor<std::optional<T>> {
    static const Shape& get() {
        struct Typed final : OptionalShape {
            Typed() : OptionalShape(&shape_of<T>) {}
            void clear(void* target) const override { static_cast<std::optional<T>*>(target)->reset(); }
            void* emplace(void* target) const override { return &static_cast<std::optional<T>*>(target)->emplace(); }
            const void* content(const void* source) const override {
                const auto& value = *static_cast<const std::optional<T>*>(source);
                return value ? &*value : nullptr;
            }
        };
        static const Typed shape;
        return shape;
    }
};

template <typename T>
    requires(!std::same_as<T, bool>)
struct ShapeFor<std::vector<T>> {
    static const Shape& get() {
        struct Typed final : ListShape {
            Typed() : ListShape(&shape_of<T>) {}
            void clear(void* target) const override { static_cast<std::vector<T>*>(target)->clear(); }
            void* append(void* target) const override { return &static_cast<std::vector<T>*>(target)->emplace_back(); }
            std::size_t size(const void* source) const override {
                return static_cast<const std::vector<T>*>(source)->size();
            }
            const void* element(const void* source, std::size_t index) const override {
                return &(*static_cast<const std::vector<T>*>(source))[index];
            }
        };
        static const Typed shape;
        return shape;
    }
};

template <typename T>
struct ShapeFor<std::map<std::string, T>> {
    static const Shape& get() {
        struct Typed final : MapShape {
            Typed() : MapShape(&shape_of<T>) {}
            void clear(void* target) const override { static_cast<std::map<std::string, T>*>(target)->clear(); }
            void* entry(void* target, std::string_view key) const override {
                return &(*static_cast<std::map<std::string, T>*>(target))[std::string(key)];
            }
            void each(const void* source,
                      const std::function<void(const std::string&, const void*)>& visit) const override {
                for (const auto& [key, value] : *static_cast<const std::map<std::string, T>*>(source))
                    visit(key, &value);
            }
        };
        static const Typed shape;
        return shape;
    }
};

template <typename... Ts>
struct ShapeFor<std::variant<Ts...>> {
    static const Shape& get() {
        using Variant = std::variant<Ts...>;
        struct Typed final : OneOfShape {
            Typed() : OneOfShape({&shape_of<Ts>...}) {}
            void* emplace(void* target, std::size_t index) const override {
                void* held = nullptr;
                [&]<std::size_t... I>(std::index_sequence<I...>) {
                    ((index == I ? void(held = &static_cast<Variant*>(target)->template emplace<I>()) : void()), ...);
                }(std::index_sequence_for<Ts...>{});
                return held;
            }
            std::pair<std::size_t, const void*> content(const void* source) const override {
                const auto& value = *static_cast<const Variant*>(source);
                return {value.index(), std::visit([](const auto& held) -> const void* { return &held; }, value)};
            }
        };
        static const Typed shape;
        return shape;
    }
};

/// Types that are a string with a check or a meaning of their own.
class TextShape : public Shape {
public:
    Kinds kinds() const override { return Kinds::string; }
    void read(const Value& value, void* target, const Options& options, const Reading& reading) const override;
    Value write(const void* source) const override;
    boost::json::object document(const Options& options, Components& components) const override;

protected:
    virtual void assign(void* target, std::string text) const = 0;
    virtual std::string text(const void* source) const = 0;
};

template <typename Tag>
struct ShapeFor<base::StrongId<Tag>> {
    static const Shape& get() {
        struct Typed final : TextShape {
            void assign(void* target, std::string text) const override {
                *static_cast<base::StrongId<Tag>*>(target) = base::StrongId<Tag>(std::move(text));
            }
            std::string text(const void* source) const override {
                return static_cast<const base::StrongId<Tag>*>(source)->value();
            }
        };
        static const Typed shape;
        return shape;
    }
};

}  // namespace schema
