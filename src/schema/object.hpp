#pragma once

/// Field tables: the one declaration of what a struct accepts, documents and checks. Beside the struct:
///
///     struct ImageRequest {
///         std::string prompt;
///         std::int32_t n = 1;
///         std::optional<std::uint64_t> seed;
///     };
///     const schema::Object<ImageRequest>& describe(schema::Type<ImageRequest>);
///
/// and in one source file:
///
///     const schema::Object<ImageRequest>& describe(schema::Type<ImageRequest>) {
///         static const auto table =
///             schema::Object<ImageRequest>("CreateImageRequest", "Asks for one or more pictures.")
///                 .field("prompt", &ImageRequest::prompt, {.doc = "What to draw.", .required = true, .min_length = 1})
///                 .field("n", &ImageRequest::n, {.doc = "How many.", .minimum = 1, .maximum = 10})
///                 .field("seed", &ImageRequest::seed, {.doc = "Same seed, same picture."})
///                 .ignored("user", {.doc = "Accepted for compatibility."});
///         return table;
///     }
///
/// Enums likewise, with `schema::Enum`. A table is built once and read from any thread.

#include "schema/shapes.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace schema {

/// One row of a table.
struct Field {
    enum class Role {
        member,    ///< read into and written from a member
        constant,  ///< always this value: `"object": "list"`, and the tag of one-of alternatives
        ignored,   ///< checked and documented, but without effect; its use is reported
    };
    std::string name;
    Options options;
    Role role = Role::member;
    ShapeRef shape = nullptr;
    /// Object -> its member. Only for members.
    std::function<void*(void*)> member;
    /// Something to read an ignored field into. Only for ignored fields.
    std::function<std::shared_ptr<void>()> scratch;
    Value constant = {};
    /// The field's own check, with the member: a complaint, or nullopt.
    std::function<std::optional<std::string>(const void*)> check;
};

/// The part of a table that does not depend on the type.
class ObjectShape : public Shape {
public:
    ObjectShape(std::string name, std::string doc) : name_(std::move(name)), doc_(std::move(doc)) {}

    /// The name of the component in the document; empty for one that is written in place.
    const std::string& name() const { return name_; }
    const std::string& doc() const { return doc_; }
    const std::vector<Field>& fields() const { return fields_; }
    /// An object with the initial values of its members, for documenting defaults.
    virtual std::shared_ptr<void> make_default() const = 0;

    Kinds kinds() const override { return Kinds::object; }
    void read(const Value& value, void* target, const Options& options, const Reading& reading) const override;
    Value write(const void* source) const override;
    boost::json::object document(const Options& options, Components& components) const override;
    const Value* constant_at(std::string_view key) const override;
    std::vector<std::string> constant_keys() const override;

protected:
    void read_field(const Field& field, const Value* value, void* target, const Reading& reading) const;
    void report_unknown(const boost::json::object& object, const Reading& reading) const;
    boost::json::object document_in_place(Components& components) const;
    boost::json::object document_field(const Field& field, void* defaults, Components& components) const;
    void include_checks(const ObjectShape& part, std::function<const void*(const void*)> member);

    std::string name_;
    std::string doc_;
    std::vector<Field> fields_;
    std::vector<std::function<void(const void*, const Reading&)>> checks_;
};

template <typename T>
class Object final : public ObjectShape {
public:
    using ObjectShape::ObjectShape;

    template <typename M>
    Object& field(std::string name, M T::* member, Options options = {}) {
        add_member(std::move(name), member, std::move(options));
        return *this;
    }

    /// With a check of its own: a callable that takes the member, when it was given and is otherwise fine, and returns
    /// a complaint ("must be a multiple of 8") or nullopt.
    template <typename M, typename Check>
    Object& field(std::string name, M T::* member, Options options, Check check) {
        add_member(std::move(name), member, std::move(options)).check =
            [check = std::move(check)](const void* value) -> std::optional<std::string> {
            return check(*static_cast<const M*>(value));
        };
        return *this;
    }

    /// The fields of a struct inside this one appear as fields of this object: what several requests have in common.
    template <typename M>
    Object& include(M T::* member) {
        const ObjectShape& part = describe(Type<M>{});
        for (Field field : part.fields()) {
            if (field.member)
                field.member = [member, inner = field.member](void* object) {
                    return inner(&(static_cast<T*>(object)->*member));
                };
            fields_.push_back(std::move(field));
        }
        include_checks(
            part, [member](const void* object) -> const void* { return &(static_cast<const T*>(object)->*member); });
        return *this;
    }

    /// A field that always has this value: must be given so, is written so. Alternatives of a variant are told apart by
    /// it.
    Object& constant(std::string name, Value value, Options options = {.required = true}) {
        fields_.push_back({.name = std::move(name),
                           .options = std::move(options),
                           .role = Field::Role::constant,
                           .constant = std::move(value)});
        return *this;
    }

    /// A field that is accepted without effect. By default of any type.
    template <typename M = Value>
    Object& ignored(std::string name, Options options = {}) {
        fields_.push_back({.name = std::move(name),
                           .options = std::move(options),
                           .role = Field::Role::ignored,
                           .shape = &shape_of<M>,
                           .scratch = [] { return std::make_shared<M>(); }});
        return *this;
    }

    /// A check of the object as a whole, called when its fields are fine. It complains at the field to blame:
    /// `if (a && b) reading.at("b").fault(schema::FaultKind::rule, "cannot be given together with a");`
    Object& check(std::function<void(const T&, const Reading&)> check) {
        checks_.push_back([check = std::move(check)](const void* object, const Reading& reading) {
            check(*static_cast<const T*>(object), reading);
        });
        return *this;
    }

    std::shared_ptr<void> make_default() const override { return std::make_shared<T>(); }

private:
    template <typename M>
    Field& add_member(std::string name, M T::* member, Options options) {
        return fields_.emplace_back(
            Field{.name = std::move(name),
                  .options = std::move(options),
                  .shape = &shape_of<M>,
                  .member = [member](void* object) -> void* { return &(static_cast<T*>(object)->*member); }});
    }
};

/// The names of an enum, type-erased: values as integers.
class EnumShape : public Shape {
public:
    Kinds kinds() const override { return Kinds::string; }
    void read(const Value& value, void* target, const Options& options, const Reading& reading) const override;
    Value write(const void* source) const override;
    boost::json::object document(const Options& options, Components& components) const override;

protected:
    explicit EnumShape(std::string doc) : doc_(std::move(doc)) {}
    virtual void assign(void* target, std::int64_t value) const = 0;
    virtual std::int64_t get(const void* source) const = 0;
    std::string_view name_of(std::int64_t value) const;

    std::string doc_;
    std::vector<std::pair<std::string, std::int64_t>> names_;
};

template <typename E>
class Enum final : public EnumShape {
public:
    /// Every value with its name, in the order of the document. `doc` may say what the values mean.
    Enum(std::initializer_list<std::pair<const char*, E>> names, std::string doc = {}) : EnumShape(std::move(doc)) {
        for (const auto& [name, value] : names)
            names_.emplace_back(name, static_cast<std::int64_t>(value));
    }

    /// "?" for a value without a name.
    std::string_view name(E value) const { return name_of(static_cast<std::int64_t>(value)); }

private:
    void assign(void* target, std::int64_t value) const override { *static_cast<E*>(target) = static_cast<E>(value); }
    std::int64_t get(const void* source) const override {
        return static_cast<std::int64_t>(*static_cast<const E*>(source));
    }
};

}  // namespace schema
