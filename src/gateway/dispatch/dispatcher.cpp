#include "gateway/dispatch/dispatcher.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "gateway/dispatch/finish_rate.hpp"

namespace gateway::dispatch {

namespace engine = llm_gateway::engine::v1;
using backends::Event;
using backends::Job;
using backends::ModelName;
using backends::ModelState;
using backends::ModelStatus;

namespace {

/// After a worker broke a stream it gets no more jobs for this long, unless the fleet reports a new one before: the
/// news of its death may arrive after the broken stream.
constexpr base::Duration pause_after_broken_stream = std::chrono::seconds(2);
constexpr std::chrono::seconds default_retry_after{1};

Event failed(engine::ErrorCode code, std::string message, std::optional<std::chrono::seconds> retry_after = {}) {
    Event event;
    event.mutable_failed()->set_code(code);
    event.mutable_failed()->set_message(std::move(message));
    if (retry_after) {
        event.mutable_failed()->set_retry_after_seconds(static_cast<double>(retry_after->count()));
    }
    return event;
}

Event unknown_model(const ModelName& name) {
    Event event = failed(engine::NOT_FOUND,
                         "The model `" + name.value() + "` does not exist. GET /v1/models lists the models there are.");
    event.mutable_failed()->set_param("model");
    return event;
}

Event unavailable(const ModelStatus& status) {
    const auto retry_after = status.retry_after.value_or(default_retry_after);
    const std::string model = "The model '" + status.name.value() + "' ";
    switch (status.state) {
        case ModelState::loading: return failed(engine::UNAVAILABLE, model + "is still being loaded.", retry_after);
        case ModelState::restarting:
            return failed(engine::UNAVAILABLE, model + "is being restarted after a fault.", retry_after);
        case ModelState::failed:
            return failed(engine::UNAVAILABLE, model + "is not available: " + status.problem, status.retry_after);
        case ModelState::ready:
        case ModelState::draining: break;
    }
    return failed(engine::UNAVAILABLE, "The server is shutting down.", retry_after);
}

}  // namespace

/// A job from `submit` to its last event.
struct Dispatcher::Entry final : backends::EventSink {
    Entry(Dispatcher& the_dispatcher, JobNumber the_number, Model& the_model, Job the_job, EventSink& the_sink)
        : dispatcher(the_dispatcher), number(the_number), model(the_model), job(std::move(the_job)), sink(the_sink) {}

    void on_event(Event event) override { dispatcher.on_event(*this, std::move(event)); }

    enum class Place { nowhere, queue, worker };

    Dispatcher& dispatcher;
    const JobNumber number;
    Model& model;
    Job job;  ///< until it has begun; after that it will not run again
    EventSink& sink;
    base::TimePoint arrived;
    base::TimePoint placed;
    Place place = Place::nowhere;
    const Backend* given_to = nullptr;
    unsigned attempts = 0;
    bool begun = false;
    bool told_queued = false;
    std::unique_ptr<backends::Submission> at_worker;
};

struct Dispatcher::Model {
    ModelName name;
    Backend* backend = nullptr;
    std::size_t capacity = 0;
    std::size_t running = 0;
    std::optional<base::TimePoint> paused_until;
    /// In the order of service. A job keeps its number, so one that returns stands where it stood.
    struct Turn {
        std::int32_t priority;
        JobNumber number;
        bool operator<(const Turn& other) const {
            return priority != other.priority ? priority > other.priority : number < other.number;
        }
    };
    std::map<Turn, Entry*> waiting;
    FinishRate rate;

