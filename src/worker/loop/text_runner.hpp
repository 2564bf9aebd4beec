#pragma once

/// The text worker as the contract's service sees it: takes jobs from any thread, prepares them on a thread of its own
/// (templates, grammars and long prompts take milliseconds that running streams must not wait for), and drives the step
/// loop on another.

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "worker/loop/step_loop.hpp"
#include "worker/rpc/job_runner.hpp"

namespace worker::loop {

class TextRunner final : public rpc::JobRunner {
public:
    /// `pinned`: system messages to be evaluated while idle and kept for good.
    explicit TextRunner(std::unique_ptr<engine::TextEngine> engine, const LoopSettings& settings = {},
                        std::vector<std::string> pinned = {});
    ~TextRunner() override;

    void start(rpc::Job job, std::shared_ptr<rpc::EventSink> sink) override;
    bool cancel(std::string_view id) override;
    rpc::contract::HealthReply health() const override;
    rpc::contract::StatisticsReply statistics() const override;
    rpc::contract::ModelFacts facts() const override;

private:
    struct Arrival {
        rpc::Job job;
        std::shared_ptr<rpc::EventSink> sink;
        base::TimePoint arrived;
    };
    using Order = std::variant<TextOrder, EmbeddingOrder, PinOrder>;
    class CountingSink;

    void prepare_jobs(const std::stop_token& stop);
    void run_steps(const std::stop_token& stop);
    void prepare_pinned();
    void prepare(Arrival arrival);
    template <typename Value, typename Prepare>
    static base::Result<Value> by_engine(const rpc::Job& job, Prepare prepare);
    base::Result<engine::AdapterSet> adapters_of(const rpc::Job& job);
    base::Result<engine::Prepared> prepared_by_engine(const rpc::Job& job);
    base::Result<std::vector<std::vector<engine::Token>>> prepared_inputs(const rpc::Job& job);
    void hand_over(Order order);
    void job_ended(const std::string& id);
    void wake();

    const base::SteadyClock clock_;
    const std::unique_ptr<engine::TextEngine> engine_;
    const LoopSettings settings_;
    const std::vector<std::string> pinned_;
    Cancellations cancellations_;

    // The threads of gRPC, the preparing thread and the loop's thread meet here.
    mutable std::mutex mutex_;
    std::condition_variable_any arrivals_changed_;
    std::condition_variable_any orders_changed_;
    std::deque<Arrival> arrivals_;
    std::vector<Order> orders_;
    /// The loop has something to look at that is no order.
    bool woken_ = false;
    std::set<std::string, std::less<>> alive_;
    rpc::contract::StatisticsReply statistics_;
    std::uint64_t failed_early_ = 0;
    std::uint64_t cancelled_early_ = 0;

    std::atomic<std::uint64_t> steps_ = 0;

    std::jthread preparing_;
    std::jthread stepping_;
};

}  // namespace worker::loop
