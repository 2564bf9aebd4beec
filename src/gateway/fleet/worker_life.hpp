#pragma once

/// The life of one worker process as decisions: when to start it, when it counts as ready, when it is stuck, when to
/// try again. A state machine without I/O that acts through `Effects` and hears through its `on_...` functions; a test
/// drives it with a manual clock.
///
///     loading ──ready──▶ ready ──dies, stuck──▶ restarting ──backoff, start, ready──▶ ready
///        │ exit status 3, or the program cannot be started
///        ▼
///     failed ──the file changed, or after a long pause──▶ loading
///     any ──stop──▶ draining ──dies──▶ stopped

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "gateway/backends/catalogue.hpp"
#include "gateway/fleet/starvation.hpp"

namespace gateway::fleet {

struct LifeSettings {
    /// A worker that gives no sign for this long is killed: no answer to Health, or busy without progress.
    base::Duration watchdog_timeout = std::chrono::seconds(120);
    /// One step may take longer than that, as with large pictures: a worker that computes makes progress. Without this
    /// only a finished step is progress.
    bool long_steps = false;
    /// Longest time from its start until it is ready.
    base::Duration start_timeout = std::chrono::minutes(10);
    base::Duration health_interval = std::chrono::seconds(1);
    /// While it loads, so that readiness comes soon.
    base::Duration loading_health_interval = std::chrono::milliseconds(100);
    base::Duration first_backoff = std::chrono::milliseconds(250);
    base::Duration longest_backoff = std::chrono::seconds(30);
    /// A worker that was ready for this long starts again with the first backoff.
    base::Duration stable_after = std::chrono::seconds(60);
    /// Between tries to load a model that could not be loaded.
    base::Duration failed_pause = std::chrono::minutes(5);
    /// From SIGTERM to SIGKILL.
    base::Duration stop_grace = std::chrono::seconds(5);
};

/// How a process ended.
struct Death {
    std::optional<int> exit_status;
    std::optional<int> signal;
    /// The last line it wrote to standard error; may be empty.
    std::string last_line;
};

/// A worker's answer to Health.
struct Health {
    bool ready = false;
    bool draining = false;
    bool busy = false;
    std::uint64_t steps = 0;
    double load_progress = 0;
};

/// What a life does to the world. None of these calls back before it has returned.
class Effects {
public:
    virtual ~Effects() = default;
    /// Followed by `on_died`, sooner or later, or by `on_start_failed`.
    virtual void start_process() = 0;
    virtual void terminate_process() = 0;
    virtual void kill_process() = 0;
    /// Followed by `on_health`, or by nothing.
    virtual void ask_health() = 0;
    /// Since the last call. Time in which the process starved does not count for the watchdog.
    virtual ProcessorTime processor_time() = 0;
    /// Followed by `on_facts`, or by nothing.
    virtual void ask_facts() = 0;
    /// Jobs may be given to the worker, until `became_unready`.
    virtual void became_ready() = 0;
    /// Also called for each later change of an unready state.
    virtual void became_unready() = 0;
};

class WorkerLife {
public:
    /// Both must outlive this.
    WorkerLife(LifeSettings settings, const base::Clock& clock, Effects& effects);

    void start();
    /// Asks the process to end; kills it when it takes too long. Nothing is started afterwards.
    void stop();

    void on_start_failed(std::string problem);
    void on_died(const Death& death);
    void on_health(const Health& health);
    /// The worker has told what its model is: it is ready.
    void on_facts();
    /// The model's file is another one than when it could not be loaded.
    void on_file_changed();
    /// To be called several times a second.
    void tick();

    backends::ModelState state() const { return state_; }
    const std::string& problem() const { return problem_; }
    /// When trying again makes sense; empty while ready.
    std::optional<std::chrono::seconds> retry_after() const;
    /// No process runs and none will.
    bool stopped() const { return stopping_ && !running_; }
    /// How often a successor was started.
    std::uint64_t restarts() const { return starts_ > 0 ? starts_ - 1 : 0; }

private:
    void launch();
    void kill_stuck(std::string problem);
    void leave_ready(backends::ModelState next);
    void forget_old_deaths();
    base::Duration next_backoff();

    const LifeSettings settings_;
    const base::Clock& clock_;
    Effects& effects_;

    backends::ModelState state_ = backends::ModelState::loading;
    std::string problem_;
    bool running_ = false;
    bool stopping_ = false;
    bool killed_ = false;
    std::uint64_t starts_ = 0;
    unsigned deaths_in_a_row_ = 0;
    std::optional<base::TimePoint> start_at_;
    std::optional<base::TimePoint> kill_at_;
    base::TimePoint last_tick_{};

    // of the present process
    base::TimePoint started_{};
    base::TimePoint ready_since_{};
    bool was_ready_ = false;
    base::TimePoint last_question_{};
    base::TimePoint last_answer_{};
    base::TimePoint last_progress_{};
    std::uint64_t last_steps_ = 0;
    double load_progress_ = 0;
    /// How long the last load took.
    std::optional<base::Duration> load_duration_;
};

}  // namespace gateway::fleet
