#include "http/connection.hpp"

#include <poll.h>

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>

#include "http/errors.hpp"
#include "http/event_channel.hpp"
#include "http/request_head.hpp"
#include "http/timeout.hpp"
#include "http/wire.hpp"

namespace http {
namespace {

namespace beast = boost::beast;
using boost::system::error_code;
using Socket = asio::ip::tcp::socket;
using HttpError = beast::http::error;
using Parser = beast::http::request_parser<beast::http::string_body>;

constexpr auto as_result = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t read_ahead_bytes = 4096;
/// A body nobody read is read and dropped up to this size, so that the connection can live on.
constexpr std::uint64_t small_body_bytes = 64U << 10U;
/// How often a client that has sent more than its request is asked whether it is still there.
constexpr auto presence_interval = std::chrono::milliseconds(200);
constexpr auto linger_limit = std::chrono::seconds(2);

RequestHead head_of(const Parser& parser) {
    const auto& message = parser.get();
    RequestHead head{.method = message.method_string(),
                     .target = message.target(),
                     .version = message.version() == 10 ? Version::http_1_0 : Version::http_1_1,
                     .headers = {}};
    for (const auto& field : message) {
        head.headers.add(std::string(field.name_string()), std::string(field.value()));
    }
    return head;
}

/// The client's bytes are at fault, not its leaving.
bool is_malformed(const error_code& error) {
    return error.category() == make_error_code(HttpError::bad_method).category() && error != HttpError::end_of_stream &&
           error != HttpError::partial_message;
}

std::string address_of(const Socket& socket) {
    error_code error;
    const auto endpoint = socket.remote_endpoint(error);
    return error ? std::string{} : endpoint.address().to_string(error);
}

class ServedConnection final : public Connection, public std::enable_shared_from_this<ServedConnection> {
public:
    ServedConnection(Socket socket, std::shared_ptr<const Service> service, std::function<void(Connection&)> ended)
        : socket_(std::move(socket)),
          service_(std::move(service)),
          ended_(std::move(ended)),
          peer_(address_of(socket_)),
          read_timer_(socket_.get_executor()),
          write_timer_(socket_.get_executor()),
          presence_timer_(socket_.get_executor()),
          arrival_(socket_.get_executor()) {}

    /// Serves until the socket closes. The parameter keeps the connection alive.
    static asio::awaitable<void> run(std::shared_ptr<ServedConnection> self);

    void cut() override;
    void cut_if_idle() override {
        if (idle_) {
            cut();
        }
    }

private:
    class Answer;

    asio::awaitable<bool> wait_for_request();
    asio::awaitable<bool> serve_request();
    asio::awaitable<bool> read_head(Match& match, Request& request);
    asio::awaitable<base::Result<void>> read_body(Request& request, std::uint64_t limit_bytes);
    asio::awaitable<bool> drop_body();
    asio::awaitable<void> linger();
    template <typename Buffers>
    asio::awaitable<bool> write(const Buffers& buffers);

    void read_ahead();
    void watch_client();
    void ask_for_presence();

    const ServerOptions& options() const { return service_->options; }
    bool body_complete() const { return !parser_ || parser_->is_done(); }
    /// Whether what is left of the body is worth reading to keep the connection.
    bool body_is_small() const {
        if (!parser_->is_header_done()) {
            return false;
        }
        const auto length = parser_->content_length();
        return length && *length <= small_body_bytes && !parser_->get().count("Expect");
    }

    Socket socket_;
    std::shared_ptr<const Service> service_;
    std::function<void(Connection&)> ended_;
    std::string peer_;
    asio::steady_timer read_timer_;
    asio::steady_timer write_timer_;
    asio::steady_timer presence_timer_;
    Wakeup arrival_;
    beast::flat_buffer buffer_;
    std::optional<Parser> parser_;
    Answer* answer_ = nullptr;  // the one being given
    bool reading_ahead_ = false;
    bool idle_ = false;
    bool served_any_ = false;
    error_code read_error_;
};

/// The exchange a handler sees, written to this connection's socket.
class ServedConnection::Answer final : public Exchange {
public:
    Answer(ServedConnection& connection, Request request)
        : Exchange(connection.socket_.get_executor(), std::move(request)), connection_(connection) {
        keep_alive_ = request_.version == Version::http_1_1 ? !request_.headers.lists("Connection", "close")
                                                            : request_.headers.lists("Connection", "keep-alive");
    }

