#pragma once

/// One client's connection. Private to this folder.

#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>
#include <vector>

#include "http/middleware.hpp"
#include "http/router.hpp"
#include "http/server.hpp"

namespace http {

/// What all connections share; outlives them.
struct Service {
    Router router;
    ServerOptions options;
    std::vector<Middleware> middleware;
    bool draining = false;
};

class Connection {
public:
    virtual ~Connection() = default;
    /// Closes the socket; a running handler hears that its client has gone.
    virtual void cut() = 0;
    /// Closes it unless a request is being read or answered.
    virtual void cut_if_idle() = 0;
};

/// Serves `socket` until it closes, on the socket's executor; then calls `ended`.
std::shared_ptr<Connection> serve(asio::ip::tcp::socket socket, std::shared_ptr<const Service> service,
                                  std::function<void(Connection&)> ended);

}  // namespace http
