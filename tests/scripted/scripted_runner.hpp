#pragma once

/// Plays the script of each job: at once up to its first wait, then from one thread.

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "scripted/script.hpp"
#include "worker/rpc/job_runner.hpp"

namespace scripted {

enum class Kind { text, image };

class ScriptedRunner final : public worker::rpc::JobRunner {
public:
    ScriptedRunner(Kind kind, std::string model);
    ~ScriptedRunner() override;

    void start(contract::Job job, std::shared_ptr<worker::rpc::EventSink> sink) override;
    bool cancel(std::string_view id) override;
    contract::HealthReply health() const override;
    contract::StatisticsReply statistics() const override;
    contract::ModelFacts facts() const override;

private:
    struct Playing {
        std::vector<Step> steps;
        std::size_t next = 0;
        std::shared_ptr<worker::rpc::EventSink> sink;
        base::TimePoint arrived;
        base::TimePoint due;
        bool cancelled = false;
        bool hanging = false;
    };

    // Plays what is due; true when the script is over.
    bool play(Playing& playing);
    void emit(Playing& playing, contract::Event event);
    void run(std::stop_token stop);

    const Kind kind_;
    const std::string model_;

    // The threads of gRPC and `thread_` meet here.
    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::map<std::string, std::shared_ptr<Playing>, std::less<>> playing_;
    contract::StatisticsReply statistics_;
    std::atomic<std::uint64_t> steps_ = 0;
    std::atomic<bool> hanging_ = false;
    std::jthread thread_;
};

}  // namespace scripted
