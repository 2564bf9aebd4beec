#include "http/server.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/log.hpp"
#include "http/connection.hpp"
#include "http/errors.hpp"
#include "http/event_channel.hpp"
#include "http/request_id.hpp"
#include "http/timeout.hpp"
#include "http/wire.hpp"

namespace http {
namespace {

using boost::system::error_code;
using tcp = asio::ip::tcp;

constexpr auto as_result = asio::as_tuple(asio::use_awaitable);
/// Refusals being written at one time; beyond this, surplus connections are just closed.
constexpr std::size_t max_refusals = 256;

}  // namespace

struct Server::State : std::enable_shared_from_this<Server::State> {
    State(asio::io_context& io, std::vector<Route> routes, ServerOptions options, Observer* an_observer)
        : acceptor(io), retry(io), one_ended(io.get_executor()), observer(an_observer) {
        auto list = standard_middleware(options.middleware, an_observer);
        service = std::make_shared<Service>(
            Service{.router = Router(std::move(routes)), .options = std::move(options), .middleware = std::move(list)});
    }

    void add(tcp::socket socket);
    void cut_all();
    /// Static, with a counted reference: both outlive the Server by a step when it ends while they wait.
    static asio::awaitable<void> accept(std::shared_ptr<State> self);
    static asio::awaitable<void> refuse(std::shared_ptr<State> self, tcp::socket socket);

    tcp::acceptor acceptor;
    asio::steady_timer retry;
    Wakeup one_ended;
    Observer* observer;
    std::shared_ptr<Service> service;
    std::unordered_map<Connection*, std::weak_ptr<Connection>> connections;
    std::size_t refusals = 0;
};

void Server::State::add(tcp::socket socket) {
    auto ended = [state = shared_from_this()](Connection& connection) {
        state->connections.erase(&connection);
        state->one_ended.wake();
        if (state->observer != nullptr) {
            state->observer->on_connection_closed();
        }
    };
    auto connection = serve(std::move(socket), service, std::move(ended));
    connections.emplace(connection.get(), connection);
    if (observer != nullptr) {
        observer->on_connection_opened();
    }
}

void Server::State::cut_all() {
    const auto all = connections;
    for (const auto& [pointer, weak] : all) {
        if (const auto connection = weak.lock()) {
            connection->cut();
        }
    }
}

asio::awaitable<void> Server::State::accept(std::shared_ptr<State> self) {
    while (self->acceptor.is_open()) {
        auto [error, socket] = co_await self->acceptor.async_accept(as_result);
        if (error == asio::error::operation_aborted || !self->acceptor.is_open()) {
            co_return;
        }
        if (error == asio::error::no_descriptors || error == asio::error::no_memory ||
            error == asio::error::no_buffer_space) {
            // The connection stays in the kernel's queue: trying again at once would only burn the processor.
            base::log::warning("cannot accept", {{"error", error.message()}});
            self->retry.expires_after(std::chrono::milliseconds(100));
            co_await self->retry.async_wait(as_result);
            continue;
        }
        if (error) {
            continue;  // this client left before it was accepted
        }
        error_code ignored;
        socket.set_option(tcp::no_delay(true), ignored);
        socket.set_option(asio::socket_base::keep_alive(true), ignored);
        if (self->connections.size() < self->service->options.max_connections) {
            self->add(std::move(socket));
        } else if (self->refusals < max_refusals) {
            asio::co_spawn(self->acceptor.get_executor(), refuse(self, std::move(socket)), asio::detached);
        }
    }
}

asio::awaitable<void> Server::State::refuse(std::shared_ptr<State> self, tcp::socket socket) {
    ++self->refusals;
    asio::steady_timer timer(socket.get_executor());
    const Timeout timeout(socket, timer, std::chrono::seconds(1));
    const auto answer = error_response({.code = base::ErrorCode::unavailable, .message = "Too many connections."});
    const auto text =
        serialized_head({.status = answer.status, .content_length = answer.body.size(), .keep_alive = false},
                        answer.headers, {{"x-request-id", new_request_id()}}) +
        answer.body;
    auto [error, size] = co_await asio::async_write(socket, asio::buffer(text), as_result);
    error_code ignored;
    socket.shutdown(tcp::socket::shutdown_send, ignored);
    std::array<char, 4096> dropped;  // unread bytes would turn the closing into a reset that overtakes the answer
    while (!error && !timeout.fired()) {
        std::tie(error, size) = co_await socket.async_read_some(asio::buffer(dropped), as_result);
    }
    --self->refusals;
}

Server::Server(asio::io_context& io, std::vector<Route> routes, ServerOptions options, Observer* observer)
    : state_(std::make_shared<State>(io, std::move(routes), std::move(options), observer)) {}

Server::~Server() {
    error_code ignored;
    state_->acceptor.close(ignored);
    state_->retry.cancel();
    state_->cut_all();
}

base::Result<std::uint16_t> Server::listen(const std::string& host, std::uint16_t port) {
    error_code error;
    auto& acceptor = state_->acceptor;
    const auto failed = [&] {
        error_code ignored;
        acceptor.close(ignored);
        return base::fail(base::ErrorCode::unavailable,
                          "cannot listen on " + host + ":" + std::to_string(port) + ": " + error.message());
    };
    tcp::resolver resolver(acceptor.get_executor());
    const auto found = resolver.resolve(host, std::to_string(port), tcp::resolver::passive, error);
    if (error || found.empty()) {
        return failed();
    }
    // Names such as localhost often give an IPv6 address first, while most clients try IPv4 first.
    const auto is_v4 = [](const auto& entry) { return entry.endpoint().address().is_v4(); };
    const auto first_v4 = std::ranges::find_if(found, is_v4);
    const auto endpoint = (first_v4 == found.end() ? found.begin() : first_v4)->endpoint();
    if (acceptor.open(endpoint.protocol(), error) || acceptor.set_option(tcp::acceptor::reuse_address(true), error) ||
        acceptor.bind(endpoint, error) || acceptor.listen(asio::socket_base::max_listen_connections, error)) {
        return failed();
    }
    asio::co_spawn(acceptor.get_executor(), State::accept(state_), asio::detached);
    return acceptor.local_endpoint().port();
}

asio::awaitable<bool> Server::drain(base::Duration grace) {
    const auto state = state_;
    error_code ignored;
    state->acceptor.close(ignored);
    state->service->draining = true;
    const auto all = state->connections;
    for (const auto& [pointer, weak] : all) {
        if (const auto connection = weak.lock()) {
            connection->cut_if_idle();
        }
    }
    const auto until = std::chrono::steady_clock::now() + grace;
    while (!state->connections.empty() && std::chrono::steady_clock::now() < until) {
        co_await state->one_ended.sleep_until(until);
    }
    const bool finished = state->connections.empty();
    state->cut_all();
    const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    while (!state->connections.empty() && std::chrono::steady_clock::now() < last) {
        co_await state->one_ended.sleep_until(last);  // handlers hear that their client has gone, and end
    }
    co_return finished;
}

std::size_t Server::connections() const {
    return state_->connections.size();
}

}  // namespace http
