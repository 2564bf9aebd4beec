#include "http/exchange.hpp"

#include <algorithm>
#include <utility>

#include "http/errors.hpp"

namespace http {

Exchange::Exchange(asio::any_io_executor executor, Request request)
    : executor_(std::move(executor)), request_(std::move(request)) {}

asio::awaitable<bool> Exchange::send_error(base::Error error) {
    std::vector<base::Error> errors;
    errors.push_back(std::move(error));
    co_return co_await send_errors(std::move(errors));
}

asio::awaitable<bool> Exchange::send_errors(std::vector<base::Error> errors) {
    for (const base::Error& error : errors) {
        if (error.code == base::ErrorCode::internal) {
            base::log::error("request failed", {{"id", request_.id}, {"error", error.message}});
        }
    }
    note({"error", base::to_string(errors.front().code)});
    co_return co_await send(error_response(errors, request_.id, error_form_));
}

void Exchange::note(base::log::Field field) {
    std::erase_if(notes_, [&](const base::log::Field& known) { return known.key == field.key; });
    notes_.push_back(std::move(field));
}

void Exchange::add_listener(GoneListener& listener) {
    listeners_.push_back(&listener);
    if (client_gone_) {
        listener.on_client_gone();
    }
}

void Exchange::remove_listener(GoneListener& listener) {
    std::erase(listeners_, &listener);
}

void Exchange::announce_client_gone() {
    if (std::exchange(client_gone_, true)) {
        return;
    }
    const auto listeners = listeners_;  // one may remove itself when it hears
    for (GoneListener* listener : listeners) {
        if (std::ranges::find(listeners_, listener) != listeners_.end()) {
            listener->on_client_gone();
        }
    }
}

namespace {

asio::awaitable<void> send_answer(Exchange& exchange, Response response) {
    co_await exchange.send(std::move(response));
}

}  // namespace

Handler answer_with(std::function<Response(const Request&)> answer) {
    return
        [answer = std::move(answer)](Exchange& exchange) { return send_answer(exchange, answer(exchange.request())); };
}

}  // namespace http