    asio::awaitable<bool> send(Response response) override;
    asio::awaitable<bool> start_stream(StreamHead head) override;
    asio::awaitable<bool> write(std::string chunk) override;
    asio::awaitable<bool> finish() override;
    asio::awaitable<base::Result<void>> read_body(std::uint64_t limit_bytes) override;

    void client_left() { announce_client_gone(); }
    void end_connection() { keep_alive_ = false; }
    bool keep_alive() const { return keep_alive_; }

private:
    void settle_keep_alive(Framing framing);
    bool head_only() const { return request_.method == Method::head; }

    ServedConnection& connection_;
    bool keep_alive_ = true;
    Framing framing_ = Framing::length;
};

// --- Answering
// ---------------------------------------------------------------------------------------------------------

void ServedConnection::Answer::settle_keep_alive(Framing framing) {
    framing_ = framing;
    const bool body_in_the_way = !connection_.body_complete() && !connection_.body_is_small();
    if (framing == Framing::close || connection_.service_->draining || body_in_the_way) {
        keep_alive_ = false;
    }
}

asio::awaitable<bool> ServedConnection::Answer::send(Response response) {
    if (outcome_.status != 0) {
        throw std::logic_error("a second answer to one request");
    }
    const bool has_body = response.status != 204 && response.status != 304;
    settle_keep_alive(has_body ? Framing::length : Framing::none);
    outcome_.status = response.status;
    const auto head = serialized_head({.status = response.status,
                                       .version = request_.version,
                                       .framing = framing_,
                                       .content_length = response.body.size(),
                                       .keep_alive = keep_alive_},
                                      response.headers, extra_headers_);
    const auto body = has_body && !head_only() ? asio::buffer(response.body) : asio::const_buffer();
    // Also when the client has closed its side: it may have sent all it had and now read.
    const bool sent = co_await connection_.write(std::array<asio::const_buffer, 2>{asio::buffer(head), body});
    outcome_.body_bytes = body.size();
    outcome_.complete = sent;
    co_return sent;
}

asio::awaitable<bool> ServedConnection::Answer::start_stream(StreamHead head) {
    if (outcome_.status != 0) {
        throw std::logic_error("a second answer to one request");
    }
    if (client_gone()) {
        co_return false;
    }
    settle_keep_alive(request_.version == Version::http_1_0 ? Framing::close : Framing::chunked);
    outcome_.status = head.status;
    const auto text = serialized_head(
        {.status = head.status, .version = request_.version, .framing = framing_, .keep_alive = keep_alive_},
        head.headers, extra_headers_);
    co_return co_await connection_.write(asio::buffer(text));
}

asio::awaitable<bool> ServedConnection::Answer::write(std::string chunk) {
    if (client_gone()) {
        co_return false;
    }
    if (chunk.empty() || head_only()) {  // an empty chunk would end the stream
        co_return true;
    }
    outcome_.body_bytes += chunk.size();
    if (framing_ == Framing::close) {
        co_return co_await connection_.write(asio::buffer(chunk));
    }
    const auto prefix = chunk_prefix(chunk.size());
    co_return co_await connection_.write(
        std::array<asio::const_buffer, 3>{asio::buffer(prefix), asio::buffer(chunk), asio::buffer("\r\n", 2)});
}

asio::awaitable<bool> ServedConnection::Answer::finish() {
    if (client_gone()) {
        co_return false;
    }
    if (framing_ == Framing::chunked && !head_only()) {
        outcome_.complete = co_await connection_.write(asio::buffer("0\r\n\r\n", 5));
    } else {
        outcome_.complete = true;
    }
    co_return outcome_.complete;
}

asio::awaitable<base::Result<void>> ServedConnection::Answer::read_body(std::uint64_t limit_bytes) {
    auto read = co_await connection_.read_body(request_, limit_bytes);
    if (read) {
        connection_.watch_client();
    } else if (read.error().code == base::ErrorCode::cancelled) {
        client_left();
    }
    co_return read;
}

template <typename Buffers>
asio::awaitable<bool> ServedConnection::write(const Buffers& buffers) {
    const Timeout timeout(socket_, write_timer_, options().write_timeout);
    const auto [error, size] = co_await asio::async_write(socket_, buffers, as_result);
    if (error && answer_ != nullptr) {
        answer_->end_connection();
        answer_->client_left();
    }
    co_return !error;
}

// --- Reading
// -----------------------------------------------------------------------------------------------------------

asio::awaitable<void> ServedConnection::run(std::shared_ptr<ServedConnection> self) {
    try {
        while (co_await self->wait_for_request() && co_await self->serve_request()) {
        }
    } catch (const std::exception& error) {  // no memory, or a bug in this file: the client sees its connection close
        base::log::error("connection failed", {{"peer", self->peer_}, {"error", error.what()}});
    }
    self->answer_ = nullptr;
    self->cut();
    self->ended_(*self);
}

/// False when the client left, or stayed silent for too long. A read that the last request's watching began goes on.
asio::awaitable<bool> ServedConnection::wait_for_request() {
    if (buffer_.size() == 0 && buffer_.capacity() > small_body_bytes) {
        buffer_ = {};  // grown by a large body
    }
    if (buffer_.size() > 0) {
        co_return !read_error_;
    }
    if (!reading_ahead_) {
        read_ahead();
    }
    idle_ = true;
    if (service_->draining) {
        co_return false;
    }
    const auto until =
        std::chrono::steady_clock::now() + (served_any_ ? options().idle_timeout : options().head_timeout);
    while (reading_ahead_ && std::chrono::steady_clock::now() < until) {
        co_await arrival_.sleep_until(until);
    }
    idle_ = false;
    co_return !reading_ahead_ && !read_error_ && socket_.is_open();
}

/// True when the connection lives on.
asio::awaitable<bool> ServedConnection::serve_request() {
    Match match;
    Request request;
    request.peer = peer_;
    if (!co_await read_head(match, request)) {
        co_return false;
    }
    Answer answer(*this, std::move(request));
    if (match.refusal) {
        answer.end_connection();  // where the next request would begin is not known
    }
    answer_ = &answer;
    served_any_ = true;
    const struct Forget {
        ServedConnection& connection;
        ~Forget() {
            connection.answer_ = nullptr;
            connection.presence_timer_.cancel();
        }
    } forget{*this};
    co_await Next(service_->middleware, match)(answer);
    if (!answer.outcome().complete) {
        // A reset, so that a client of HTTP/1.0 cannot take half an answer for a whole one.
        error_code ignored;
        socket_.set_option(Socket::linger(true, 0), ignored);
        co_return false;
    }
    if (answer.keep_alive() && !body_complete() && !co_await drop_body()) {
        co_return false;
    }
    if (!answer.keep_alive() && !answer.client_gone()) {
        co_await linger();
    }
    parser_.reset();
    co_return answer.keep_alive() && !read_error_;
}

/// False when there is nobody to answer. A head that cannot be read gives a `match.refusal`.
asio::awaitable<bool> ServedConnection::read_head(Match& match, Request& request) {
    parser_.emplace();
    parser_->header_limit(options().header_limit_bytes);
    parser_->body_limit(boost::none);  // decided by the route, when the body is read
    const Timeout timeout(socket_, read_timer_, options().head_timeout);
    const auto [error, size] = co_await beast::http::async_read_header(socket_, buffer_, *parser_, as_result);
    if (!error) {
        auto parsed = parse_head(head_of(*parser_), peer_);
        if (parsed) {
            request = std::move(parsed->request);
            match = service_->router.match(request.method, parsed->raw_path);
        } else {
            match.refusal = std::move(parsed.error());
        }
        co_return true;
    }
    if (timeout.fired()) {
        match.refusal = protocol_error(408, "The request's head did not arrive in time.", "request_timeout");
    } else if (error == HttpError::header_limit || error == HttpError::buffer_overflow) {
        match.refusal = protocol_error(431, "The request's head is too large.", "header_too_large");
    } else if (is_malformed(error)) {
        match.refusal = protocol_error(400, "This is not an HTTP/1.1 request: " + error.message() + ".", "bad_request");
    }
    co_return match.refusal.has_value();
}

asio::awaitable<base::Result<void>> ServedConnection::read_body(Request& request, std::uint64_t limit_bytes) {
    const auto too_large = [&] {
        return base::fail(base::ErrorCode::too_large,
                          "The body is larger than the limit of " + std::to_string(limit_bytes) + " bytes.");
    };
    if (body_complete()) {
        co_return base::Result<void>{};
    }
    if (parser_->content_length().value_or(0) > limit_bytes) {
        co_return too_large();
    }
    if (request.headers.find("Expect") && request.version == Version::http_1_1 && buffer_.size() == 0 &&
        !co_await write(asio::buffer("HTTP/1.1 100 Continue\r\n\r\n", 25))) {
        co_return base::fail(base::ErrorCode::cancelled, "The client left.");
    }
    parser_->body_limit(limit_bytes);
    const Timeout timeout(socket_, read_timer_, options().body_timeout);
    const auto [error, size] = co_await beast::http::async_read(socket_, buffer_, *parser_, as_result);
    if (!error) {
        request.body = std::move(parser_->get().body());
        co_return base::Result<void>{};
    }
    answer_->end_connection();
    if (timeout.fired()) {
        co_return base::fail(base::ErrorCode::deadline, "The body did not arrive in time.");
    }
    if (error == HttpError::body_limit) {
        co_return too_large();
    }
    if (is_malformed(error)) {
        co_return base::fail(base::ErrorCode::invalid, "The body's chunks are malformed: " + error.message() + ".");
    }
    co_return base::fail(base::ErrorCode::cancelled, "The client left while sending the body.");
}

/// Reads what is left of a small body that nobody wanted. False when it does not come.
asio::awaitable<bool> ServedConnection::drop_body() {
    const Timeout timeout(socket_, read_timer_, linger_limit);
    const auto [error, size] = co_await beast::http::async_read(socket_, buffer_, *parser_, as_result);
    co_return !error;
}

/// Closing a socket with unread bytes resets the connection, and a reset can overtake the answer: so the client is let
/// to finish sending first, for a while.
asio::awaitable<void> ServedConnection::linger() {
    error_code ignored;
    socket_.shutdown(Socket::shutdown_send, ignored);
    if (reading_ahead_) {
        co_return;  // it has sent nothing that we have not read
    }
    const Timeout timeout(socket_, read_timer_, linger_limit);
    std::array<char, 16384> dropped;
    while (!timeout.fired()) {
        const auto [error, size] = co_await socket_.async_read_some(asio::buffer(dropped), as_result);
        if (error) {
            co_return;
        }
    }
}

// --- Watching the client
// -----------------------------------------------------------------------------------------------

/// Begins to read whatever comes next: the next request, or the end of the connection.
void ServedConnection::read_ahead() {
    reading_ahead_ = true;
    socket_.async_read_some(buffer_.prepare(read_ahead_bytes),
                            [self = shared_from_this()](error_code error, std::size_t size) {
                                self->reading_ahead_ = false;
                                self->buffer_.commit(size);
                                self->read_error_ = error;
                                self->arrival_.wake();
                                if (self->answer_ == nullptr) {
                                    return;
                                }
                                if (error) {
                                    self->answer_->client_left();
                                } else {
                                    self->ask_for_presence();
                                }
                            });
}

void ServedConnection::watch_client() {
    if (buffer_.size() == 0 && !reading_ahead_) {
        read_ahead();
    } else {
        ask_for_presence();
    }
}

/// A pipelined request is in the buffer, and reading on would let a client fill our memory. So the kernel is asked, now
/// and then, whether the client has closed.
void ServedConnection::ask_for_presence() {
    presence_timer_.expires_after(presence_interval);
    presence_timer_.async_wait([self = shared_from_this()](error_code error) {
        if (error || self->answer_ == nullptr) {
            return;
        }
        pollfd state{.fd = self->socket_.native_handle(), .events = POLLRDHUP, .revents = 0};
        const bool gone = !self->socket_.is_open() || (::poll(&state, 1, 0) > 0 && state.revents != 0);
        if (gone) {
            self->answer_->client_left();
        } else {
            self->ask_for_presence();
        }
    });
}

void ServedConnection::cut() {
    error_code ignored;
    socket_.close(ignored);
    arrival_.wake();
    if (answer_ != nullptr) {
        answer_->end_connection();
        answer_->client_left();
    }
}

}  // namespace

std::shared_ptr<Connection> serve(Socket socket, std::shared_ptr<const Service> service,
                                  std::function<void(Connection&)> ended) {
    const auto executor = socket.get_executor();
    auto connection = std::make_shared<ServedConnection>(std::move(socket), std::move(service), std::move(ended));
    asio::co_spawn(executor, ServedConnection::run(connection), [](std::exception_ptr failure) {
        if (failure) {
            std::rethrow_exception(failure);
        }
    });
    return connection;
}

}  // namespace http
