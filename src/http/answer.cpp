#include <array>
#include <stdexcept>
#include <utility>

#include "http/served_connection.hpp"

namespace http {

Answer::Answer(ServedConnection& connection, Request request)
    : Exchange(connection.executor(), std::move(request)), connection_(connection) {
    keep_alive_ = request_.version == Version::http_1_1 ? !request_.headers.lists("Connection", "close")
                                                        : request_.headers.lists("Connection", "keep-alive");
}

void Answer::begin(int status, Framing framing) {
    if (outcome_.status != 0) {
        throw std::logic_error("a second answer to one request");
    }
    outcome_.status = status;
    framing_ = framing;
    keep_alive_ = keep_alive_ && framing != Framing::close && connection_.can_live_on();
}

asio::awaitable<bool> Answer::send(Response response) {
    const bool has_body = response.status != 204 && response.status != 304;
    begin(response.status, has_body ? Framing::length : Framing::none);
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

asio::awaitable<bool> Answer::start_stream(StreamHead head) {
    if (client_gone()) {
        co_return false;
    }
    begin(head.status, request_.version == Version::http_1_0 ? Framing::close : Framing::chunked);
    const auto text = serialized_head(
        {.status = head.status, .version = request_.version, .framing = framing_, .keep_alive = keep_alive_},
        head.headers, extra_headers_);
    co_return co_await connection_.write(std::array<asio::const_buffer, 1>{asio::buffer(text)});
}

asio::awaitable<bool> Answer::write(std::string chunk) {
    if (client_gone()) {
        co_return false;
    }
    if (chunk.empty() || head_only()) {  // an empty chunk would end the stream
        co_return true;
    }
    outcome_.body_bytes += chunk.size();
    if (framing_ == Framing::close) {
        co_return co_await connection_.write(std::array<asio::const_buffer, 1>{asio::buffer(chunk)});
    }
    const auto prefix = chunk_prefix(chunk.size());
    co_return co_await connection_.write(
        std::array<asio::const_buffer, 3>{asio::buffer(prefix), asio::buffer(chunk), asio::buffer("\r\n", 2)});
}

asio::awaitable<bool> Answer::finish() {
    if (client_gone()) {
        co_return false;
    }
    outcome_.complete = framing_ != Framing::chunked || head_only() ||
                        co_await connection_.write(std::array<asio::const_buffer, 1>{asio::buffer("0\r\n\r\n", 5)});
    co_return outcome_.complete;
}

asio::awaitable<base::Result<void>> Answer::read_body(std::uint64_t limit_bytes) {
    auto read = co_await connection_.read_body(request_, limit_bytes);
    if (read) {
        connection_.watch(*this);
    } else if (read.error().code == base::ErrorCode::cancelled) {
        client_left();
    }
    co_return read;
}

}  // namespace http
