#pragma once

/// What happens to every request around its handler: one ordered list, each position with its reason (middleware.cpp).

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "http/exchange.hpp"
#include "http/networks.hpp"
#include "http/router.hpp"

namespace http {

/// What a finished request was. Views live during the call.
struct Finished {
    const Request& request;
    /// The route's pattern, or "other" when none fits: bounded, so fit for a metric label.
    std::string_view endpoint;
    int status = 0;
    std::uint64_t body_bytes = 0;
    double seconds = 0;
    bool client_gone = false;
};

/// Told about requests and connections; for metrics. Everything has an empty default.
class Observer {
public:
    virtual ~Observer() = default;
    virtual void on_connection_opened() {}
    virtual void on_connection_closed() {}
    virtual void on_request_started() {}
    virtual void on_request_finished(const Finished&) {}
};

struct CorsOptions {
    /// Origins that may call from a browser, e.g. "https://chat.example"; "*" allows all; empty allows none.
    std::vector<std::string> origins;
    std::chrono::seconds preflight_lifetime{600};
};

struct ApiKey {
    // Implicit: most keys are nothing but a text.
    ApiKey(const char* text) : key(text) {}
    ApiKey(std::string text, std::string name) : key(std::move(text)), caller(std::move(name)) {}

    std::string key;
    /// What Request::caller becomes with this key. Appears in logs.
    std::string caller;
};

struct MiddlewareOptions {
    /// Accepted as `Authorization: Bearer KEY` or `x-api-key: KEY`. Empty: no key is needed.
    std::vector<ApiKey> api_keys;
    CorsOptions cors;
    /// Proxies whose X-Forwarded-* headers are believed.
    Networks trusted_proxies;
    std::uint64_t body_limit_bytes = 32U << 20U;
    base::Duration deadline = std::chrono::minutes(10);
};

class Next;
using Middleware = std::function<asio::awaitable<void>(Exchange&, const Match&, Next next)>;

/// The rest of the list, then the route's handler.
class Next {
public:
    Next(const std::vector<Middleware>& list, const Match& match) : list_(list), match_(match) {}
    asio::awaitable<void> operator()(Exchange& exchange) const;

private:
    Next(const Next& before, std::size_t position) : list_(before.list_), match_(before.match_), position_(position) {}

    const std::vector<Middleware>& list_;
    const Match& match_;
    std::size_t position_ = 0;
};

/// The list in order, outermost first. `observer` may be null, else must outlive the list.
std::vector<Middleware> standard_middleware(const MiddlewareOptions& options, Observer* observer);

}  // namespace http
