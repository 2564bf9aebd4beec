#include "http/auth.hpp"

#include <optional>
#include <string>

#include "base/base64.hpp"

namespace http {
namespace {

/// What follows the name of a scheme in `Authorization`.
std::optional<std::string_view> after_scheme(std::string_view value, std::string_view scheme) {
    if (value.size() <= scheme.size() || !equal_ignoring_case(value.substr(0, scheme.size()), scheme)) {
        return std::nullopt;
    }
    const auto begin = value.find_first_not_of(' ', scheme.size());
    return begin == std::string_view::npos ? std::string_view{} : value.substr(begin);
}

/// Some clients know no other way to send a key than as a password; the name before it does not matter.
std::optional<std::string> password_in(std::string_view credentials) {
    const auto decoded = base::decode_base64(credentials);
    const auto colon = decoded ? decoded->find(':') : std::string::npos;
    return colon == std::string::npos ? std::nullopt : std::optional(decoded->substr(colon + 1));
}

std::optional<std::string> given_key(const Request& request) {
    if (const auto value = request.headers.find("Authorization")) {
        if (const auto key = after_scheme(*value, "bearer ")) {
            return std::string(*key);
        }
        if (const auto credentials = after_scheme(*value, "basic ")) {
            return password_in(*credentials);
        }
    }
    const auto key = request.headers.find("x-api-key");
    return key ? std::optional<std::string>(*key) : std::nullopt;
}

const ApiKey* known(const std::vector<ApiKey>& keys, std::string_view given) {
    const ApiKey* found = nullptr;
    for (const ApiKey& key : keys) {
        found = same_key(given, key.key) ? &key : found;  // no early end: which key it was must not show in the time
    }
    return found;
}

asio::awaitable<void> check_key(const std::vector<ApiKey>& keys, Exchange& exchange, const Match& match, Next next) {
    const bool open = match.route != nullptr && match.route->access == Access::open;
    if (keys.empty() || open) {
        co_await next(exchange);
        co_return;
    }
    const auto given = given_key(exchange.request());
    if (!given || given->empty()) {
        co_await exchange.send_error({.code = base::ErrorCode::unauthorized,
                                      .message = "No API key was given: send it as `Authorization: Bearer KEY`."});
    } else if (const ApiKey* key = known(keys, *given); key == nullptr) {
        co_await exchange.send_error({.code = base::ErrorCode::unauthorized, .message = "The API key is wrong."});
    } else {
        exchange.request().caller = key->caller;
        co_await next(exchange);
    }
}

}  // namespace

bool same_key(std::string_view given, std::string_view expected) {
    unsigned difference = given.size() == expected.size() ? 0 : 1;
    for (std::size_t at = 0; at < given.size(); ++at) {
        const char other = expected.empty() ? '\0' : expected[at % expected.size()];
        difference |= static_cast<unsigned char>(given[at] ^ other);
    }
    return difference == 0 && !expected.empty();
}

Middleware auth(std::vector<ApiKey> keys) {
    return [keys = std::move(keys)](Exchange& exchange, const Match& match, Next next) {
        return check_key(keys, exchange, match, next);
    };
}

}  // namespace http
