#pragma once

/// HTTP/1.1 (and 1.0) on one thread: accepts connections, reads requests, runs middleware and handler, keeps
/// connections alive, also after a stream. Runs on the io_context it is given; nothing here blocks.

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "http/middleware.hpp"
#include "http/router.hpp"

namespace boost::asio {
class io_context;
}

namespace http {

struct ServerOptions {
    MiddlewareOptions middleware;
    /// More connections than this get a 503 at once.
    std::size_t max_connections = 4096;
    std::uint32_t header_limit_bytes = 32U << 10U;
    /// From a request's first byte to the end of its head.
    base::Duration head_timeout = std::chrono::seconds(10);
    /// Without a byte of a body; the whole of it has until the request's deadline.
    base::Duration body_timeout = std::chrono::seconds(30);
    /// Between requests on one connection.
    base::Duration idle_timeout = std::chrono::seconds(75);
    /// Without the socket taking a byte of an answer: a client that stopped reading.
    base::Duration write_timeout = std::chrono::seconds(30);
};

class Server {
public:
    /// `observer` may be null; else it, like `io`, must outlive the server.
    Server(asio::io_context& io, std::vector<Route> routes, ServerOptions options, Observer* observer = nullptr);
    /// Cuts every connection. The io_context must not be running, or this must be its thread.
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// Starts accepting. Port 0 takes a free one; the answer is the port in use. `host` is an address or a name; of a
    /// name's addresses one is taken, an IPv4 one if there is any.
    base::Result<std::uint16_t> listen(const std::string& host, std::uint16_t port);

    /// Stops accepting, closes idle connections and lets running requests finish, until `grace` is over; then cuts the
    /// rest. True when none had to be cut. While draining, every answer says `Connection: close`.
    asio::awaitable<bool> drain(base::Duration grace);

    std::size_t connections() const;

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace http
