#pragma once

/// An Exchange without a socket, for testing endpoints: answers are kept, the client leaves when told.

#include <functional>
#include <string>
#include <utility>

#include "http/exchange.hpp"

namespace http {

class RecordedExchange final : public Exchange {
public:
    RecordedExchange(asio::any_io_executor executor, Request request)
        : Exchange(std::move(executor), std::move(request)) {}

    asio::awaitable<bool> send(Response response) override;
    asio::awaitable<bool> start_stream(StreamHead head) override;
    asio::awaitable<bool> write(std::string chunk) override;
    asio::awaitable<bool> finish() override;
    /// The request's body is taken as it is.
    asio::awaitable<base::Result<void>> read_body(std::uint64_t limit_bytes) override;

    void leave() { announce_client_gone(); }

    /// Status, headers and the whole body, of a stream too.
    const Response& answer() const { return answer_; }
    bool streamed() const { return streamed_; }
    /// Called after each chunk of a stream, e.g. to `leave()` in the middle.
    std::function<void(const std::string& chunk)> on_chunk;

private:
    void begin(int status, const Headers& headers);

    Response answer_{.status = 0};
    bool streamed_ = false;
};

}  // namespace http
