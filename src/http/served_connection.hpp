#pragma once

/// A connection and the answer it is giving. Private to this folder, for it shows Beast: connection.cpp reads,
/// answer.cpp writes.

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "http/client_watch.hpp"
#include "http/connection.hpp"
#include "http/wire.hpp"

namespace http {

class Answer;

class ServedConnection final : public Connection, public std::enable_shared_from_this<ServedConnection> {
public:
    using Socket = asio::ip::tcp::socket;

    ServedConnection(Socket socket, std::shared_ptr<const Service> service, std::function<void(Connection&)> ended);

    /// Serves until the socket closes. The parameter keeps the connection alive.
    static asio::awaitable<void> run(std::shared_ptr<ServedConnection> self);

    void cut() override;
    void cut_if_idle() override;

    // For Answer.

    /// False when the client has gone, or does not read.
    asio::awaitable<bool> write(std::span<const asio::const_buffer> buffers);
    asio::awaitable<base::Result<void>> read_body(Request& request, std::uint64_t limit_bytes);
    /// Begins to watch the client for `answer`.
    void watch(Answer& answer);
    asio::any_io_executor executor() { return socket_.get_executor(); }
    /// Whether the next request can follow this answer: the body was read, or is small enough to be read and dropped.
    bool can_live_on() const;

private:
    asio::awaitable<bool> wait_for_request();
    asio::awaitable<bool> serve_request();
    asio::awaitable<bool> read_head(Match& match, Request& request);
    asio::awaitable<bool> drop_body();
    asio::awaitable<void> linger();

    const ServerOptions& options() const { return service_->options; }

    Socket socket_;
    std::shared_ptr<const Service> service_;
    std::function<void(Connection&)> ended_;
    std::string peer_;
    asio::steady_timer read_timer_;
    asio::steady_timer write_timer_;
    boost::beast::flat_buffer buffer_;
    ClientWatch watch_;
    std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
    Answer* answer_ = nullptr;  // the one being given
    bool idle_ = false;
    bool served_any_ = false;
};

/// The exchange a handler sees, written to its connection's socket.
class Answer final : public Exchange {
public:
    Answer(ServedConnection& connection, Request request);

    asio::awaitable<bool> send(Response response) override;
    asio::awaitable<bool> start_stream(StreamHead head) override;
    asio::awaitable<bool> write(std::string chunk) override;
    asio::awaitable<bool> finish() override;
    asio::awaitable<base::Result<void>> read_body(std::uint64_t limit_bytes) override;

    void client_left() { announce_client_gone(); }
    /// No other request follows on this connection.
    void end_connection() { keep_alive_ = false; }
    bool keep_alive() const { return keep_alive_; }

private:
    void begin(int status, Framing framing);
    bool head_only() const { return request_.method == Method::head; }

    ServedConnection& connection_;
    bool keep_alive_ = true;
    Framing framing_ = Framing::length;
};

}  // namespace http
