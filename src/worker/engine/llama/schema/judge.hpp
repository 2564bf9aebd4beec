#pragma once

/// Whether a value satisfies a schema: for values that the schema itself lists.

#include <map>
#include <set>
#include <string>

#include "worker/engine/llama/schema/document.hpp"
#include "worker/engine/llama/schema/texts.hpp"

namespace worker::engine::llama::schema {

class Judge {
public:
    Judge(Document& document, Texts& texts) : document_(document), texts_(texts) {}

    /// False also where it cannot be told. The schema must be well-formed, as must those it refers to.
    bool satisfies(const common_json& value, Document::Part part);

private:
    bool satisfies_all(const common_json& value, Document::Part part, const char* keyword);
    std::size_t count_satisfied(const common_json& value, Document::Part part, const char* keyword);
    bool fits_type(const common_json& value, Document::Part part) const;
    bool fits_number(const common_json& value, Document::Part part) const;
    bool fits_string(const std::string& value, Document::Part part);
    bool fits_array(const common_json& value, Document::Part part);
    bool fits_object(const common_json& value, Document::Part part);
    bool is_listed(const common_json& value, Document::Part part);
    bool fits_pattern(const std::string& text, const std::string& pattern);

    Document& document_;
    Texts& texts_;
    std::map<Document::Part, std::set<std::string>> listed_;  // by canonical text
    int depth_ = 0;
    std::size_t steps_ = 0;
};

}  // namespace worker::engine::llama::schema
