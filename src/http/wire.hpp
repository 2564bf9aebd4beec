#pragma once

/// The bytes of an answer. Private to this folder.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/message.hpp"

namespace http {

enum class Framing {
    length,   ///< Content-Length
    chunked,  ///< Transfer-Encoding: chunked
    close,    ///< until the connection closes: HTTP/1.0
    none,     ///< there is no body: 204, 304
};

struct ResponseHead {
    int status = 200;
    Version version = Version::http_1_1;
    Framing framing = Framing::length;
    std::uint64_t content_length = 0;
    bool keep_alive = true;
};

/// Status line and headers up to the empty line. `extra` wins over `headers` of the same name. Control characters in
/// values become spaces, so that nothing a client sent can begin a header of its own.
std::string serialized_head(const ResponseHead& head, const Headers& headers, const Headers& extra);

/// "1a\r\n", what goes before a chunk of that many bytes.
std::string chunk_prefix(std::size_t bytes);

/// As in "Sun, 06 Nov 1994 08:49:37 GMT"; kept for a second.
std::string_view http_date();

}  // namespace http
