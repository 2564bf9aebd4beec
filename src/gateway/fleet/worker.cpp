#include "gateway/fleet/worker.hpp"

#include <signal.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/log.hpp"

namespace gateway::fleet {

using backends::ModelState;
using HealthReply = backends::WorkerBackend::HealthReply;
using StatisticsReply = backends::WorkerBackend::StatisticsReply;
using ModelFacts = backends::WorkerBackend::ModelFacts;

namespace {

constexpr base::Duration answer_timeout = std::chrono::seconds(5);
constexpr base::Duration file_look_interval = std::chrono::seconds(1);
/// A dead process's socket is closed by the kernel at once; this is for the case that something else keeps it open.
constexpr base::Duration retired_grace = std::chrono::seconds(1);

Health to_health(const HealthReply& reply) {
    return {.ready = reply.state() == HealthReply::READY,
            .draining = reply.state() == HealthReply::DRAINING,
            .busy = reply.busy(),
            .steps = reply.steps(),
            .load_progress = reply.load_progress()};
}

std::string to_words(const Death& death) {
    return death.signal ? "signal " + std::to_string(*death.signal)
                        : "status " + std::to_string(death.exit_status.value_or(0));
}

}  // namespace

Worker::Worker(boost::asio::io_context& io, backends::Executor& executor, const base::Clock& clock, WorkerSpec spec,
               std::filesystem::path socket_stem)
    : io_(io),
      executor_(executor),
      clock_(clock),
      spec_(std::move(spec)),
      socket_stem_(std::move(socket_stem)),
      life_(spec_.life, clock, *this) {}

Worker::~Worker() = default;

void Worker::start(std::vector<Observer*> observers) {
    observers_ = std::move(observers);
    life_.start();
}

void Worker::tick() {
    life_.tick();
    look_at_files();
    tidy_retired();
}

void Worker::start_process() {
    stamps_at_start_ = file_stamps();
    if (!stamps_at_start_.empty() && stamps_at_start_.front().bytes > 0) {
        created_ = std::chrono::file_clock::to_sys(stamps_at_start_.front().written);
    }
    adapters_created_.clear();
    for (const AdapterSpec& adapter : spec_.adapters) {
        std::error_code missing;
        const auto written = std::filesystem::last_write_time(adapter.file, missing);
        adapters_created_.push_back(missing ? created_ : std::chrono::file_clock::to_sys(written));
    }
    started_ = clock_.now();
    // A new path for every process: gRPC must never find the successor behind the predecessor's connection.
    socket_ = socket_stem_.string() + "-" + std::to_string(++generation_) + ".sock";
    Command command = spec_.command;
    command.arguments.insert(command.arguments.begin(), {"--socket", socket_.string()});
    auto process = ChildProcess::start(io_, command, *this);
    if (!process) {
        base::log::error("worker cannot be started",
                         {{"model", spec_.name.value()}, {"problem", process.error().message}});
        executor_.post([this, alive = std::weak_ptr(alive_), problem = process.error().message] {
            if (!alive.expired()) {
                life_.on_start_failed(problem);
            }
        });
        return;
    }
    process_ = std::move(*process);
    starvation_.emplace(process_->pid());
    backend_ = std::make_unique<backends::WorkerBackend>(socket_.string(), executor_);
    health_asked_ = facts_asked_ = statistics_asked_ = false;
    base::log::info("worker started", {{"model", spec_.name.value()}, {"pid", process_->pid()}});
    for (Observer* observer : observers_) {
        observer->on_worker_started(spec_.name, process_->pid());
    }
}

void Worker::terminate_process() {
    if (process_) {
        process_->signal(SIGTERM);
    }
}

void Worker::kill_process() {
    if (!process_) {
        return;
    }
    base::log::warning("worker is killed",
                       {{"model", spec_.name.value()}, {"pid", process_->pid()}, {"problem", life_.problem()}});
    process_->signal(SIGKILL);
    // A process that the kernel cannot end yet keeps its socket open; its jobs must not wait for that.
    backend_->close();
}

void Worker::on_exit(const Death& death) {
    forget_process();
    life_.on_died(death);
    if (life_.state() == ModelState::draining) {
        base::log::info("worker ended", {{"model", spec_.name.value()}, {"by", to_words(death)}});
    } else {
        base::log::warning("worker ended",
                           {{"model", spec_.name.value()},
                            {"by", to_words(death)},
                            {"problem", life_.problem()},
                            {"next_try_seconds", life_.retry_after().value_or(std::chrono::seconds(0)).count()}});
    }
    for (Observer* observer : observers_) {
        observer->on_worker_ended(spec_.name, death);
    }
}

void Worker::forget_process() {
    process_.reset();
    statistics_.reset();
    retired_.push_back({.backend = std::move(backend_), .close_at = clock_.now() + retired_grace});
    std::error_code ignored;
    std::filesystem::remove(socket_, ignored);
}

void Worker::tidy_retired() {
    // Not as soon as the last call has left: its last event may be posted and not yet delivered, and would be lost.
    std::erase_if(retired_, [](const Retired& retired) { return retired.all_left; });
    for (auto& retired : retired_) {
        if (clock_.now() >= retired.close_at) {
            retired.backend->close();
        }
        retired.all_left = retired.backend->open_calls() == 0;
    }
}

void Worker::ask_health() {
    if (life_.state() == ModelState::ready) {
        ask_statistics();
    }
    if (!backend_ || std::exchange(health_asked_, true)) {
        return;
    }
    backend_->ask_health(answer_timeout, [this, asked = generation_](base::Result<HealthReply> reply) {
        if (asked != generation_ || !process_) {
            return;  // of a process that has ended
        }
        health_asked_ = false;
        if (reply) {
            life_.on_health(to_health(*reply));
        }
    });
}

ProcessorTime Worker::processor_time() {
    return process_ ? starvation_->look(clock_.now()) : ProcessorTime{};
}

void Worker::ask_facts() {
    if (!backend_ || std::exchange(facts_asked_, true)) {
        return;
    }
    backend_->ask_facts(answer_timeout, [this, asked = generation_](base::Result<ModelFacts> reply) {
        if (asked != generation_ || !process_) {
            return;
        }
        facts_asked_ = false;
        if (reply) {
            facts_ = std::move(*reply);
            life_.on_facts();
        }
    });
}

void Worker::ask_statistics() {
    if (!backend_ || std::exchange(statistics_asked_, true)) {
        return;
    }
    backend_->ask_statistics(answer_timeout, [this, asked = generation_](base::Result<StatisticsReply> reply) {
        if (asked != generation_ || !process_) {
            return;
        }
        statistics_asked_ = false;
        if (reply) {
            statistics_ = std::move(*reply);
        }
    });
}

void Worker::became_ready() {
    ask_statistics();
    base::log::info("worker ready", {{"model", spec_.name.value()},
                                     {"seconds", base::seconds(clock_.now() - started_)},
                                     {"kernel", facts_->kernel()},
                                     {"threads", facts_->threads()}});
    for (Observer* observer : observers_) {
        observer->on_worker_ready(spec_.name, *backend_, *facts_);
    }
}

void Worker::became_unready() {
    for (Observer* observer : observers_) {
        observer->on_worker_unready(spec_.name);
    }
}

std::vector<Worker::FileStamp> Worker::file_stamps() const {
    std::vector<FileStamp> stamps;
    for (const auto& file : spec_.files) {
        std::error_code missing;
        const auto written = std::filesystem::last_write_time(file, missing);
        const auto bytes = std::filesystem::file_size(file, missing);
        stamps.push_back(missing ? FileStamp{} : FileStamp{.written = written, .bytes = bytes});
    }
    return stamps;
}

void Worker::look_at_files() {
    if (life_.state() != ModelState::failed || clock_.now() - looked_at_files_ < file_look_interval) {
        return;
    }
    looked_at_files_ = clock_.now();
    if (file_stamps() != stamps_at_start_) {
        life_.on_file_changed();
    }
}

backends::ModelStatus Worker::status() const {
    std::vector<backends::ModelStatus::Adapter> adapters;
    for (std::size_t i = 0; i < spec_.adapters.size(); ++i) {
        adapters.push_back({.name = spec_.adapters[i].name,
                            .scale = spec_.adapters[i].scale,
                            .created = i < adapters_created_.size() ? adapters_created_[i] : created_});
    }
    return {.name = spec_.name,
            .kind = spec_.kind,
            .state = life_.state(),
            .facts = facts_,
            .created = created_,
            .retry_after = life_.retry_after(),
            .problem = life_.problem(),
            .adapters = std::move(adapters)};
}

WorkerSnapshot Worker::snapshot() const {
    return {.name = spec_.name,
            .kind = spec_.kind,
            .state = life_.state(),
            .pid = process_ ? process_->pid() : 0,
            .restarts = life_.restarts(),
            .statistics = statistics_};
}

}  // namespace gateway::fleet
