#pragma once

/// The image worker's JobRunner: a bounded queue, one picture at a time. Three kinds of threads meet here: callers
/// (start, cancel, health), the drawing thread, and the delivery thread that encodes and hands out events. The queue is
/// under one lock; a job being drawn is touched by others only through its `cancelled` flag.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>

#include "base/clock.hpp"
#include "worker/image/delivery.hpp"
#include "worker/image/picture_engine.hpp"
#include "worker/image/repeats.hpp"
#include "worker/image/request.hpp"
#include "worker/rpc/job_runner.hpp"

namespace worker::image {

struct ImageRunnerOptions {
    /// Jobs that may wait; the next one is BUSY.
    std::size_t max_waiting = 32;
    /// For files that may be asked for again; 0: none is kept.
    std::size_t repeat_bytes = std::size_t{64} << 20;
    /// Draws a seed for a job that has none.
    std::function<std::uint32_t()> draw_seed;
};

class ImageRunner final : public rpc::JobRunner {
public:
    ImageRunner(std::unique_ptr<PictureEngine> engine, const base::Clock& clock, ImageRunnerOptions options);
    ~ImageRunner() override;

    void start(rpc::Job job, std::shared_ptr<rpc::EventSink> sink) override;
    bool cancel(std::string_view id) override;
    contract::HealthReply health() const override;
    contract::StatisticsReply statistics() const override;
    contract::ModelFacts facts() const override;

private:
    struct Task {
        std::string id;
        int priority = 0;
        std::variant<DrawPlan, UpscalePlan> plan;
        std::string repeat_key;  // of drawings
        std::shared_ptr<rpc::EventSink> sink;
        base::TimePoint arrived;
        contract::Timings timings;                    // the delivery thread's
        std::optional<base::Error> delivery_failure;  // the delivery thread's
        std::atomic<bool> cancelled = false;
    };
    class Watcher;

    using TaskPointer = std::shared_ptr<Task>;

    base::Result<TaskPointer> plan(const rpc::Job& job);
    bool answer_again(const TaskPointer& task);
    void enqueue(const TaskPointer& task);
    void run();
    TaskPointer next();
    base::Result<void> perform(const TaskPointer& task);
    base::Result<void> draw(const TaskPointer& task, const DrawPlan& plan);
    base::Result<void> enlarge(const TaskPointer& task, const UpscalePlan& plan);
    void deliver(const TaskPointer& task, std::uint32_t image, std::int64_t seed, Drawing drawing,
                 codec::EncodeOptions encoding);
    void deliver_again(const TaskPointer& task, std::uint32_t image, std::int64_t seed,
                       std::shared_ptr<const DeliveredFile> file);
    void post_started(const TaskPointer& task);
    void post_end(const TaskPointer& task, const base::Result<void>& drawn);
    void send(const TaskPointer& task, rpc::Event event);
    void finish(const TaskPointer& task, const base::Result<void>& drawn);
    void count(const base::Result<void>& outcome);

    const std::unique_ptr<PictureEngine> engine_;
    const base::Clock& clock_;
    const ImageRunnerOptions options_;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::shared_ptr<Task>> waiting_;  // in the order of running
    std::shared_ptr<Task> running_;
    bool ending_ = false;
    contract::StatisticsReply totals_;

    std::atomic<std::uint64_t> steps_ = 0;
    Repeats repeats_;
    Delivery delivery_;  // after what its work uses
    std::jthread thread_;
};

}  // namespace worker::image
