#include "http/client_watch.hpp"

#include <poll.h>

#include <utility>

namespace http {
namespace {

using boost::system::error_code;

constexpr std::size_t read_bytes = 4096;
/// How often a client that has sent more than its request is asked whether it is still there.
constexpr auto presence_interval = std::chrono::milliseconds(200);

}  // namespace

ClientWatch::ClientWatch(asio::ip::tcp::socket& socket, boost::beast::flat_buffer& buffer)
    : socket_(socket), buffer_(buffer), presence_timer_(socket.get_executor()), arrival_(socket.get_executor()) {}

void ClientWatch::begin(std::function<void()> on_gone) {
    on_gone_ = std::move(on_gone);
    if (buffer_.size() > 0) {
        ask_for_presence();
    } else if (!reading_) {
        read();
    }
}

void ClientWatch::end() {
    on_gone_ = nullptr;
    presence_timer_.cancel();
}

asio::awaitable<bool> ClientWatch::wait_for_bytes(base::TimePoint until) {
    if (buffer_.size() > 0) {
        co_return !failed_;
    }
    if (!reading_) {
        read();
    }
    while (reading_ && socket_.is_open() && std::chrono::steady_clock::now() < until) {
        co_await arrival_.sleep_until(until);
    }
    co_return !reading_ && !failed_ && socket_.is_open();
}

/// Ends with whatever comes next: the next request, or the end of the connection.
void ClientWatch::read() {
    reading_ = true;
    socket_.async_read_some(buffer_.prepare(read_bytes),
                            [this, owner = owner_.lock()](error_code error, std::size_t size) {
                                reading_ = false;
                                failed_ = static_cast<bool>(error);
                                buffer_.commit(size);
                                arrival_.wake();
                                if (!on_gone_) {
                                    return;
                                }
                                if (failed_) {
                                    on_gone_();
                                } else {
                                    ask_for_presence();
                                }
                            });
}

/// A pipelined request is in the buffer, and reading on would let a client fill our memory. So the kernel is asked, now
/// and then, whether the client has closed.
void ClientWatch::ask_for_presence() {
    presence_timer_.expires_after(presence_interval);
    presence_timer_.async_wait([this, owner = owner_.lock()](error_code error) {
        if (error || !on_gone_) {
            return;
        }
        pollfd state{.fd = socket_.native_handle(), .events = POLLRDHUP, .revents = 0};
        if (!socket_.is_open() || (::poll(&state, 1, 0) > 0 && state.revents != 0)) {
            on_gone_();
        } else {
            ask_for_presence();
        }
    });
}

}  // namespace http
