#include "http/sse.hpp"

#include <utility>

namespace http {

std::string sse_event(std::string_view data, std::string_view name) {
    std::string event;
    event.reserve(data.size() + name.size() + 24);
    if (!name.empty()) {
        event.append("event: ").append(name).append("\n");
    }
    // A reader ends a line at CR, LF or both; each line of the data needs its own field.
    while (true) {
        const auto end = data.find_first_of("\r\n");
        event.append("data: ").append(data.substr(0, end)).append("\n");
        if (end == std::string_view::npos) {
            break;
        }
        data.remove_prefix(end + (data.substr(end).starts_with("\r\n") ? 2 : 1));
    }
    event += '\n';
    return event;
}

SseWriter::SseWriter(Exchange& exchange, SseOptions options)
    : exchange_(exchange), options_(std::move(options)), last_write_(std::chrono::steady_clock::now()) {}

asio::awaitable<bool> SseWriter::start() {
    StreamHead head{.status = 200,
                    .headers = {{"Content-Type", "text/event-stream; charset=utf-8"},
                                {"Cache-Control", "no-cache"},
                                {"X-Accel-Buffering", "no"}}};
    for (const auto& [name, value] : options_.headers) {
        head.headers.set(name, value);
    }
    last_write_ = std::chrono::steady_clock::now();
    co_return co_await exchange_.start_stream(std::move(head));
}

asio::awaitable<bool> SseWriter::data(std::string data) {
    return write(sse_event(data));
}

asio::awaitable<bool> SseWriter::named(std::string name, std::string data) {
    return write(sse_event(data, name));
}

asio::awaitable<bool> SseWriter::comment(std::string text) {
    return write(": " + text + "\n\n");
}

asio::awaitable<bool> SseWriter::finish() {
    return exchange_.finish();
}

asio::awaitable<bool> SseWriter::write(std::string text) {
    last_write_ = std::chrono::steady_clock::now();
    co_return co_await exchange_.write(std::move(text));
}

}  // namespace http
