#pragma once

/// Looks after a connection's read side while nobody reads it: tells a running exchange that its client has left, and
/// keeps what comes early for the next request. Private to this folder.

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <functional>
#include <memory>

#include "base/clock.hpp"
#include "http/event_channel.hpp"

namespace http {

class ClientWatch {
public:
    /// Both must outlive the watch.
    ClientWatch(asio::ip::tcp::socket& socket, boost::beast::flat_buffer& buffer);

    /// `owner`, who owns this watch too, is kept alive by each operation under way. Call once, before the rest.
    void set_owner(std::weak_ptr<void> owner) { owner_ = std::move(owner); }

    /// From now until `end`, `on_gone` is called when the client leaves. A read of the next request's first bytes may
    /// stay under way after `end`; `wait_for_bytes` takes it over, and the buffer must not be touched before that.
    void begin(std::function<void()> on_gone);
    void end();

    /// Between requests: waits until there is something to read. False when there was nothing until `until`, or the
    /// client has left. The buffer is free again when it returned true.
    asio::awaitable<bool> wait_for_bytes(base::TimePoint until);
    /// Makes `wait_for_bytes` look again, after the socket was closed.
    void wake() { arrival_.wake(); }

    /// Everything that came has been read by us.
    bool reading() const { return reading_; }
    bool failed() const { return failed_; }

private:
    void read();
    void ask_for_presence();

    asio::ip::tcp::socket& socket_;
    boost::beast::flat_buffer& buffer_;
    std::weak_ptr<void> owner_;
    std::function<void()> on_gone_;
    asio::steady_timer presence_timer_;
    Wakeup arrival_;
    bool reading_ = false;
    bool failed_ = false;
};

}  // namespace http
