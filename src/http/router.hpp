#pragma once

/// The table of routes: from method and path to a handler. Immutable once built.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/exchange.hpp"
#include "http/message.hpp"

namespace http {

enum class Access {
    key,   ///< needs an API key when keys are configured
    open,  ///< answers anybody: health for probes, the documentation pages
};

struct Route {
    Method method = Method::get;
    /// "/v1/models", "/v1/models/{model}" (one segment) or "/v1/models/{model...}" (all the rest, slashes included).
    /// Fixed text wins over parameters, one segment over the rest. GET also answers HEAD.
    std::string pattern;
    Handler handler;
    Access access = Access::key;
    /// Media types of which a body must have one when it says any, e.g. "application/json"; empty takes all.
    std::vector<std::string> consumes;
    /// Instead of the server's limit.
    std::optional<std::uint64_t> body_limit_bytes;
    /// Instead of the server's deadline.
    std::optional<base::Duration> deadline;
    /// How the errors of this route look.
    ErrorForm error_form = ErrorForm::openai;
};

struct Match {
    /// Null when no route fits; then `allowed` is empty (404) or names the methods that path has (405).
    const Route* route = nullptr;
    std::vector<std::pair<std::string, std::string>> parameters;
    std::vector<Method> allowed;
    /// Set by the connection instead of a route when the request is malformed: the answer it gets.
    std::optional<Response> refusal;
};

class Router {
public:
    /// A pattern that is not well formed, or given twice with one method, is a bug: throws std::invalid_argument.
    explicit Router(std::vector<Route> routes);

    /// `raw_path` as sent, still percent-encoded, so that an encoded slash stays inside its segment.
    Match match(Method method, std::string_view raw_path) const;

private:
    std::vector<Route> routes_;
};

/// Percent-decoded; empty when an escape is broken.
std::optional<std::string> percent_decoded(std::string_view text);

}  // namespace http
