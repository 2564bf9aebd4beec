#include "http/cors.hpp"

#include <algorithm>

namespace http {
namespace {

std::string listed(const std::vector<Method>& methods) {
    std::string list;
    for (const Method method : methods) {
        list.append(list.empty() ? "" : ", ").append(to_string(method));
    }
    return list;
}

asio::awaitable<void> allow_origin(const CorsOptions& options, Exchange& exchange, const Match& match, Next next) {
    const Request& request = exchange.request();
    const auto origin = request.headers.find("Origin");
    const auto allows = [&](std::string_view wanted) {
        return std::ranges::find(options.origins, wanted) != options.origins.end();
    };
    const bool any = allows("*");
    if (!any && !options.origins.empty()) {
        exchange.add_header("Vary", "Origin");
    }
    if (!origin || !(any || allows(*origin))) {
        co_await next(exchange);
        co_return;
    }
    exchange.add_header("Access-Control-Allow-Origin", any ? "*" : std::string(*origin));
    exchange.add_header(
        "Access-Control-Expose-Headers",
        "x-request-id, request-id, x-ignored-fields, x-job-id, x-queue-position, x-predicted-seconds, retry-after");
    const bool preflight =
        request.method == Method::options && request.headers.find("Access-Control-Request-Method").has_value();
    if (!preflight) {
        co_await next(exchange);
        co_return;
    }
    // Which headers a client library sends is its own affair (OpenAI's sends a dozen x-stainless-*): all are allowed.
    const auto wanted = request.headers.find("Access-Control-Request-Headers");
    Response answer{.status = 204};
    answer.headers.set("Access-Control-Allow-Methods", listed(match.allowed));
    answer.headers.set("Access-Control-Allow-Headers",
                       std::string(wanted.value_or("authorization, content-type, x-api-key, x-request-id")));
    answer.headers.set("Access-Control-Max-Age", std::to_string(options.preflight_lifetime.count()));
    co_await exchange.send(std::move(answer));
}

}  // namespace

Middleware cors(CorsOptions options) {
    return [options = std::move(options)](Exchange& exchange, const Match& match, Next next) {
        return allow_origin(options, exchange, match, next);
    };
}

}  // namespace http
