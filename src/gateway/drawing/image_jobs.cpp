#include "gateway/drawing/image_jobs.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

namespace gateway::drawing {

namespace engine = llm_gateway::engine::v1;
using backends::Event;

namespace {

constexpr std::size_t most_ended = 100;
/// Enough for who watches; each costs the worker a small PNG.
constexpr std::uint32_t previews_for_watchers = 4;
constexpr std::uint32_t least_steps_with_previews = 8;

Event cancelled_event() {
    Event event;
    event.mutable_failed()->set_code(engine::CANCELLED);
    event.mutable_failed()->set_message("The job was cancelled.");
    return event;
}

State state_after(const Event& last) {
    if (last.has_finished())
        return State::finished;
    return last.failed().code() == engine::CANCELLED ? State::cancelled : State::failed;
}

}  // namespace

/// A job from `submit` to its last event.
struct ImageJobs::Entry final : backends::EventSink {
    Entry(ImageJobs& the_jobs, JobNumber the_number, EventSink& the_sink)
        : jobs(the_jobs), number(the_number), sink(the_sink) {}

    void on_event(Event event) override { jobs.on_event(*this, std::move(event)); }

    ImageJobs& jobs;
    const JobNumber number;
    EventSink& sink;
    JobStatus status;
    /// Of an image job; an upscale job has tiles for steps, and nobody knows how many before the first.
    std::optional<PictureShape> shape;
    /// Mean of the steps of this job.
    std::optional<double> step_seconds;
    std::uint32_t steps_seen = 0;
    /// When it was last heard of.
    base::TimePoint heard;
    /// Number of the picture that is drawn.
    std::uint32_t picture = 0;
    std::optional<std::size_t> told_position;
    std::unique_ptr<backends::Submission> submission;
};

class ImageJobs::Ticket final : public backends::Submission {
public:
    Ticket(ImageJobs& jobs, JobNumber number) : jobs_(jobs), number_(number) {}
    ~Ticket() override { jobs_.leave(number_); }

private:
    ImageJobs& jobs_;
    const JobNumber number_;
};

ImageJobs::ImageJobs(backends::Backend& inner, const backends::Catalogue& catalogue, const base::Clock& clock,
                     Line line)
    : inner_(inner), catalogue_(catalogue), clock_(clock), line_(std::move(line)) {}

ImageJobs::~ImageJobs() = default;

std::unique_ptr<backends::Submission> ImageJobs::submit(const backends::ModelName& model, backends::Job job,
                                                        backends::EventSink& sink) {
    if (!job.has_image() && !job.has_upscale())
        return inner_.submit(model, std::move(job), sink);
    const JobNumber number = ++last_number_;
    Entry& entry = *active_.emplace(number, std::make_unique<Entry>(*this, number, sink)).first->second;
    entry.heard = clock_.now();
    entry.status = {.id = job.id(),
                    .owner = job.tenant(),
                    .model = model,
                    .created = std::chrono::system_clock::now(),
                    .pictures = std::max(job.image().count(), 1U)};
    if (job.has_image()) {
        const auto known = catalogue_.find(model);
        const bool drawn_here = known && known->facts && known->facts->has_image();
        entry.shape = shape_of(job.image(), drawn_here ? &known->facts->image() : nullptr);
        entry.status.steps = entry.shape->steps;
        if (job.image().preview_interval() == 0 && !job.image().has_seed() &&
            entry.shape->steps >= least_steps_with_previews)
            job.mutable_image()->set_preview_interval(entry.shape->steps / previews_for_watchers);
    }
    auto submission = inner_.submit(model, std::move(job), entry);
    entry.submission = std::move(submission);
    return std::make_unique<Ticket>(*this, number);
}

void ImageJobs::on_event(Entry& entry, Event event) {
    JobStatus& status = entry.status;
    switch (event.event_case()) {
        case Event::kQueued: entry.told_position = event.queued().position(); break;
        case Event::kStarted:
            status.state = State::running;
            entry.heard = clock_.now();
            break;
        case Event::kImageProgress: on_progress(entry, event.image_progress()); break;
        case Event::kImagePreview:
            status.preview = std::make_shared<const std::string>(event.image_preview().data());
            break;
        case Event::kImageDone:
            // Its file is made beside the first steps of the next one, which may be told before it.
            ++status.pictures_done;
            if (entry.picture <= event.image_done().image()) {
                entry.picture = event.image_done().image() + 1;
                status.step = 0;
                status.preview.reset();
                entry.heard = clock_.now();
            }
            break;
        case Event::kFinished:
            // A picture that was only repeated tells nothing about the next one.
            if (entry.shape && entry.steps_seen > 0)
                times_[status.model].add_job(*entry.shape, event.finished().timings(), status.pictures);
            return end(entry.number, State::finished, {}, std::move(event));
        case Event::kFailed: {
            if (event.failed().code() == engine::BUSY)
                if (const auto seconds = seconds_to_next_end(status.model))
                    event.mutable_failed()->set_retry_after_seconds(std::max(std::ceil(*seconds), 1.0));
            const State state = state_after(event);
            std::string problem =
                event.failed().code() == engine::INTERNAL ? "The worker failed." : event.failed().message();
            return end(entry.number, state, std::move(problem), std::move(event));
        }
        default: break;
    }
    const bool line_moved = event.has_started();
    const backends::ModelName model = status.model;
    entry.sink.on_event(std::move(event));  // may end `entry`
    if (line_moved)
        tell_positions(model);
}

void ImageJobs::on_progress(Entry& entry, const engine::ImageProgress& progress) {
    JobStatus& status = entry.status;
    status.state = State::running;
    if (progress.image() != entry.picture)
        status.preview.reset();
    entry.picture = progress.image();
    status.step = progress.step();
    status.steps = progress.steps();
    entry.heard = clock_.now();
    const double seconds = progress.step_seconds();
    ++entry.steps_seen;
    const double mean = entry.step_seconds.value_or(0);
    entry.step_seconds = mean + (seconds - mean) / entry.steps_seen;
    if (entry.shape)
        times_[status.model].add_step(*entry.shape, seconds);
}

void ImageJobs::end(JobNumber number, State state, std::string problem, std::optional<Event> last) {
    auto node = active_.extract(number);
    if (!node)
        return;
    const std::unique_ptr<Entry> entry = std::move(node.mapped());
    entry->submission.reset();
    JobStatus& status = entry->status;
    if (state == State::finished) {
        status.progress = 1;
        status.step = status.steps;
    } else {
        status.progress = status_of(*entry).progress;
    }
    status.state = state;
    status.problem = std::move(problem);
    status.position = 0;
    status.predicted_seconds = 0;
    status.preview.reset();
    const backends::ModelName model = status.model;
    ended_.push_back(std::move(status));
    if (ended_.size() > most_ended)
        ended_.pop_front();
    if (last)
        entry->sink.on_event(*std::move(last));
    tell_positions(model);
}

void ImageJobs::leave(JobNumber number) {
    end(number, State::cancelled, {}, std::nullopt);
}

Cancelling ImageJobs::cancel(std::string_view owner, std::string_view id) {
    for (const auto& [number, entry] : active_)
        if (entry->status.id == id && entry->status.owner == owner) {
            end(number, State::cancelled, {}, cancelled_event());
            return Cancelling::done;
        }
    return find(owner, id) ? Cancelling::had_ended : Cancelling::unknown;
}

void ImageJobs::tell_positions(const backends::ModelName& model) {
    std::map<std::string, JobNumber, std::less<>> waiting;
    for (const auto& [number, entry] : active_)
        if (entry->status.model == model && entry->status.state == State::queued && entry->told_position)
            waiting.emplace(entry->status.id, number);
    if (waiting.empty())
        return;
    const std::vector<std::string> line = line_(model);
    for (std::size_t position = 0; position < line.size(); ++position) {
        const auto number = waiting.find(line[position]);
        // What a sink hears may end a job.
        const auto found = number == waiting.end() ? active_.end() : active_.find(number->second);
        if (found == active_.end() || found->second->told_position == position)
            continue;
        found->second->told_position = position;
        Event event;
        event.mutable_queued()->set_position(static_cast<std::uint32_t>(position));
        found->second->sink.on_event(std::move(event));
    }
}

std::optional<double> ImageJobs::seconds_left(const Entry& entry) const {
    static const StepTimes nothing;
    const auto learnt = times_.find(entry.status.model);
    const StepTimes& times = learnt == times_.end() ? nothing : learnt->second;
    const JobStatus& status = entry.status;
    // Steps of two passes differ: those that are done tell little about the others.
    const bool alike = !entry.shape || entry.shape->second_pixels == 0;
    auto step = alike ? entry.step_seconds : std::nullopt;
    if (!step && entry.shape)
        step = times.step_seconds(*entry.shape);
    if (!step)
        step = entry.step_seconds;
    if (!step || status.steps == 0)
        return std::nullopt;
    const double before = entry.shape ? times.before_steps(*entry.shape) : 0;
    const double after = entry.shape ? times.after_steps(*entry.shape) : 0;
    const double whole = before + status.steps * *step + after;
    const std::uint32_t pictures_left = status.pictures - std::min(status.pictures, entry.picture);
    double left = pictures_left * whole;
    if (status.state == State::running && pictures_left > 0) {
        const std::uint32_t done = std::min(status.step, status.steps);
        // What is under way has taken a while already, but no more than it usually takes: then it is simply late.
        const double under_way = (done == 0 ? before : 0) + (done < status.steps ? *step : after);
        left -= (done > 0 ? before : 0) + done * *step;
        left -= std::min(base::seconds(clock_.now() - entry.heard), under_way);
    }
    return std::max(left, 0.0);
}

ImageJobs::Ahead ImageJobs::ahead_of(const Entry& entry) const {
    std::unordered_map<std::string_view, const Entry*> by_id;
    for (const auto& [number, other] : active_)
        by_id.emplace(other->status.id, other.get());
    Ahead ahead;
    for (const std::string& id : line_(entry.status.model)) {
        if (id == entry.status.id)
            break;
        ++ahead.jobs;
        const auto other = by_id.find(id);
        const auto seconds = other == by_id.end() ? std::nullopt : seconds_left(*other->second);
        ahead.seconds = ahead.seconds && seconds ? std::optional(*ahead.seconds + *seconds) : std::nullopt;
    }
    return ahead;
}

std::optional<double> ImageJobs::seconds_to_next_end(const backends::ModelName& model) const {
    std::optional<double> soonest;
    for (const auto& [number, entry] : active_)
        if (entry->status.model == model && entry->status.state == State::running)
            if (const auto seconds = seconds_left(*entry); seconds && (!soonest || *seconds < *soonest))
                soonest = seconds;
    return soonest;
}

JobStatus ImageJobs::status_of(const Entry& entry) const {
    JobStatus status = entry.status;
    const Ahead ahead = status.state == State::queued ? ahead_of(entry) : Ahead{};
    status.position = ahead.jobs;
    const auto own = seconds_left(entry);
    if (ahead.seconds && own)
        status.predicted_seconds = *ahead.seconds + *own;
    const double pictures = entry.picture + (status.steps > 0 ? static_cast<double>(status.step) / status.steps : 0);
    status.progress = std::clamp(pictures / status.pictures, 0.0, 1.0);
    return status;
}

std::vector<JobStatus> ImageJobs::list(std::string_view owner) const {
    std::vector<JobStatus> jobs;
    for (const JobStatus& each : ended_)
        if (each.owner == owner)
            jobs.push_back(each);
    for (const auto& [number, entry] : active_)
        if (entry->status.owner == owner)
            jobs.push_back(status_of(*entry));
    return jobs;
}

std::optional<JobStatus> ImageJobs::find(std::string_view owner, std::string_view id) const {
    for (const auto& [number, entry] : active_)
        if (entry->status.owner == owner && entry->status.id == id)
            return status_of(*entry);
    const auto ended =
        std::ranges::find_if(ended_, [&](const JobStatus& each) { return each.owner == owner && each.id == id; });
    return ended == ended_.end() ? std::nullopt : std::optional(*ended);
}

}  // namespace gateway::drawing
