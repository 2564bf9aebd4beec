#include "gateway/api/responses/background.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "base/log.hpp"
#include "gateway/api/identity.hpp"
#include "gateway/api/responses/record.hpp"
#include "gateway/api/store_access.hpp"
#include "schema/schema.hpp"

namespace gateway::api::responses {

using http::asio::awaitable;

awaitable<bool> DetachedExchange::send(http::Response) {
    co_return false;
}

awaitable<bool> DetachedExchange::start_stream(http::StreamHead) {
    co_return false;
}

awaitable<bool> DetachedExchange::write(std::string) {
    co_return false;
}

awaitable<bool> DetachedExchange::finish() {
    co_return false;
}

awaitable<base::Result<void>> DetachedExchange::read_body(std::uint64_t) {
    co_return base::Result<void>{};
}

namespace {

/// What the job and the log need of the request; no deadline, as nobody waits.
http::Request without_client(const http::Request& asked) {
    http::Request request;
    request.method = asked.method;
    request.path = asked.path;
    request.id = asked.id;
    request.peer = asked.peer;
    request.caller = asked.caller;
    return request;
}

}  // namespace

RunningResponse::RunningResponse(const http::Exchange& asked, const Services& services, JobLabels labels,
                                 backends::Job job, Response response, store::Entry entry, bool record_events)
    : services_(services),
      exchange_(asked.executor(), without_client(asked.request())),
      entry_(std::move(entry)),
      renderer_(std::move(response), record_events ? Streaming::on : Streaming::off),
      record_events_(record_events),
      run_(std::make_unique<JobRun>(exchange_, services_, std::move(labels), std::move(job))) {
    show(renderer_.begin());
}

void RunningResponse::add_reader(Reader& reader, std::int64_t after) {
    readers_.push_back(&reader);
    for (auto number = static_cast<std::size_t>(after + 1); number < shown_.size(); ++number)
        reader.push(shown_[number]);
}

void RunningResponse::remove_reader(Reader& reader) {
    std::erase(readers_, &reader);
}

void RunningResponse::cancel(Ending why) {
    if (!cancelled_)
        cancelled_ = std::move(why);
    exchange_.leave();
}

void RunningResponse::show(std::vector<StreamEvent> events) {
    for (StreamEvent& event : events) {
        for (Reader* reader : readers_)
            reader->push(event);
        shown_.push_back(std::move(event));
    }
}

void RunningResponse::add(const backends::Event& event) {
    if (record_events_)
        append(event, entry_.events);
    show(renderer_.add(event));
}

Ending RunningResponse::ending(const std::optional<base::Error>& failure) const {
    if (cancelled_)
        return *cancelled_;
    if (failure)
        return {.status = Status::failed, .error = to_problem(*failure), .completed_at = {}};
    return {.status = renderer_.natural_status(), .error = {}, .completed_at = unix_time()};
}

awaitable<void> RunningResponse::work(std::optional<backends::Event> first) {
    std::optional<base::Error> failure;
    for (auto event = std::move(first); event || (event = co_await run_->events().next(base::TimePoint::max()));
         event.reset()) {
        if (event->has_failed())
            failure = run_->to_error(event->failed());
        else
            add(*event);
    }
    run_.reset();
    if (failure)
        exchange_.note({"error", base::to_string(failure->code)});
    auto last = renderer_.end(ending(failure));
    entry_.body = schema::to_text(renderer_.response());
    if (!forgotten_) {
        auto kept = co_await on_store(*services_.keeping.store,
                                      [entry = entry_](store::Shelf& shelf) { return shelf.replace(entry); });
        if (!kept)
            base::log::error("a response could not be kept", {{"id", entry_.key.id}, {"error", kept.error().message}});
    }
    show(std::move(last));
    for (Reader* reader : readers_)
        reader->close();
    base::log::write_fields(base::log::Level::info, "background response", exchange_.notes());
}

Background::~Background() {
    for (const auto& [id, running] : running_)
        running->drop();
}

void Background::start(std::shared_ptr<RunningResponse> running, std::optional<backends::Event> first,
                       const http::asio::any_io_executor& executor) {
    running_.emplace(running->entry().key.id, running);
    http::asio::co_spawn(executor, work(std::move(running), std::move(first)), http::asio::detached);
}

awaitable<void> Background::work(std::shared_ptr<RunningResponse> running, std::optional<backends::Event> first) {
    co_await running->work(std::move(first));
    running_.erase(running->entry().key.id);
}

std::shared_ptr<RunningResponse> Background::find(const store::Key& key) const {
    const auto found = running_.find(key.id);
    if (found == running_.end() || found->second->entry().key.owner != key.owner)
        return nullptr;
    return found->second;
}

void Background::stop() {
    for (const auto& [id, running] : running_)
        running->cancel({.status = Status::failed,
                         .error = Problem{.code = "server_error", .message = "The server ended before the response."},
                         .completed_at = {}});
}

}  // namespace gateway::api::responses
