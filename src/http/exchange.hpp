#pragma once

/// One request and its answer, as a handler sees it. A handler is a coroutine on the gateway's thread: it reads
/// `request()`, then either sends one whole Response, or starts a stream, writes to it and finishes it.
///
///     asio::awaitable<void> hello(http::Exchange& exchange) {
///         co_await exchange.send(http::text_response("hello\n"));
///     }
///
/// A handler that returns without an answer, or throws, gives a 500 (or cuts the connection when a stream had begun, so
/// that half an answer never looks whole).
///
/// The client is watched while the handler runs. When it leaves, every `GoneListener` hears of it, and `write` returns
/// false from then on. Waiting for a backend goes through `EventChannel` (event_channel.hpp), which is such a listener,
/// so a handler never outlives its client by more than its own next step.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.hpp"
#include "base/result.hpp"
#include "http/error_form.hpp"
#include "http/message.hpp"

namespace http {

namespace asio = boost::asio;

class GoneListener {
public:
    virtual void on_client_gone() = 0;

protected:
    ~GoneListener() = default;
};

/// Head of a streamed answer. Without Content-Length: chunked for HTTP/1.1, ended by closing for HTTP/1.0.
struct StreamHead {
    int status = 200;
    Headers headers;
};

/// What has been answered so far.
struct Outcome {
    /// 0 until an answer has begun.
    int status = 0;
    std::uint64_t body_bytes = 0;
    /// A whole answer was handed to the socket.
    bool complete = false;
};

class Exchange {
public:
    Exchange(asio::any_io_executor executor, Request request);
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;
    virtual ~Exchange() = default;

    Request& request() { return request_; }
    const Request& request() const { return request_; }
    const asio::any_io_executor& executor() const { return executor_; }

    // Answering. All four return false when the client has gone; a handler then just returns.

    /// The whole answer. To be called once, and never together with a stream.
    virtual asio::awaitable<bool> send(Response response) = 0;
    /// Sends the head at once.
    virtual asio::awaitable<bool> start_stream(StreamHead head) = 0;
    /// One chunk, which leaves at once; resumes when the socket has taken it, so a slow client slows its handler.
    virtual asio::awaitable<bool> write(std::string chunk) = 0;
    /// Ends the stream in good order; the connection lives on.
    virtual asio::awaitable<bool> finish() = 0;

    /// Sends `error` in the form that the client knows; an `internal` one is logged and its message kept from the client.
    asio::awaitable<bool> send_error(base::Error error);
    /// Several faults together: the body lists all of them.
    asio::awaitable<bool> send_errors(std::vector<base::Error> errors);
    ErrorForm error_form() const { return error_form_; }
    void set_error_form(ErrorForm form) { error_form_ = form; }

    /// Reads the body into `request().body`; the middleware `body` does so before an endpoint runs.
    virtual asio::awaitable<base::Result<void>> read_body(std::uint64_t limit_bytes) = 0;

    /// A header for whatever answer is sent later.
    void add_header(std::string name, std::string value) { extra_headers_.set(name, std::move(value)); }
    /// A field of this request's log line; `key` is a literal. The last note of a key counts.
    void note(base::log::Field field);

    const Outcome& outcome() const { return outcome_; }
    const std::vector<base::log::Field>& notes() const { return notes_; }

    bool client_gone() const { return client_gone_; }
    /// Listeners hear once; one added after the client left hears at once. Not owned: remove before it ends.
    void add_listener(GoneListener& listener);
    void remove_listener(GoneListener& listener);

protected:
    /// Called by the transport when it sees the client leave.
    void announce_client_gone();

    asio::any_io_executor executor_;
    Request request_;
    Headers extra_headers_;
    Outcome outcome_;

private:
    std::vector<base::log::Field> notes_;
    std::vector<GoneListener*> listeners_;
    ErrorForm error_form_ = ErrorForm::openai;
    bool client_gone_ = false;
};

using Handler = std::function<asio::awaitable<void>(Exchange&)>;

/// A handler for answers that need no waiting: `answer_with([&] (const Request&) { return json_response(...); })`.
Handler answer_with(std::function<Response(const Request&)> answer);

}  // namespace http
