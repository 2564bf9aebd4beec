#pragma once

/// A JSON Schema and the schemas inside it, each with its path.

#include <json.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace worker::engine::llama::schema {

/// What is wrong with a schema, and where: ".properties.age.minimum".
struct Fault {
    std::string path;
    std::string complaint;
};

class Document {
public:
    /// The number of a schema in the document.
    using Part = std::uint32_t;
    static constexpr Part root = 0;

    /// `json` must outlive this and stay as it is.
    explicit Document(const common_json& json);

    const common_json& json(Part part) const { return *parts_[part].json; }
    const std::string& path(Part part) const { return parts_[part].path; }
    /// The keyword's value; nullptr when the schema has no such keyword, or is `true` or `false`.
    const common_json* find(Part part, const std::string& keyword) const;

    /// Whether there is a keyword that is about values itself: none for readers, or that leads to another schema.
    bool says_something(Part part) const;

    /// The schema that is the keyword's value.
    Part inside(Part part, const std::string& keyword);
    /// One of the schemas that the keyword lists.
    Part inside(Part part, const std::string& keyword, std::size_t index);
    /// One of those that it names.
    Part inside(Part part, const std::string& keyword, const std::string& name);
    /// What `$ref` means; nothing when there is no such place in this document.
    std::optional<Part> target(Part part);

    /// A keyword with a value that it cannot have.
    std::optional<Fault> malformed(Part part) const;

private:
    struct Entry {
        const common_json* json = nullptr;
        std::string path;
    };

    Part known(const common_json& json, std::string path);
    std::optional<Part> at_pointer(std::string_view pointer);
    std::optional<Part> at_anchor(const std::string& name);

    std::vector<Entry> parts_;
    std::map<const common_json*, Part> numbers_;
};

std::string in_path(std::string_view key);
std::string in_path(std::size_t index);

}  // namespace worker::engine::llama::schema
