#pragma once

/// For tests of the dispatcher: a worker that does what the test says, and clients that remember what they hear.

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gateway/dispatch/dispatcher.hpp"

namespace gateway::dispatch {

namespace engine = llm_gateway::engine::v1;
using namespace std::chrono_literals;
using backends::Event;
using backends::Job;
using backends::ModelName;
using backends::ModelState;
using backends::ModelStatus;

class LaterExecutor final : public backends::Executor {
public:
    void post(std::move_only_function<void()> work) override { queue_.push_back(std::move(work)); }
    void run() {
        while (!queue_.empty()) {
            auto work = std::move(queue_.front());
            queue_.pop_front();
            work();
        }
    }

private:
    std::deque<std::move_only_function<void()>> queue_;
};

class FixedCatalogue final : public backends::Catalogue {
public:
    std::vector<ModelStatus> models() const override { return {status}; }
    std::optional<ModelStatus> find(const ModelName& name) const override {
        return name == status.name ? std::optional(status) : std::nullopt;
    }
    std::optional<ModelName> default_model(backends::ModelKind) const override { return status.name; }

    ModelStatus status{.name = ModelName("tiny"), .state = ModelState::ready};
};

/// Keeps the jobs it gets until the test says what becomes of them.
class ScriptedBackend final : public backends::Backend {
public:
    std::unique_ptr<backends::Submission> submit(const ModelName&, Job job, backends::EventSink& sink) override {
        class Held final : public backends::Submission {
        public:
            Held(ScriptedBackend& backend, std::string id) : backend_(backend), id_(std::move(id)) {}
            ~Held() override {
                backend_.dropped.push_back(id_);
                std::erase_if(backend_.sinks, [&](const auto& held) { return held.first == id_; });
            }

        private:
            ScriptedBackend& backend_;
            const std::string id_;
        };
        started.push_back(job.id());
        sinks.emplace_back(job.id(), &sink);
        return std::make_unique<Held>(*this, job.id());
    }

    void say(const std::string& id, Event event) {
        const auto held = std::ranges::find(sinks, id, [](const auto& pair) { return pair.first; });
        ASSERT_NE(held, sinks.end()) << id << " does not run here";
        held->second->on_event(std::move(event));
    }

    std::vector<std::string> started;
    std::vector<std::string> dropped;
    std::vector<std::pair<std::string, backends::EventSink*>> sinks;
};

struct Client final : public backends::EventSink {
    void on_event(Event event) override { events.push_back(std::move(event)); }
    bool has_ended() const { return !events.empty() && (events.back().has_finished() || events.back().has_failed()); }
    engine::ErrorCode code() const {
        return events.empty() ? engine::ERROR_CODE_UNSPECIFIED : events.back().failed().code();
    }

    std::vector<Event> events;
    std::unique_ptr<backends::Submission> submission;
};

inline Event started(double queue_seconds = 0) {
    Event event;
    event.mutable_started()->set_queue_seconds(queue_seconds);
    return event;
}

inline Event text(const std::string& words) {
    Event event;
    event.mutable_text()->set_text(words);
    return event;
}

inline Event finished() {
    Event event;
    event.mutable_finished();
    return event;
}

inline Event broken() {
    Event event;
    event.mutable_failed()->set_code(engine::UNAVAILABLE);
    return event;
}

class DispatcherTest : public testing::Test {
protected:
    Client& submit(const std::string& id, int priority = 0, const std::string& model = "tiny") {
        Job job;
        job.set_id(id);
        job.set_priority(priority);
        return submit(dispatcher_, std::move(job), model);
    }
    Client& submit(Dispatcher& dispatcher, Job job, const std::string& model = "tiny") {
        clients_.push_back(std::make_unique<Client>());
        clients_.back()->submission = dispatcher.submit(ModelName(model), std::move(job), *clients_.back());
        return *clients_.back();
    }

    void set_state(ModelState state) {
        catalogue_.status.state = state;
        if (state != ModelState::ready) {
            dispatcher_.on_not_ready(model_);
        }
    }

    const ModelName model_{"tiny"};
    base::ManualClock clock_;
    LaterExecutor executor_;
    FixedCatalogue catalogue_;
    ScriptedBackend worker_;
    Dispatcher dispatcher_{
        {.max_waiting = 2, .longest_load_wait = 10s, .longest_wait = 60s}, catalogue_, executor_, clock_};
    std::vector<std::unique_ptr<Client>> clients_;
};

}  // namespace gateway::dispatch
