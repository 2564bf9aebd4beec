#pragma once

/// A request and an answer as plain values, with no socket in sight.

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace http {

/// `other` is any method we do not know; no route has it.
enum class Method { get, head, post, put, patch, delete_, options, other };

std::string_view to_string(Method method);
Method method_from(std::string_view name);

/// Header fields in the order they came; names compare without case. A name may occur several times.
class Headers {
public:
    using Field = std::pair<std::string, std::string>;

    Headers() = default;
    Headers(std::initializer_list<Field> fields) : fields_(fields) {}

    /// The first value; the view lives until the next change.
    std::optional<std::string_view> find(std::string_view name) const;
    /// Replaces every field of that name.
    void set(std::string_view name, std::string value);
    void add(std::string name, std::string value) { fields_.emplace_back(std::move(name), std::move(value)); }
    /// Whether a comma-separated header (Connection, Accept) lists `token`, in any case.
    bool lists(std::string_view name, std::string_view token) const;
    std::size_t count(std::string_view name) const;

    auto begin() const { return fields_.begin(); }
    auto end() const { return fields_.end(); }
    std::size_t size() const { return fields_.size(); }

private:
    std::vector<Field> fields_;
};

enum class Version { http_1_0, http_1_1 };

struct Request {
    Method method = Method::get;
    Version version = Version::http_1_1;
    /// Percent-decoded, without the query.
    std::string path;
    /// As sent, without the question mark.
    std::string query;
    Headers headers;
    /// Complete when the endpoint's handler runs; empty while the middleware before `body` looks on.
    std::string body;
    /// The client's own `x-request-id` when it is sane, else a new one. Never empty in a handler.
    std::string id;
    /// Address of the client, without the port.
    std::string peer;
    /// How the client reaches this server: "https://ai.example.org/models", without a slash at the end. Only the part
    /// behind the host, which may be empty, when the request names no usable one.
    std::string base_url;
    /// Name of the API key that was used; empty when keys are not asked for or have no names.
    std::string caller;
    /// By the names in the route's pattern, percent-decoded.
    std::vector<std::pair<std::string, std::string>> path_parameters;
    /// The answer, streams included, must be complete by then.
    base::TimePoint deadline = base::TimePoint::max();

    /// Empty when the route has no such parameter.
    std::string_view path_parameter(std::string_view name) const;
};

struct Response {
    int status = 200;
    /// Content-Length, Connection, Date and x-request-id are added when it is sent.
    Headers headers;
    std::string body;
};

/// ASCII only, as header names and tokens are.
bool equal_ignoring_case(std::string_view left, std::string_view right);

Response json_response(std::string body, int status = 200);
Response text_response(std::string body, std::string content_type = "text/plain; charset=utf-8", int status = 200);

}  // namespace http
