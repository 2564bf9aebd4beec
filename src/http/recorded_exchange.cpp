#include "http/recorded_exchange.hpp"

#include <stdexcept>

namespace http {

void RecordedExchange::begin(int status, const Headers& headers) {
    if (outcome_.status != 0) {
        throw std::logic_error("a second answer to one request");
    }
    outcome_.status = answer_.status = status;
    answer_.headers = headers;
    for (const auto& [name, value] : extra_headers_) {
        answer_.headers.set(name, value);
    }
}

asio::awaitable<bool> RecordedExchange::send(Response response) {
    begin(response.status, response.headers);
    answer_.body = std::move(response.body);
    outcome_.body_bytes = answer_.body.size();
    outcome_.complete = !client_gone();
    co_return outcome_.complete;
}

asio::awaitable<bool> RecordedExchange::start_stream(StreamHead head) {
    if (client_gone()) {
        co_return false;
    }
    begin(head.status, head.headers);
    streamed_ = true;
    co_return true;
}

asio::awaitable<bool> RecordedExchange::write(std::string chunk) {
    if (client_gone()) {
        co_return false;
    }
    answer_.body += chunk;
    outcome_.body_bytes += chunk.size();
    if (on_chunk) {
        on_chunk(chunk);
    }
    co_return !client_gone();
}

asio::awaitable<bool> RecordedExchange::finish() {
    outcome_.complete = !client_gone();
    co_return outcome_.complete;
}

asio::awaitable<base::Result<void>> RecordedExchange::read_body(std::uint64_t limit_bytes) {
    if (request_.body.size() > limit_bytes) {
        co_return base::fail(base::ErrorCode::too_large, "The body is too large.");
    }
    co_return base::Result<void>{};
}

}  // namespace http
