#pragma once

/// What is wrong with a document, as values. A parse collects every fault of the document, each with the path of the
/// field.

#include "base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace schema {

enum class FaultKind {
    syntax,         ///< not JSON: the message has line and column
    duplicate_key,  ///< a key twice in one object: two readers could see two requests
    too_deep,       ///< nested deeper than the limit
    missing,        ///< a required field is absent
    wrong_type,     ///< e.g. a string where a number belongs
    out_of_range,   ///< a number, length or item count outside of its limits
    not_allowed,    ///< not one of the listed values, or not the pattern
    unknown_field,  ///< only where unknown fields are refused
    rule,           ///< a check of the field or the whole object
};

std::string_view to_string(FaultKind kind);

struct Fault {
    FaultKind kind = FaultKind::rule;
    /// "messages[0].content[1].text"; empty for the document as a whole.
    std::string path;
    /// A sentence without its subject: "must be between 0 and 2, not 7".
    std::string message;
    /// Where, in a file that people wrote; 0 when that is not known.
    int line = 0;

    bool operator==(const Fault&) const = default;
};

/// In document order of the tables, at most `ParseOptions::max_faults` and then one that says there are more.
using Faults = std::vector<Fault>;

/// Extends the path "a.b" by a key: "a.b.c", or `a.b["c d"]` when the key is no plain name.
void append_key(std::string& path, std::string_view key);

/// "temperature: must be between 0 and 2, not 7".
std::string to_string(const Fault& fault);

/// All faults as one error for the client: `param` is the first path, the message lists every fault.
base::Error to_error(const Faults& faults);

}  // namespace schema
