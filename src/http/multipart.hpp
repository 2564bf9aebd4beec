#pragma once

/// Bodies of the type multipart/form-data (RFC 7578): the parts of a form, with their names. Strict, as two readers that
/// see different parts in one body are a hole: nothing before the first boundary, nothing but line ends after the last,
/// one Content-Disposition with one name in each part, no encodings.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace http {

struct Part {
    /// As sent, brackets included: "image[]". Never empty.
    std::string name;
    /// Of the part itself, without parameters, in lower case; empty when it says none.
    std::string media_type;
    /// A file was sent, not text: it has a file's name, or a type that no text field has.
    bool is_file = false;
    /// A view into the body.
    std::string_view content;
};

struct MultipartLimits {
    std::size_t max_parts = 256;
    std::size_t max_head_bytes = 4096;
};

/// The media type of a Content-Type header, in lower case and without its parameters.
std::string media_type_of(std::string_view content_type);

/// The parts in their order; `body` must outlive them. Never throws for input. Errors are `invalid`; `param` is the
/// name of the part at fault, when it got as far as to have one.
base::Result<std::vector<Part>> parse_multipart(std::string_view content_type, std::string_view body,
                                                MultipartLimits limits = {});

}  // namespace http
