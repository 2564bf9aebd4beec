#pragma once

/// The Backend that chooses among Backends: decides for every job whether it runs now, waits, or is refused.
///
/// A state machine without I/O and without threads. It acts only through the Backends it was given and hears only
/// through its `on_...` and `tick` functions, all on the gateway's thread.
///
///   * An unknown model is NOT_FOUND.
///   * A worker is given no more jobs than its capacity; the others wait here: larger priority first, then fairly between
///     tenants by what their jobs have cost, then first come (base/fair_line.hpp). A job that was dropped while it waited
///     never reaches a worker. A job that evaluates nothing (one for tokens) goes to a ready worker at once.
///   * A full queue is BUSY, with the time after which the queue should be empty: from what waiting and running jobs are
///     expected to cost, in tokens, and the measured rate. A tenant that
///     has nothing waiting may have one job wait all the same: others cannot shut it out.
///   * A model that loads: the job waits, up to a limit. One that restarts or cannot be loaded: UNAVAILABLE at once.
///   * A worker that dies: jobs that had begun get an error event, since running them again could kill the successor
///     too. Jobs that had not begun return to their place in the queue and run on the successor.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "gateway/backends/backend.hpp"
#include "gateway/backends/catalogue.hpp"
#include "gateway/backends/executor.hpp"
#include "gateway/dispatch/job_work.hpp"
#include "gateway/dispatch/tenants.hpp"

namespace gateway::dispatch {

struct Settings {
    /// Jobs that may wait for one model.
    std::size_t max_waiting = 64;
    /// Models with a limit of their own.
    std::map<backends::ModelName, std::size_t> max_waiting_for;
    /// Those that are not like Tenant{}.
    std::map<std::string, Tenant> tenants;
    /// How long a job waits for a model that is being loaded.
    base::Duration longest_load_wait = std::chrono::seconds(60);
    /// How long a job waits in all before it is told to come again.
    base::Duration longest_wait = std::chrono::minutes(5);
    /// How many workers a job is given to, one after the other, while it does not begin. One that kills its worker
    /// before the worker's first event gets through looks like that too, and must not kill many.
    unsigned most_attempts = 2;
};

/// What one model has to do at the moment.
struct Load {
    backends::ModelName model;
    std::size_t running = 0;
    std::size_t waiting = 0;
};

class Dispatcher final : public backends::Backend {
public:
    /// All must outlive the dispatcher, which must outlive its Submissions.
    Dispatcher(Settings settings, const backends::Catalogue& catalogue, backends::Executor& executor,
               const base::Clock& clock);
    ~Dispatcher() override;

    std::unique_ptr<backends::Submission> submit(const backends::ModelName& model, backends::Job job,
                                                 backends::EventSink& sink) override;

    /// `model` takes jobs, at most `capacity` at a time, at `backend`, which stays usable until `on_not_ready` and
    /// until the jobs given to it have had their last event.
    void on_ready(const backends::ModelName& model, backends::Backend& backend, std::size_t capacity);
    /// No worker takes jobs for `model` now; the catalogue says why. Waiting jobs stay, unless it cannot be loaded at
    /// all.
    void on_not_ready(const backends::ModelName& model);
    /// To be called a few times a second: ends what has waited too long.
    void tick();

    /// From now on new jobs are refused; those that were accepted go on.
    void drain();
    /// No job waits or runs.
    bool idle() const { return jobs_.empty(); }

    /// Models that were ever ready or asked for, by name.
    std::vector<Load> load() const;
    /// Ids of the jobs of a model that evaluate something: those given to a worker, first the one that went first, then
    /// those that wait, in the order in which they would be served now.
    std::vector<std::string> line(const backends::ModelName& model) const;

private:
    using JobNumber = std::uint64_t;
    struct Entry;
    struct Model;
    class Ticket;

    std::size_t max_waiting(const Model& model) const;
    bool may_wait(const Entry& entry) const;
    void admit(Entry& entry);
    void wait(Entry& entry);
    void place(Model& model, Entry& entry);
    void fill(Model& model);
    void on_event(Entry& entry, backends::Event event);
    void set_begun(Entry& entry);
    void return_to_queue(Entry& entry);
    /// A place at the worker is free again.
    void release(Entry& entry);
    /// As `fill`, of each model that the end of a job of `entry`'s tenant concerns.
    void fill_after(const Entry& entry);
    static void settle(Entry& entry, double cost);
    static void set_left(Entry& entry, const WorkLeft& left);
    static std::chrono::seconds time_to_empty(const Model& model);
    /// Takes the job out of all books and gives its sink the last event.
    void end(JobNumber number, backends::Event last);
    void end_soon(JobNumber number, backends::Event last);
    void leave(JobNumber number);
    std::unique_ptr<Entry> take(JobNumber number);

    const Settings settings_;
    const backends::Catalogue& catalogue_;
    backends::Executor& executor_;
    const base::Clock& clock_;
    bool draining_ = false;
    JobNumber last_number_ = 0;
    Tenants tenants_;
    std::map<backends::ModelName, std::unique_ptr<Model>> models_;
    /// Of jobs for names that no model has: those are not kept, or clients could fill the table.
    const std::unique_ptr<Model> no_model_;
    std::unordered_map<JobNumber, std::unique_ptr<Entry>> jobs_;
    /// Lets work that was posted see that the dispatcher has ended.
    std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

}  // namespace gateway::dispatch
