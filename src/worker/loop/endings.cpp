#include "worker/loop/endings.hpp"

#include <utility>

#include "base/log.hpp"
#include "worker/loop/events.hpp"

namespace worker::loop {

void Endings::fail(JobInLoop& job, const base::Error& error) {
    if (job.ended) {
        return;
    }
    if (error.code == base::ErrorCode::cancelled) {
        counters_.set_cancelled_jobs(counters_.cancelled_jobs() + 1);
    } else {
        counters_.set_failed_jobs(counters_.failed_jobs() + 1);
    }
    end(job, failed(error));
}

void Endings::finish(JobInLoop& job) {
    counters_.set_finished_jobs(counters_.finished_jobs() + 1);
    end(job, finished(job, clock_.now()));
}

void Endings::fail_if_cancelled(JobInLoop& job) {
    if (!job.ended && cancellations_.requested(job.id)) {
        fail(job, {.code = base::ErrorCode::cancelled, .message = "The job was cancelled."});
    }
}

void Endings::fail_if_cancelled_or_late(JobInLoop& job, base::TimePoint now) {
    fail_if_cancelled(job);
    if (!job.ended && now >= job.deadline) {
        fail(job, {.code = base::ErrorCode::deadline,
                   .message = job.started ? "The request took longer than allowed."
                                          : "The request's time was over before its turn came."});
    }
}

void Endings::end(JobInLoop& job, rpc::Event last) {
    job.ended = true;
    const auto& usage = job.usage;
    base::log::debug("job ended", {{"job", job.id},
                                   {"outcome", last.has_finished() ? "finished" : last.failed().message()},
                                   {"prompt_tokens", usage.prompt_tokens()},
                                   {"cached_tokens", usage.cached_tokens()},
                                   {"completion_tokens", usage.completion_tokens()}});
    const auto sink = std::move(job.sink);
    sink->on_event(std::move(last));
}

}  // namespace worker::loop
