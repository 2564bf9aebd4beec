#pragma once

/// Schemas that one value has to satisfy together: a schema with those of its `$ref` and `allOf`, and a choice of each
/// `anyOf` and `oneOf`. Two places of a document with the same ones allow the same values.

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "worker/engine/llama/schema/document.hpp"

namespace worker::engine::llama::schema {

struct Member {
    Document::Part part = 0;
    bool any_chosen = false;  ///< of its anyOf one is among the members
    bool one_chosen = false;  ///< of its oneOf

    auto operator<=>(const Member&) const = default;
};

struct Together {
    std::vector<Member> members;  ///< those that say something themselves, in the order of the schema
    bool impossible = false;      ///< one of them is `false`

    auto operator<=>(const Together&) const = default;
};

/// A keyword that is still to be chosen from.
struct Choice {
    Document::Part part = 0;
    bool exactly_one = false;
    std::size_t count = 0;

    const char* keyword() const { return exactly_one ? "oneOf" : "anyOf"; }
};

class Gathering {
public:
    explicit Gathering(Document& document) : document_(document) {}

    /// The parts with all that they include.
    Together of(const std::vector<Document::Part>& parts);
    std::optional<Choice> choice(const Together& together) const;
    /// The same, decided for one of a choice.
    Together chosen(const Together& together, const Choice& choice, std::size_t index);

    /// The first thing that was wrong with a schema that was met.
    const std::optional<Fault>& fault() const { return fault_; }

private:
    enum class Walk : std::uint8_t { under_way, done };

    void include(Document::Part part, Together& together);
    bool matters(const Member& member) const;
    /// Checks a schema when it is met first, and those that stand for the same value: none may lead back to itself.
    void check(Document::Part part);
    void refuse(Fault fault);

    Document& document_;
    std::map<Document::Part, Walk> checked_;
    std::optional<Fault> fault_;
};

}  // namespace worker::engine::llama::schema
