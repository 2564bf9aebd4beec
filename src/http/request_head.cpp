#include "http/request_head.hpp"

#include <algorithm>
#include <utility>

#include "http/errors.hpp"
#include "http/router.hpp"

namespace http {
namespace {

std::unexpected<Response> refuse(std::string message) {
    return std::unexpected(protocol_error(400, std::move(message), "bad_request"));
}

/// The target without scheme and authority.
std::string_view origin_form(std::string_view target) {
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (target.size() >= scheme.size() && equal_ignoring_case(target.substr(0, scheme.size()), scheme)) {
            target.remove_prefix(scheme.size());
            const auto path = target.find_first_of("/?");
            return path == std::string_view::npos ? "/" : target.substr(path);
        }
    }
    return target;
}

}  // namespace

std::expected<ParsedHead, Response> parse_head(RequestHead head, std::string peer) {
    ParsedHead parsed;
    Request& request = parsed.request;
    request.method = method_from(head.method);
    request.version = head.version;
    request.peer = std::move(peer);
    const auto hosts = head.headers.count("Host");
    if (hosts > 1 || (hosts == 0 && head.version == Version::http_1_1)) {
        return refuse("A request must have exactly one Host header.");
    }
    if (const auto coding = head.headers.find("Transfer-Encoding")) {
        // Two readers that disagree about where such a body ends can be made to see different requests.
        if (!equal_ignoring_case(*coding, "chunked") || head.headers.count("Transfer-Encoding") > 1 ||
            head.version == Version::http_1_0) {
            return refuse("The only known Transfer-Encoding is chunked, in HTTP/1.1.");
        }
    }
    if (const auto expect = head.headers.find("Expect"); expect && !equal_ignoring_case(*expect, "100-continue")) {
        return std::unexpected(protocol_error(417, "The only known expectation is 100-continue.", "bad_request"));
    }
    request.headers = std::move(head.headers);
    auto target = origin_form(head.target);
    target = target.substr(0, target.find('#'));
    const auto question = target.find('?');
    const auto path = target.substr(0, question);
    if (question != std::string_view::npos) {
        request.query = target.substr(question + 1);
    }
    if (path == "*" && request.method == Method::options) {
        request.path = path;
        return parsed;
    }
    if (!path.starts_with('/')) {
        return refuse("The request target must be a path.");
    }
    auto decoded = percent_decoded(path);
    if (!decoded || decoded->contains('\0')) {
        return refuse("The path has a broken escape.");
    }
    request.path = *std::move(decoded);
    parsed.raw_path = path;
    return parsed;
}

}  // namespace http
