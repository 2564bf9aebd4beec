#pragma once

/// Responses that are made whether or not somebody waits for them. All on the gateway's thread.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gateway/api/job_run.hpp"
#include "gateway/api/responses/render.hpp"
#include "gateway/store/entry.hpp"
#include "http/event_channel.hpp"

namespace gateway::api::responses {

/// An exchange with nobody at the other end: what a job needs to know of its request outlives the client.
class DetachedExchange final : public http::Exchange {
public:
    using http::Exchange::Exchange;
    http::asio::awaitable<bool> send(http::Response response) override;
    http::asio::awaitable<bool> start_stream(http::StreamHead head) override;
    http::asio::awaitable<bool> write(std::string chunk) override;
    http::asio::awaitable<bool> finish() override;
    http::asio::awaitable<base::Result<void>> read_body(std::uint64_t limit_bytes) override;

    /// As if its client left: the job is cancelled.
    void leave() { announce_client_gone(); }
};

/// One response under way.
class RunningResponse {
public:
    using Reader = http::EventChannel<StreamEvent>;

    /// Submits the job at once. `entry` is what is kept of it so far, `request` the one that asked.
    RunningResponse(const http::Exchange& asked, const Services& services, JobLabels labels, backends::Job job,
                    Response response, store::Entry entry, bool record_events);

    const store::Entry& entry() const { return entry_; }
    const Response& response() const { return renderer_.response(); }
    JobRun& run() { return *run_; }
    bool is_streamed() const { return record_events_; }
    /// Drops the job: for the end of the process only.
    void drop() { run_.reset(); }

    /// `reader` gets all events after number `after` so far, and every later one; it is closed after the last. Remove
    /// it before it ends.
    void add_reader(Reader& reader, std::int64_t after);
    void remove_reader(Reader& reader);

    /// The job is cancelled; the response is kept as `cancelled`, or as failed when `why` says so.
    void cancel(Ending why = {.status = Status::cancelled, .error = {}, .completed_at = {}});
    /// It is deleted: nothing is kept any more.
    void forget() { forgotten_ = true; }

    /// From the first event of the job, when that is known, to the end.
    http::asio::awaitable<void> work(std::optional<backends::Event> first);

private:
    void add(const backends::Event& event);
    void show(std::vector<StreamEvent> events);
    Ending ending(const std::optional<base::Error>& failure) const;

    Services services_;
    DetachedExchange exchange_;
    store::Entry entry_;
    Renderer renderer_;
    const bool record_events_;
    std::vector<StreamEvent> shown_;
    std::vector<Reader*> readers_;
    std::optional<Ending> cancelled_;
    bool forgotten_ = false;
    // After the exchange: it must end before.
    std::unique_ptr<JobRun> run_;
};

class Background {
public:
    Background() = default;
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;
    /// What still runs is dropped.
    ~Background();

    void start(std::shared_ptr<RunningResponse> running, std::optional<backends::Event> first,
               const http::asio::any_io_executor& executor);
    /// Null when there is none, or it is not the owner's.
    std::shared_ptr<RunningResponse> find(const store::Key& key) const;
    /// The server ends: everything is cancelled and kept as failed.
    void stop();

private:
    http::asio::awaitable<void> work(std::shared_ptr<RunningResponse> running, std::optional<backends::Event> first);

    std::map<std::string, std::shared_ptr<RunningResponse>> running_;
};

}  // namespace gateway::api::responses
