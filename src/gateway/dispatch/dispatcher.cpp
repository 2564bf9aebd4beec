#include "gateway/dispatch/dispatcher.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/fair_line.hpp"
#include "gateway/dispatch/job_work.hpp"
#include "gateway/dispatch/work_rate.hpp"

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
constexpr double longest_seconds_left = 365.0 * 24 * 3600;

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
        : dispatcher(the_dispatcher),
          number(the_number),
          model(the_model),
          id(the_job.id()),
          job(std::move(the_job)),
          light(job.has_tokens()),
          sink(the_sink) {}

    void on_event(Event event) override { dispatcher.on_event(*this, std::move(event)); }

    enum class Place { nowhere, queue, worker };

    base::Turn turn() const { return {.priority = priority, .tenant = tenant, .number = number, .since = arrived}; }

    Dispatcher& dispatcher;
    const JobNumber number;
    Model& model;
    const std::string id;
    Job job;  ///< until it has begun; after that it will not run again
    JobSize size;
    WorkLeft left;
    std::string tenant;
    double weight = 1;
    std::int32_t priority = 0;
    /// Evaluates nothing, so it needs no place among those that do, and its end says nothing about theirs.
    const bool light;
    /// What the tenant has been charged for this run, before the cost is known.
    double charged = 0;
    base::TimePoint too_late = base::TimePoint::max();
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
    /// A job keeps its number, so one that returns stands where it stood among its tenant's.
    base::FairLine<Entry*> waiting;
    WorkRate rate;
    JobWork work;
    /// Of all its jobs, waiting and running.
    double work_left = 0;
    /// Of a job, on average; in the unit of `work_of`.
    double usual_cost = 0;

    bool takes_jobs() const { return backend != nullptr && !paused_until; }
    bool has_room() const { return takes_jobs() && running < capacity; }
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
      tenants_(settings_.tenants),
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
    entry->tenant = entry->job.tenant();
    const Tenant settings = tenants_.of(entry->tenant);
    entry->weight = settings.weight;
    entry->priority = entry->job.priority() + settings.priority;
    entry->job.set_weight(entry->weight);
    entry->job.set_priority(entry->priority);
    if (entry->job.has_seconds_left() && entry->job.seconds_left() < longest_seconds_left) {
        entry->too_late = entry->arrived + std::chrono::duration_cast<base::Duration>(
                                               std::chrono::duration<double>(entry->job.seconds_left()));
    }
    Entry& job_entry = *jobs_.emplace(number, std::move(entry)).first->second;
    if (known) {
        job_entry.size = size_of(job_entry.job);
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

bool Dispatcher::may_wait(const Entry& entry) const {
    const auto most = max_waiting(entry.model);
    return entry.model.waiting.size() < most || (most > 0 && entry.model.waiting.waiting_of(entry.tenant) == 0);
}

void Dispatcher::admit(Entry& entry) {
    Model& model = entry.model;
    const ModelStatus status = catalogue_.find(model.name).value();
    const bool available = status.state == ModelState::ready || status.state == ModelState::loading;
    if (draining_ || !available) {
        end_soon(entry.number, draining_
                                   ? failed(engine::UNAVAILABLE, "The server is shutting down.", default_retry_after)
                                   : unavailable(status));
    } else if (entry.light && model.takes_jobs()) {
        place(model, entry);
    } else if (model.has_room() && tenants_.may_run_one_more(entry.tenant)) {
        // While there is room nobody waits but tenants at their limits.
        place(model, entry);
    } else if (!may_wait(entry)) {
        end_soon(entry.number,
                 failed(engine::BUSY, "Too many requests wait for the model '" + model.name.value() + "'.",
                        time_to_empty(model)));
    } else {
        wait(entry);
    }
}

void Dispatcher::wait(Entry& entry) {
    entry.place = Entry::Place::queue;
    entry.model.waiting.add(entry.turn(), &entry);
    set_left(entry, entry.model.work.expected(entry.size));
    if (entry.told_queued) {
        return;
    }
    entry.told_queued = true;
    Event queued;
    std::size_t before = entry.model.running;
    entry.model.waiting.first(clock_.now(), [&](const base::Turn& turn, const Entry*) {
        before += turn.number == entry.number ? 0 : 1;
        return turn.number == entry.number;
    });
    queued.mutable_queued()->set_position(static_cast<std::uint32_t>(before));
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
    if (!entry.light) {
        if (model.running++ == 0) {
            model.rate.begin(entry.placed);
        }
        tenants_.begins(entry.tenant);
        set_left(entry, model.work.expected(entry.size));
        entry.charged = model.usual_cost;
        model.waiting.charge(entry.tenant, entry.weight, entry.charged);
    }
    if (entry.too_late != base::TimePoint::max()) {
        entry.job.set_seconds_left(base::seconds(entry.too_late - entry.placed));
    }
    entry.given_to = model.backend;
    entry.at_worker = model.backend->submit(model.name, entry.job, entry);
}

void Dispatcher::fill(Model& model) {
    while (model.has_room()) {
        const auto next = model.waiting.first(clock_.now(), [this](const base::Turn& turn, const Entry*) {
            return tenants_.may_run_one_more(turn.tenant);
        });
        if (!next) {
            return;
        }
        place(model, *model.waiting.serve(*next));
    }
}

void Dispatcher::fill_after(const Entry& entry) {
    fill(entry.model);
    if (tenants_.of(entry.tenant).max_running == Tenant::no_limit) {
        return;
    }
    for (const auto& [name, model] : models_) {
        fill(*model);
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
        case Event::kText:
        case Event::kReasoning:
        case Event::kToolCall:
            // About one token; when the first one comes, the prompt has been read.
            set_left(entry, {.before_the_answer = 0, .answer = std::max(entry.left.answer - generated_token, 0.0)});
            break;
        case Event::kStarted:
            event.mutable_started()->set_queue_seconds(event.started().queue_seconds() + waited_here);
            break;
        case Event::kFinished: {
            if (!entry.light) {
                entry.model.rate.finished(clock_.now(), std::max(work_of(event.finished()), least_work));
                entry.model.work.learn(entry.size, event.finished());
                settle(entry, work_of(event.finished()));
            }
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

void Dispatcher::set_left(Entry& entry, const WorkLeft& left) {
    entry.model.work_left += left.total() - entry.left.total();
    entry.left = left;
    if (entry.model.running == 0 && entry.model.waiting.empty()) {
        entry.model.work_left = 0;  // sums of fractions drift
    }
}

std::chrono::seconds Dispatcher::time_to_empty(const Model& model) {
    return model.rate.time_for(std::max(model.work_left, 0.0));
}

void Dispatcher::return_to_queue(Entry& entry) {
    entry.at_worker.reset();
    release(entry);
    entry.model.waiting.charge(entry.tenant, entry.weight, -std::exchange(entry.charged, 0));
    wait(entry);
}

void Dispatcher::release(Entry& entry) {
    if (entry.light) {
        return;
    }
    if (--entry.model.running == 0) {
        entry.model.rate.pause(clock_.now());
    }
    tenants_.ends(entry.tenant);
}

// The tenant pays what it was, instead of what it usually is.
void Dispatcher::settle(Entry& entry, double cost) {
    Model& model = entry.model;
    model.waiting.charge(entry.tenant, entry.weight, cost - std::exchange(entry.charged, cost));
    model.usual_cost = model.usual_cost == 0 ? cost : 0.9 * model.usual_cost + 0.1 * cost;
}

void Dispatcher::end(JobNumber number, Event last) {
    if (const auto entry = take(number)) {
        fill_after(*entry);
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
        fill_after(*entry);
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
        case Entry::Place::queue: entry->model.waiting.remove(entry->turn()); break;
        case Entry::Place::worker: release(*entry); break;
        case Entry::Place::nowhere: break;
    }
    set_left(*entry, {});
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
    std::vector<JobNumber> waiting;
    model.waiting.for_each([&](const base::Turn& turn, const Entry*) { waiting.push_back(turn.number); });
    std::ranges::sort(waiting);
    for (const JobNumber number : waiting) {
        end(number, unavailable(*status));
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
        std::vector<JobNumber> late;
        model->waiting.for_each([&](const base::Turn& turn, const Entry* entry) {
            const auto waited = now - entry->arrived;
            if (now >= entry->too_late) {
                late.push_back(turn.number);
            } else if (waited >= settings_.longest_wait || (loading && waited >= settings_.longest_load_wait)) {
                overdue.push_back(turn.number);
            }
        });
        for (const JobNumber number : late) {
            end(number, failed(engine::DEADLINE, "The request's time was over before its turn came."));
        }
        for (const JobNumber number : overdue) {
            end(number, loading
                            ? unavailable(status)
                            : failed(engine::BUSY, "The request waited too long for its turn.", time_to_empty(*model)));
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

std::vector<std::string> Dispatcher::line(const ModelName& name) const {
    std::vector<std::string> ids;
    const auto found = models_.find(name);
    if (found == models_.end()) {
        return ids;
    }
    const Model& model = *found->second;
    std::map<std::pair<base::TimePoint, JobNumber>, const Entry*> running;
    for (const auto& [number, entry] : jobs_) {
        if (&entry->model == &model && entry->place == Entry::Place::worker && !entry->light) {
            running.emplace(std::pair(entry->placed, number), entry.get());
        }
    }
    for (const auto& [since, entry] : running) {
        ids.push_back(entry->id);
    }
    model.waiting.first(clock_.now(), [&](const base::Turn&, const Entry* entry) {
        ids.push_back(entry->id);
        return false;
    });
    return ids;
}

}  // namespace gateway::dispatch
