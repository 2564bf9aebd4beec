#include "http/middleware.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <utility>

#include "base/log.hpp"
#include "http/auth.hpp"
#include "http/cors.hpp"
#include "http/errors.hpp"
#include "http/forwarded.hpp"
#include "http/multipart.hpp"
#include "http/request_id.hpp"

namespace http {
namespace {

/// What a proxy writes when the client left before the answer (nginx's number, known to dashboards).
constexpr int client_closed_request = 499;

std::string_view endpoint_of(const Match& match) {
    return match.route == nullptr ? std::string_view("other") : std::string_view(match.route->pattern);
}

int final_status(const Exchange& exchange) {
    const int status = exchange.outcome().status;
    return status == 0 || (exchange.client_gone() && !exchange.outcome().complete) ? client_closed_request : status;
}

asio::awaitable<void> request_id(Exchange& exchange, const Match&, Next next) {
    Request& request = exchange.request();
    const auto given = request.headers.find("x-request-id");
    request.id = given && is_sane_request_id(*given) ? std::string(*given) : new_request_id();
    exchange.add_header("x-request-id", request.id);
    co_await next(exchange);
}

/// Anthropic's clients send their version of the API with everything: what they ask for in vain is answered in their
/// form too.
ErrorForm error_form_for(const Request& request, const Match& match) {
    if (match.route != nullptr) {
        return match.route->error_form;
    }
    return request.headers.find("anthropic-version") ? ErrorForm::anthropic : ErrorForm::openai;
}

asio::awaitable<void> error_form(Exchange& exchange, const Match& match, Next next) {
    exchange.set_error_form(error_form_for(exchange.request(), match));
    if (exchange.error_form() == ErrorForm::anthropic) {
        exchange.add_header("request-id", exchange.request().id);  // the name by which these clients know it
    }
    co_await next(exchange);
}

asio::awaitable<void> access_log(Exchange& exchange, const Match&, Next next) {
    const auto begin = std::chrono::steady_clock::now();
    co_await next(exchange);
    const Request& request = exchange.request();
    std::vector<base::log::Field> fields{
        {"id", request.id},
        {"method", to_string(request.method)},
        {"path", std::string_view(request.path).substr(0, 200)},
        {"status", final_status(exchange)},
        {"bytes", exchange.outcome().body_bytes},
        {"seconds", base::seconds(std::chrono::steady_clock::now() - begin)},
        {"peer", request.peer},
    };
    fields.insert(fields.end(), exchange.notes().begin(), exchange.notes().end());
    base::log::write_fields(base::log::Level::info, "request", fields);
}

asio::awaitable<void> observe(Observer& observer, Exchange& exchange, const Match& match, Next next) {
    const auto begin = std::chrono::steady_clock::now();
    observer.on_request_started();
    co_await next(exchange);
    observer.on_request_finished({.request = exchange.request(),
                                  .endpoint = endpoint_of(match),
                                  .status = final_status(exchange),
                                  .body_bytes = exchange.outcome().body_bytes,
                                  .seconds = base::seconds(std::chrono::steady_clock::now() - begin),
                                  .client_gone = exchange.client_gone()});
}

asio::awaitable<void> catch_exceptions(Exchange& exchange, const Match&, Next next) {
    std::string bug;
    try {
        co_await next(exchange);
        if (exchange.outcome().status == 0 && !exchange.client_gone()) {
            bug = "the handler returned without an answer";
        }
    } catch (const std::exception& error) {
        bug = error.what();
    } catch (...) {
        bug = "something that is no std::exception";
    }
    if (bug.empty()) {
        co_return;
    }
    if (exchange.outcome().status == 0) {
        co_await exchange.send_error({.code = base::ErrorCode::internal, .message = std::move(bug)});
    } else {  // part of an answer has left: the connection is cut because it is not complete
        base::log::error("answer cut short", {{"id", exchange.request().id}, {"error", bug}});
    }
}

asio::awaitable<void> refuse_malformed(Exchange& exchange, const Match& match, Next next) {
    if (match.refusal) {
        co_await exchange.send(*match.refusal);
    } else {
        co_await next(exchange);
    }
}

std::string listed(const std::vector<Method>& methods) {
    std::string list;
    for (const Method method : methods) {
        list.append(to_string(method)).append(", ");
    }
    return list + "OPTIONS";
}

asio::awaitable<void> route(Exchange& exchange, const Match& match, Next next) {
    Request& request = exchange.request();
    if (match.route != nullptr) {
        request.path_parameters = match.parameters;
        co_await next(exchange);
        co_return;
    }
    const bool whole_server = request.method == Method::options && request.path == "*";
    if (match.allowed.empty() && !whole_server) {
        auto message = fmt::format("There is no {} {} here.", to_string(request.method), request.path.substr(0, 200));
        co_await exchange.send_error({.code = base::ErrorCode::not_found, .message = std::move(message)});
        co_return;
    }
    Response answer{.status = 204};
    if (request.method != Method::options) {
        answer = protocol_error(405, fmt::format("{} takes {}.", request.path.substr(0, 200), listed(match.allowed)),
                                "method_not_allowed", request.id, exchange.error_form());
    }
    answer.headers.set("Allow", listed(match.allowed));
    co_await exchange.send(std::move(answer));
}

/// Of the header `x-request-timeout: SECONDS`; what is no positive number asks for nothing.
base::Duration wanted_time(const Request& request) {
    const auto text = request.headers.find("x-request-timeout");
    double seconds = 0;
    if (!text ||
        std::from_chars(text->data(), text->data() + text->size(), seconds).ptr != text->data() + text->size() ||
        !(seconds > 0 && seconds < 1e6)) {
        return base::Duration::max();
    }
    return std::chrono::duration_cast<base::Duration>(std::chrono::duration<double>(seconds));
}

asio::awaitable<void> deadline(base::Duration limit, Exchange& exchange, const Match& match, Next next) {
    limit = std::min(match.route->deadline.value_or(limit), wanted_time(exchange.request()));
    exchange.request().deadline = std::chrono::steady_clock::now() + limit;
    co_await next(exchange);
}

/// Empty when the body may be read, else what is wrong with its type.
std::string unsupported_body(const Request& request, const Route& route) {
    const auto encoding = request.headers.find("Content-Encoding");
    if (encoding && !encoding->empty() && !equal_ignoring_case(*encoding, "identity")) {
        return "Content-Encoding is not supported: send the body as it is.";
    }
    const auto type = request.headers.find("Content-Type");
    if (route.consumes.empty() || !type) {
        return {};
    }
    return std::ranges::find(route.consumes, media_type_of(*type)) != route.consumes.end()
               ? std::string{}
               : fmt::format("Content-Type must be {}.", fmt::join(route.consumes, " or "));
}

asio::awaitable<void> body(std::uint64_t limit_bytes, Exchange& exchange, const Match& match, Next next) {
    if (auto problem = unsupported_body(exchange.request(), *match.route); !problem.empty()) {
        co_await exchange.send(protocol_error(415, std::move(problem), "unsupported_media_type", exchange.request().id,
                                              exchange.error_form()));
        co_return;
    }
    auto read = co_await exchange.read_body(match.route->body_limit_bytes.value_or(limit_bytes));
    if (read) {
        co_await next(exchange);
    } else if (read.error().code == base::ErrorCode::deadline) {
        co_await exchange.send(
            protocol_error(408, read.error().message, "request_timeout", exchange.request().id, exchange.error_form()));
    } else {
        co_await exchange.send_error(std::move(read.error()));
    }
}

}  // namespace

asio::awaitable<void> Next::operator()(Exchange& exchange) const {
    if (position_ < list_.size()) {
        return list_[position_](exchange, match_, Next(*this, position_ + 1));
    }
    return match_.route->handler(exchange);
}

std::vector<Middleware> standard_middleware(const MiddlewareOptions& options, Observer* observer) {
    std::vector<Middleware> list;
    // First, because everything after it may name the request.
    list.emplace_back(request_id);
    // Before the log, which names the client.
    list.emplace_back(forwarded(options.trusted_proxies));
    // Before all that can refuse.
    list.emplace_back(error_form);
    // Around all that can answer, so that every request leaves one line, malformed and refused ones too.
    list.emplace_back(access_log);
    // Sees the same as the log, without its formatting.
    if (observer != nullptr) {
        list.emplace_back([observer](Exchange& exchange, const Match& match, Next next) {
            return observe(*observer, exchange, match, next);
        });
    }
    // Inside the log and the metrics, so that both see the 500.
    list.emplace_back(catch_exceptions);
    // A request that could not be read has no method or path to judge by.
    list.emplace_back(refuse_malformed);
    // Before auth: a preflight carries no key, and a browser shows a 401 to its page only with these headers.
    list.emplace_back(cors(options.cors));
    // Before the paths are told apart and before the body is read: a stranger learns nothing and makes us buffer
    // nothing.
    list.emplace_back(auth(options.api_keys));
    // From here on there is a route, with its own limits.
    list.emplace_back(route);
    // Before the body, whose upload is part of the time a client waits.
    list.emplace_back([limit = options.deadline](Exchange& exchange, const Match& match, Next next) {
        return deadline(limit, exchange, match, next);
    });
    // Last: only what passed everything else is read into memory. From here on the client is watched.
    list.emplace_back([limit = options.body_limit_bytes](Exchange& exchange, const Match& match, Next next) {
        return body(limit, exchange, match, next);
    });
    return list;
}

}  // namespace http
