#pragma once

/// How jobs end: exactly one last event, counted, and nothing after it. Also keeps the other counters of the worker.

#include "base/clock.hpp"
#include "base/result.hpp"
#include "worker/loop/cancellations.hpp"
#include "worker/loop/run.hpp"

namespace worker::loop {

class Endings {
public:
    /// Both must outlive this.
    Endings(Cancellations& cancellations, const base::Clock& clock) : cancellations_(cancellations), clock_(clock) {}

    /// Does nothing to a job that has ended.
    void fail(JobInLoop& job, const base::Error& error);
    void finish(JobInLoop& job);
    /// Fails the job if somebody wants it cancelled.
    void fail_if_cancelled(JobInLoop& job);
    /// Also when its deadline has passed.
    void fail_if_cancelled_or_late(JobInLoop& job, base::TimePoint now);

    rpc::contract::StatisticsReply& counters() { return counters_; }
    const rpc::contract::StatisticsReply& counters() const { return counters_; }

private:
    void end(JobInLoop& job, rpc::Event last);

    Cancellations& cancellations_;
    const base::Clock& clock_;
    rpc::contract::StatisticsReply counters_;
};

}  // namespace worker::loop
