#pragma once

/// From the head of a request, as parsed, to a Request, or to the answer that refuses it. Private to this folder.

#include <expected>
#include <string>
#include <string_view>

#include "http/message.hpp"

namespace http {

struct RequestHead {
    std::string_view method;
    std::string_view target;
    Version version = Version::http_1_1;
    Headers headers;
};

struct ParsedHead {
    Request request;
    /// Still percent-encoded, for the router.
    std::string raw_path;
};

/// Takes origin form ("/path?query"), absolute form ("http://host/path") and "*" for OPTIONS. Refuses what two readers
/// could understand differently: no or several Host fields, transfer codings other than chunked, broken escapes, zero
/// bytes.
std::expected<ParsedHead, Response> parse_head(RequestHead head, std::string peer);

}  // namespace http
