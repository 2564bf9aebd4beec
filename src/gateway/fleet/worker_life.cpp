#include "gateway/fleet/worker_life.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gateway::fleet {

using backends::ModelState;

namespace {

/// proto/engine.proto: the model cannot be loaded, and trying again soon would not help.
constexpr int exit_status_unloadable = 3;
/// A guess for a model that was never loaded.
constexpr base::Duration unknown_load_duration = std::chrono::seconds(5);
/// A longer time between two ticks means that the gateway itself stood still (SIGSTOP, a starved host): what a worker
/// did not say meanwhile is no sign against it.
constexpr base::Duration longest_tick_gap = std::chrono::seconds(2);

}  // namespace

WorkerLife::WorkerLife(LifeSettings settings, const base::Clock& clock, Effects& effects)
    : settings_(settings), clock_(clock), effects_(effects) {}

void WorkerLife::start() {
    launch();
}

void WorkerLife::launch() {
    start_at_.reset();
    ++starts_;
    running_ = true;
    killed_ = false;
    was_ready_ = false;
    last_tick_ = started_ = last_answer_ = last_progress_ = clock_.now();
    last_question_ = {};
    last_steps_ = 0;
    load_progress_ = 0;
    effects_.start_process();
}

void WorkerLife::stop() {
    if (stopping_) {
        return;
    }
    stopping_ = true;
    start_at_.reset();
    leave_ready(ModelState::draining);
    if (running_) {
        effects_.terminate_process();
        kill_at_ = clock_.now() + settings_.stop_grace;
    }
}

void WorkerLife::on_start_failed(std::string problem) {
    running_ = false;
    if (stopping_) {
        return;
    }
    problem_ = std::move(problem);
    start_at_ = clock_.now() + settings_.failed_pause;
    leave_ready(ModelState::failed);
}

void WorkerLife::on_died(const Death& death) {
    if (death.exit_status == exit_status_unloadable) {
        return on_start_failed(death.last_line.empty() ? "The model cannot be loaded." : death.last_line);
    }
    running_ = false;
    if (stopping_) {
        return;
    }
    if (!killed_) {  // else `problem_` says already why
        problem_ = death.signal ? "The worker was ended by signal " + std::to_string(*death.signal) + "."
                                : "The worker ended with status " + std::to_string(death.exit_status.value_or(0)) + ".";
    }
    forget_old_deaths();
    start_at_ = clock_.now() + next_backoff();
    leave_ready(ModelState::restarting);
}

void WorkerLife::forget_old_deaths() {
    if (state_ == ModelState::ready && clock_.now() - ready_since_ >= settings_.stable_after) {
        deaths_in_a_row_ = 0;
    }
}

base::Duration WorkerLife::next_backoff() {
    auto backoff = settings_.first_backoff;
    for (unsigned i = 0; i < deaths_in_a_row_ && backoff < settings_.longest_backoff; ++i) {
        backoff *= 2;
    }
    ++deaths_in_a_row_;
    return std::min(backoff, settings_.longest_backoff);
}

void WorkerLife::on_health(const Health& health) {
    if (!running_) {
        return;
    }
    const auto now = clock_.now();
    last_answer_ = now;
    load_progress_ = health.load_progress;
    if (!health.busy || health.steps != last_steps_) {
        last_progress_ = now;
    }
    last_steps_ = health.steps;
    if (stopping_) {
        return;
    }
    if (health.draining && state_ == ModelState::ready) {
        problem_ = "The worker was told to end.";
        leave_ready(ModelState::restarting);
    } else if (health.ready && !killed_ && state_ != ModelState::ready) {
        effects_.ask_facts();
    }
}

void WorkerLife::on_facts() {
    if (!running_ || stopping_ || killed_ || state_ == ModelState::ready) {
        return;
    }
    ready_since_ = clock_.now();
    load_duration_ = ready_since_ - started_;
    was_ready_ = true;
    problem_.clear();
    state_ = ModelState::ready;
    effects_.became_ready();
}

void WorkerLife::on_file_changed() {
    if (state_ == ModelState::failed && !running_) {
        start_at_ = clock_.now();
    }
}

void WorkerLife::tick() {
    const auto now = clock_.now();
    const auto gap = now - std::exchange(last_tick_, now);
    if (gap > longest_tick_gap) {
        last_answer_ += gap;
        last_progress_ += gap;
    }
    if (start_at_ && *start_at_ <= now) {
        if (state_ == ModelState::failed) {
            leave_ready(ModelState::loading);
        }
        return launch();
    }
    if (!running_) {
        return;
    }
    if (kill_at_ && *kill_at_ <= now) {
        kill_at_.reset();
        killed_ = true;
        return effects_.kill_process();
    }
    if (killed_) {
        return;
    }
    const auto interval = state_ == ModelState::ready ? settings_.health_interval : settings_.loading_health_interval;
    const bool asks = now - last_question_ >= interval;
    if (asks) {
        const auto processor = effects_.processor_time();
        last_answer_ = std::min(now, last_answer_ + processor.starved);
        last_progress_ = std::min(now, last_progress_ + processor.starved);
        if (settings_.long_steps && processor.computed) {
            last_progress_ = now;
        }
    }
    if (now - last_answer_ >= settings_.watchdog_timeout) {
        return kill_stuck("The worker did not answer.");
    }
    if (now - last_progress_ >= settings_.watchdog_timeout) {
        return kill_stuck("The worker was busy without progress.");
    }
    if (!was_ready_ && now - started_ >= settings_.start_timeout) {
        return kill_stuck("The model was not loaded in time.");
    }
    if (asks) {
        last_question_ = now;
        effects_.ask_health();
    }
}

void WorkerLife::kill_stuck(std::string problem) {
    killed_ = true;
    problem_ = std::move(problem);
    if (!stopping_) {
        leave_ready(ModelState::restarting);
    }
    effects_.kill_process();
}

void WorkerLife::leave_ready(ModelState next) {
    if (state_ == next) {
        return;
    }
    forget_old_deaths();
    state_ = next;
    effects_.became_unready();
}

std::optional<std::chrono::seconds> WorkerLife::retry_after() const {
    if (state_ == ModelState::ready) {
        return std::nullopt;
    }
    const auto now = clock_.now();
    const auto load = load_duration_.value_or(unknown_load_duration);
    base::Duration wait{};
    if (start_at_) {
        wait = std::max(base::Duration{}, *start_at_ - now) + (state_ == ModelState::failed ? base::Duration{} : load);
    } else if (load_progress_ > 0.1 && load_progress_ < 1) {
        const auto so_far = base::seconds(now - started_);
        wait = std::chrono::duration_cast<base::Duration>(
            std::chrono::duration<double>(so_far * (1 - load_progress_) / load_progress_));
    } else {
        wait = load - (now - started_);
    }
    return std::max(std::chrono::seconds(1), std::chrono::ceil<std::chrono::seconds>(wait));
}

}  // namespace gateway::fleet