    static Turn turn(const Entry& entry) { return {.priority = entry.job.priority(), .number = entry.number}; }
    bool has_room() const { return backend != nullptr && !paused_until && running < capacity; }
};

class Dispatcher::Ticket final : public backends::Submission {
public:
    Ticket(Dispatcher& dispatcher, JobNumber number) : dispatcher_(dispatcher), number_(number) {}
    ~Ticket() override { dispatcher_.leave(number_); }

private:
    Dispatcher& dispatcher_;
    const JobNumber number_;
};

Dispatcher::Dispatcher(Settings settings, const backends::Catalogue& catalogue, backends::Executor& executor,
                       const base::Clock& clock)
    : settings_(std::move(settings)),
      catalogue_(catalogue),
      executor_(executor),
      clock_(clock),
      no_model_(std::make_unique<Model>()) {}

Dispatcher::~Dispatcher() = default;

std::unique_ptr<backends::Submission> Dispatcher::submit(const ModelName& model, Job job, backends::EventSink& sink) {
    const bool known = catalogue_.find(model).has_value();
    if (known && !models_.contains(model)) {
        models_.emplace(model, std::make_unique<Model>(Model{.name = model}));
    }
    const JobNumber number = ++last_number_;
    auto entry = std::make_unique<Entry>(*this, number, known ? *models_.at(model) : *no_model_, std::move(job), sink);
    entry->arrived = clock_.now();
    Entry& job_entry = *jobs_.emplace(number, std::move(entry)).first->second;
    if (known) {
        admit(job_entry);
    } else {
        end_soon(number, unknown_model(model));
    }
    return std::make_unique<Ticket>(*this, number);
}

std::size_t Dispatcher::max_waiting(const Model& model) const {
    const auto own = settings_.max_waiting_for.find(model.name);
    return own == settings_.max_waiting_for.end() ? settings_.max_waiting : own->second;
}

void Dispatcher::admit(Entry& entry) {
    Model& model = entry.model;
    const ModelStatus status = catalogue_.find(model.name).value();
    const bool may_wait = status.state == ModelState::ready || status.state == ModelState::loading;
    if (draining_ || !may_wait) {
        end_soon(entry.number, draining_
                                   ? failed(engine::UNAVAILABLE, "The server is shutting down.", default_retry_after)
                                   : unavailable(status));
    } else if (model.waiting.empty() && model.has_room()) {
        place(model, entry);
    } else if (model.waiting.size() >= max_waiting(model)) {
        end_soon(entry.number,
                 failed(engine::BUSY, "Too many requests wait for the model '" + model.name.value() + "'.",
                        model.rate.time_for(model.waiting.size() + model.running)));
    } else {
        wait(entry);
    }
}

void Dispatcher::wait(Entry& entry) {
    entry.place = Entry::Place::queue;
    const auto position = entry.model.waiting.emplace(Model::turn(entry), &entry).first;
    if (entry.told_queued) {
        return;
    }
    entry.told_queued = true;
    Event queued;
    const auto before = std::distance(entry.model.waiting.begin(), position);
    queued.mutable_queued()->set_position(static_cast<std::uint32_t>(before) +
                                          static_cast<std::uint32_t>(entry.model.running));
    executor_.post([this, alive = std::weak_ptr(alive_), number = entry.number, queued = std::move(queued)]() mutable {
        if (alive.expired()) {
            return;
        }
        if (const auto found = jobs_.find(number); found != jobs_.end()) {
            found->second->sink.on_event(std::move(queued));
        }
    });
}

void Dispatcher::place(Model& model, Entry& entry) {
    entry.place = Entry::Place::worker;
    entry.placed = clock_.now();
    ++entry.attempts;
    if (model.running++ == 0) {
        model.rate.begin(entry.placed);
    }
    entry.given_to = model.backend;
    entry.at_worker = model.backend->submit(model.name, entry.job, entry);
}

void Dispatcher::fill(Model& model) {
    while (!model.waiting.empty() && model.has_room()) {
        Entry& next = *model.waiting.begin()->second;
        model.waiting.erase(model.waiting.begin());
        place(model, next);
    }
}

void Dispatcher::on_event(Entry& entry, Event event) {
    const double waited_here = base::seconds(entry.placed - entry.arrived);
    switch (event.event_case()) {
        case Event::kQueued:
            if (event.queued().position() == 0) {
                set_begun(entry);
            }
            if (std::exchange(entry.told_queued, true)) {
                return;
            }
            break;
        case Event::kStarted:
            event.mutable_started()->set_queue_seconds(event.started().queue_seconds() + waited_here);
            break;
        case Event::kFinished: {
            entry.model.rate.finished(clock_.now());
            auto& timings = *event.mutable_finished()->mutable_timings();
            timings.set_queue_seconds(timings.queue_seconds() + waited_here);
            timings.set_total_seconds(timings.total_seconds() + waited_here);
            return end(entry.number, std::move(event));
        }
        case Event::kFailed:
            if (event.failed().code() == engine::UNAVAILABLE) {
                if (entry.given_to == entry.model.backend) {
                    entry.model.paused_until = clock_.now() + pause_after_broken_stream;
                }
                if (!entry.begun && entry.attempts < settings_.most_attempts) {
                    return return_to_queue(entry);
                }
            }
            return end(entry.number, std::move(event));
        default: break;
    }
    if (!event.has_queued()) {
        set_begun(entry);
    }
    entry.sink.on_event(std::move(event));  // may end `entry`
}

void Dispatcher::set_begun(Entry& entry) {
    entry.begun = true;
    Job().Swap(&entry.job);
}

void Dispatcher::return_to_queue(Entry& entry) {
    entry.at_worker.reset();
    release(entry.model);
    wait(entry);
}

void Dispatcher::release(Model& model) {
    if (--model.running == 0) {
        model.rate.pause(clock_.now());
    }
}

void Dispatcher::end(JobNumber number, Event last) {
    if (const auto entry = take(number)) {
        fill(entry->model);
        entry->sink.on_event(std::move(last));
    }
}

void Dispatcher::end_soon(JobNumber number, Event last) {
    executor_.post([this, alive = std::weak_ptr(alive_), number, last = std::move(last)]() mutable {
        if (!alive.expired()) {
            end(number, std::move(last));
        }
    });
}

void Dispatcher::leave(JobNumber number) {
    if (const auto entry = take(number)) {
        entry->at_worker.reset();
        fill(entry->model);
    }
}

std::unique_ptr<Dispatcher::Entry> Dispatcher::take(JobNumber number) {
    const auto found = jobs_.find(number);
    if (found == jobs_.end()) {
        return nullptr;
    }
    auto entry = std::move(found->second);
    jobs_.erase(found);
    switch (entry->place) {
        case Entry::Place::queue: entry->model.waiting.erase(Model::turn(*entry)); break;
        case Entry::Place::worker: release(entry->model); break;
        case Entry::Place::nowhere: break;
    }
    return entry;
}

void Dispatcher::on_ready(const ModelName& name, Backend& backend, std::size_t capacity) {
    auto& model = models_[name];
    if (!model) {
        model = std::make_unique<Model>(Model{.name = name});
    }
    model->backend = &backend;
    model->capacity = std::max<std::size_t>(capacity, 1);
    model->paused_until.reset();
    fill(*model);
}

void Dispatcher::on_not_ready(const ModelName& name) {
    const auto found = models_.find(name);
    if (found == models_.end()) {
        return;
    }
    Model& model = *found->second;
    model.backend = nullptr;
    const auto status = catalogue_.find(name);
    if (!status || status->state != ModelState::failed) {
        return;
    }
    while (!model.waiting.empty()) {
        end(model.waiting.begin()->second->number, unavailable(*status));
    }
}

void Dispatcher::tick() {
    const auto now = clock_.now();
    for (const auto& [name, model] : models_) {
        if (model->paused_until && *model->paused_until <= now) {
            model->paused_until.reset();
            fill(*model);
        }
        if (model->waiting.empty()) {
            continue;
        }
        const ModelStatus status = catalogue_.find(name).value();
        const bool loading = status.state == ModelState::loading;
        std::vector<JobNumber> overdue;
        for (const auto& [turn, entry] : model->waiting) {
            const auto waited = now - entry->arrived;
            if (waited >= settings_.longest_wait || (loading && waited >= settings_.longest_load_wait)) {
                overdue.push_back(turn.number);
            }
        }
        for (const JobNumber number : overdue) {
            end(number, loading ? unavailable(status)
                                : failed(engine::BUSY, "The request waited too long for its turn.",
                                         model->rate.time_for(model->waiting.size() + model->running)));
        }
    }
}

void Dispatcher::drain() {
    draining_ = true;
}

std::vector<Load> Dispatcher::load() const {
    std::vector<Load> loads;
    for (const auto& [name, model] : models_) {
        loads.push_back({.model = name, .running = model->running, .waiting = model->waiting.size()});
    }
    return loads;
}

}  // namespace gateway::dispatch
