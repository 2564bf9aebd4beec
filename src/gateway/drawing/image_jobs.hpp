#pragma once

/// The image jobs under way and those that ended lately: how far each is, how long it will take, and how to stop it.
///
/// A Backend around the one that runs the jobs; every image and upscale job passes it, so what it knows is what there is.
/// Other jobs go through untouched. Clients see their own jobs alone: an owner is a job's tenant.
///
///   * A job that waits hears of each change of its position, as a further event `queued`.
///   * A refusal because of a full queue says when the next place will be free, once that can be predicted.
///   * A job of many steps that asks for no previews gets a few, for who looks at it here; not one with a seed, which a
///     worker may have drawn before and answers without drawing, unless it is to show how.
///
/// All on the gateway's thread.

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "gateway/backends/backend.hpp"
#include "gateway/backends/catalogue.hpp"
#include "gateway/drawing/step_times.hpp"

namespace gateway::drawing {

enum class State { queued, running, finished, failed, cancelled };

/// One job at one moment.
struct JobStatus {
    std::string id;
    std::string owner;
    backends::ModelName model;
    State state = State::queued;
    std::chrono::system_clock::time_point created;
    /// Jobs that run before it.
    std::size_t position = 0;
    std::uint32_t pictures = 1;
    std::uint32_t pictures_done = 0;
    /// Of the picture that is drawn; `steps` is 0 until it is known.
    std::uint32_t step = 0;
    std::uint32_t steps = 0;
    /// Of all its steps, 0 to 1.
    double progress = 0;
    /// Until its last picture is there; nothing while nothing is known about the model's speed, and 0 after the end.
    std::optional<double> predicted_seconds;
    /// The newest unfinished picture, a PNG; null: there is none. Not kept after the end.
    std::shared_ptr<const std::string> preview;
    /// Why it failed, in words for the caller.
    std::string problem;

    bool ended() const { return state != State::queued && state != State::running; }
};

enum class Cancelling { done, had_ended, unknown };

class ImageJobs final : public backends::Backend {
public:
    /// Ids of the jobs of a model in the order of service: those that run, then those that wait.
    using Line = std::function<std::vector<std::string>(const backends::ModelName&)>;

    /// All must outlive this, which must outlive its Submissions.
    ImageJobs(backends::Backend& inner, const backends::Catalogue& catalogue, const base::Clock& clock, Line line);
    ~ImageJobs() override;

    std::unique_ptr<backends::Submission> submit(const backends::ModelName& model, backends::Job job,
                                                 backends::EventSink& sink) override;

    /// In the order of their arrival; those that ended are there for a while.
    std::vector<JobStatus> list(std::string_view owner) const;
    std::optional<JobStatus> find(std::string_view owner, std::string_view id) const;
    /// The job's sink hears `failed` with CANCELLED; the engine stops within one step.
    Cancelling cancel(std::string_view owner, std::string_view id);

private:
    using JobNumber = std::uint64_t;
    struct Entry;
    class Ticket;
    struct Ahead {
        std::size_t jobs = 0;
        std::optional<double> seconds = 0;
    };

    void on_event(Entry& entry, backends::Event event);
    void on_progress(Entry& entry, const llm_gateway::engine::v1::ImageProgress& progress);
    void end(JobNumber number, State state, std::string problem, std::optional<backends::Event> last);
    void leave(JobNumber number);
    void tell_positions(const backends::ModelName& model);
    /// Of the job itself, without those before it.
    std::optional<double> seconds_left(const Entry& entry) const;
    Ahead ahead_of(const Entry& entry) const;
    std::optional<double> seconds_to_next_end(const backends::ModelName& model) const;
    JobStatus status_of(const Entry& entry) const;

    backends::Backend& inner_;
    const backends::Catalogue& catalogue_;
    const base::Clock& clock_;
    const Line line_;
    JobNumber last_number_ = 0;
    std::map<backends::ModelName, StepTimes> times_;
    std::map<JobNumber, std::unique_ptr<Entry>> active_;
    std::deque<JobStatus> ended_;
};

}  // namespace gateway::drawing
