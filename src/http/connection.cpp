#include "http/connection.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>
#include <exception>
#include <tuple>
#include <utility>

#include "http/errors.hpp"
#include "http/request_head.hpp"
#include "http/served_connection.hpp"
#include "http/timeout.hpp"

namespace http {
namespace {

namespace beast = boost::beast;
using boost::system::error_code;
using HttpError = beast::http::error;
using Socket = asio::ip::tcp::socket;

constexpr auto as_result = asio::as_tuple(asio::use_awaitable);
/// A body nobody read is read and dropped up to this size, so that the connection can live on.
constexpr std::uint64_t small_body_bytes = 64U << 10U;
constexpr std::size_t largest_write = 64U << 10U;
constexpr auto linger_limit = std::chrono::seconds(2);

RequestHead head_of(const auto& message) {
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

}  // namespace

ServedConnection::ServedConnection(Socket socket, std::shared_ptr<const Service> service,
                                   std::function<void(Connection&)> ended)
    : socket_(std::move(socket)),
      service_(std::move(service)),
      ended_(std::move(ended)),
      peer_(address_of(socket_)),
      read_timer_(socket_.get_executor()),
      write_timer_(socket_.get_executor()),
      watch_(socket_, buffer_) {}

asio::awaitable<void> ServedConnection::run(std::shared_ptr<ServedConnection> self) {
    self->watch_.set_owner(self);
    try {
        while (co_await self->wait_for_request() && co_await self->serve_request()) {
        }
    } catch (const std::exception& error) {  // no memory, or a bug in this folder: the client sees its connection close
        base::log::error("connection failed", {{"peer", self->peer_}, {"error", error.what()}});
    }
    self->cut();
    self->ended_(*self);
}

/// False when the client left, or stayed silent for too long.
asio::awaitable<bool> ServedConnection::wait_for_request() {
    if (service_->draining && buffer_.size() == 0) {
        co_return false;
    }
    if (buffer_.size() == 0 && !watch_.reading() && buffer_.capacity() > small_body_bytes) {
        buffer_.shrink_to_fit();  // grown by a large body
    }
    const auto limit = served_any_ ? options().idle_timeout : options().head_timeout;
    idle_ = true;
    const bool arrived = co_await watch_.wait_for_bytes(std::chrono::steady_clock::now() + limit);
    idle_ = false;
    co_return arrived;
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
            connection.watch_.end();
        }
    } forget{*this};
    co_await Next(service_->middleware, match)(answer);
    if (!answer.outcome().complete) {
        // A reset, so that a client of HTTP/1.0 cannot take half an answer for a whole one.
        error_code ignored;
        socket_.set_option(Socket::linger(true, 0), ignored);
        co_return false;
    }
    if (!answer.keep_alive()) {
        co_await linger();
        co_return false;
    }
    co_return co_await drop_body() && !watch_.failed();
}

/// False when there is nobody to answer. A head that cannot be read gives a `match.refusal`.
asio::awaitable<bool> ServedConnection::read_head(Match& match, Request& request) {
    parser_.emplace();
    parser_->header_limit(options().header_limit_bytes);
    parser_->body_limit(boost::none);  // decided by the route, when the body is read
    const Timeout timeout(socket_, read_timer_, options().head_timeout);
    const auto [error, size] = co_await beast::http::async_read_header(socket_, buffer_, *parser_, as_result);
    if (!error) {
        auto parsed = parse_head(head_of(parser_->get()), peer_);
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
    if (parser_->is_done()) {
        co_return base::Result<void>{};
    }
    if (parser_->content_length().value_or(0) > limit_bytes) {
        co_return too_large();
    }
    if (request.headers.find("Expect") && request.version == Version::http_1_1 && buffer_.size() == 0 &&
        !co_await write(std::array<asio::const_buffer, 1>{asio::buffer("HTTP/1.1 100 Continue\r\n\r\n", 25)})) {
        co_return base::fail(base::ErrorCode::cancelled, "The client left.");
    }
    parser_->body_limit(limit_bytes);
    // A slow line may take its time as long as something comes; one byte a minute ends at the request's deadline.
    Timeout timeout(socket_, read_timer_, options().body_timeout);
    error_code error;
    while (!error && !parser_->is_done()) {
        const auto left = request.deadline - std::chrono::steady_clock::now();
        timeout.restart(std::min(left, options().body_timeout));
        std::tie(error, std::ignore) = co_await beast::http::async_read_some(socket_, buffer_, *parser_, as_result);
    }
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

bool ServedConnection::can_live_on() const {
    if (service_->draining || !parser_->is_header_done()) {
        return false;
    }
    const auto length = parser_->content_length();
    const bool small = length && *length <= small_body_bytes && !parser_->get().count("Expect");
    return parser_->is_done() || small;
}

/// Reads what is left of a small body that nobody wanted. False when it does not come.
asio::awaitable<bool> ServedConnection::drop_body() {
    if (parser_->is_done()) {
        co_return true;
    }
    const Timeout timeout(socket_, read_timer_, linger_limit);
    const auto [error, size] = co_await beast::http::async_read(socket_, buffer_, *parser_, as_result);
    co_return !error;
}

/// Closing a socket with unread bytes resets the connection, and a reset can overtake the answer: so the client is let
/// to finish sending first, for a while.
asio::awaitable<void> ServedConnection::linger() {
    error_code ignored;
    socket_.shutdown(Socket::shutdown_send, ignored);
    if (watch_.reading() || watch_.failed()) {
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

asio::awaitable<bool> ServedConnection::write(std::span<const asio::const_buffer> buffers) {
    Timeout timeout(socket_, write_timer_, options().write_timeout);
    const auto whole_or_stalled = [&](const error_code& error, std::size_t written) -> std::size_t {
        if (written > 0) {
            timeout.restart(options().write_timeout);
        }
        return error ? 0 : largest_write;
    };
    const auto [error, size] = co_await asio::async_write(socket_, buffers, whole_or_stalled, as_result);
    if (error) {
        answer_->end_connection();
        answer_->client_left();
    }
    co_return !error;
}

void ServedConnection::watch(Answer& answer) {
    watch_.begin([&answer] { answer.client_left(); });
}

void ServedConnection::cut() {
    error_code ignored;
    socket_.close(ignored);
    watch_.wake();
    if (answer_ != nullptr) {
        answer_->end_connection();
        answer_->client_left();
    }
}

void ServedConnection::cut_if_idle() {
    if (idle_) {
        cut();
    }
}

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
