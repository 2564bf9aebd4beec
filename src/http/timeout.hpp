#pragma once

/// A limit on how long what a socket is doing may take. Private to this folder.

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>

#include "base/clock.hpp"

namespace http {

/// While it lives and `limit` passes, it cancels every operation of the socket, once. `socket` and `timer` must outlive
/// it, and one timer serves one Timeout at a time.
class Timeout {
public:
    Timeout(boost::asio::ip::tcp::socket& socket, boost::asio::steady_timer& timer, base::Duration limit)
        : timer_(timer), shared_(std::make_shared<Shared>(Shared{.socket = socket})) {
        restart(limit);
    }
    ~Timeout() {
        shared_->alive = false;
        timer_.cancel();
    }
    Timeout(const Timeout&) = delete;
    Timeout& operator=(const Timeout&) = delete;

    /// From now on, `limit` again: something moved.
    void restart(base::Duration limit) {
        timer_.expires_after(limit);
        timer_.async_wait([shared = shared_](boost::system::error_code error) {
            // The timer may have run out just before its cancelling: then this comes after the Timeout's end.
            if (error || !shared->alive) {
                return;
            }
            shared->fired = true;
            boost::system::error_code ignored;
            shared->socket.cancel(ignored);
        });
    }

    bool fired() const { return shared_->fired; }

private:
    struct Shared {
        boost::asio::ip::tcp::socket& socket;
        bool alive = true;
        bool fired = false;
    };
    boost::asio::steady_timer& timer_;
    std::shared_ptr<Shared> shared_;
};

}  // namespace http
