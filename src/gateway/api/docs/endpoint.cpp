#include "gateway/api/docs/endpoint.hpp"

#include "gateway/api/docs/files.hpp"
#include "http/errors.hpp"

namespace gateway::api::docs {
namespace {

/// Nothing from elsewhere and no inline script; Swagger UI sets styles on its elements and draws icons from data: URLs.
constexpr std::string_view content_security_policy =
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; base-uri 'none'; frame-ancestors "
    "'self'";

http::Response serve(const File& file, const http::Request& request) {
    http::Response response;
    response.headers.set("Content-Type", std::string(file.content_type));
    response.headers.set("ETag", std::string(file.etag));
    // The names stay the same when the program is updated, so a browser asks each time and gets a 304.
    response.headers.set("Cache-Control", "no-cache");
    response.headers.set("Vary", "Accept-Encoding");
    response.headers.set("X-Content-Type-Options", "nosniff");
    response.headers.set("Content-Security-Policy", std::string(content_security_policy));
    if (request.headers.lists("If-None-Match", file.etag)) {
        response.status = 304;
        return response;
    }
    const auto encodings = request.headers.find("Accept-Encoding");
    if (encodings && encodings->find("gzip") != std::string_view::npos) {
        response.headers.set("Content-Encoding", "gzip");
        response.body = file.gzip;
    } else {
        response.body = decompress(file.gzip);
    }
    return response;
}

}  // namespace

http::Response page(const http::Request& request) {
    return serve(*find_file("index.html"), request);
}

http::Response file(const http::Request& request) {
    const File* file = find_file(request.path_parameter("file"));
    if (file == nullptr)
        return http::error_response(
            {.code = base::ErrorCode::not_found, .message = "There is no such file.", .param = {}, .retry_after = {}});
    return serve(*file, request);
}

http::Response to_page() {
    http::Response response{.status = 307, .headers = {{"Location", "docs"}}, .body = {}};
    return response;
}

}  // namespace gateway::api::docs
