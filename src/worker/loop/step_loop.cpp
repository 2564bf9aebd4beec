#include "worker/loop/step_loop.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>

#include "base/log.hpp"
#include "worker/engine/media_tokens.hpp"
#include "worker/loop/arrival.hpp"
#include "worker/loop/events.hpp"
#include "worker/loop/step_budget.hpp"

namespace worker::loop {

namespace contract = rpc::contract;
using engine::Decoded;

namespace {

// Of so many requests at a time the files are read: each may hold as much as all of a context.
constexpr std::size_t most_reading = 2;

// A prefix that another run is about to evaluate is worth waiting for from this many tokens on.
constexpr std::size_t worth_waiting_for = 16;

std::size_t sum(const std::vector<std::size_t>& plan) {
    return std::accumulate(plan.begin(), plan.end(), std::size_t{0});
}

}  // namespace

StepLoop::StepLoop(engine::TextEngine& engine, Cancellations& cancellations, const base::Clock& clock,
                   const LoopSettings& settings)
    : engine_(engine),
      cancellations_(cancellations),
      clock_(clock),
      endings_(cancellations, clock),
      embeddings_(engine.embedder(), cancellations, endings_, clock),
      memory_(engine, settings.archive),
      pinned_(engine, memory_),
      cost_(std::min(engine.limits().batch_tokens, engine.limits().slots + longest_draft)),
      pace_(cost_, engine.limits().batch_tokens, settings.gap),
      drafting_(engine, cost_, settings.speculation, settings.gap, clock),
      choosing_(clock, settings.sampling_helpers, settings.worth_helping) {}

StepLoop::~StepLoop() {
    memory_.save_for_next_start();
}

void StepLoop::add(TextOrder order) {
    const auto job = job_of(order, arrivals_++, engine_.limits());
    if (job->prompt_tokens >= engine_.limits().context_tokens) {
        endings_.fail(*job, too_long(*job, engine_.limits()));
        return;
    }
    for (auto& run : runs_of(std::move(order), job)) {
        line_.add(std::move(run), clock_.now());
    }
}

bool StepLoop::step() {
    drop_cancelled();
    const bool asked_all = admit();
    embeddings_.step(time_beside_answers());
    const bool idle = running_.empty();
    const bool more = idle && (embeddings_.jobs() > 0 || pinned_.next());
    if (asked_all) {
        memory_.forget_unwanted();
    }
    if (idle) {
        return more;
    }
    take_media_on();
    const auto begin = clock_.now();
    const auto planned = plan();
    if (sum(planned) == 0) {
        return true;  // all wait for media
    }
    const auto shape = shape_of(running_, planned);
    charge_generation(planned);
    // Beside prompts the step is bound by what it computes: a wrong guess costs as much as a prompt token.
    base::Duration drafting{};
    if (shape.prompt_tokens == 0) {
        drafting = draft(planned);
    }
    const bool done = evaluate(planned);
    remove_finished();
    measure(shape, done, clock_.now() - begin - drafting);
    return true;
}

// ---- who runs

void StepLoop::drop_cancelled() {
    const auto now = clock_.now();
    const auto check = [&](const Run& run) { endings_.fail_if_cancelled_or_late(*run.job, now); };
    std::ranges::for_each(running_, [&](const RunPointer& run) { check(*run); });
    line_.for_each(check);
    embeddings_.drop_cancelled_or_late();
    remove_finished();
}

// False when slots or cells ran out before all who wait were asked what they need.
bool StepLoop::admit() {
    while (running_.size() < engine_.limits().slots) {
        // Others need not wait for one that waits for a prefix, or for files.
        std::size_t reading = 0;
        const Run* next = line_.first(clock_.now(), [&](const Run& run) {
            if (must_wait_for_prefix(run) || reading == most_reading) {
                return false;
            }
            const bool complete = memory_.fetch(run.tokens, run.salt());
            reading += complete ? 0 : 1;
            return complete;
        });
        if (next == nullptr) {
            return true;
        }
        auto place = memory_.acquire(next->tokens, next->salt(), promised_cells());
        if (!place && running_.empty() && pinned_.give_way()) {
            // Where nobody is to be waited for, only what is pinned can be in the way.
            place = memory_.acquire(next->tokens, next->salt(), promised_cells());
        }
        if (!place) {
            return false;  // cells: who comes later does not overtake
        }
        start(line_.take(*next), *place);
    }
    return false;
}

// Some running answer has, still unevaluated, a longer common beginning with this one than any that is evaluated.
bool StepLoop::must_wait_for_prefix(const Run& run) const {
    if (!run.job->scoring_salt.empty() && !run.scores_prompt() && run.job->scored.size() < run.job->prompt_tokens) {
        return true;  // the echo is the first that is told
    }
    if (!engine_.limits().shares_prefixes) {
        return false;
    }
    const auto wanted = std::span(run.tokens).first(run.tokens.size() - 1);
    std::size_t coming = 0;
    for (const RunPointer& other : running_) {
        if (other->pending() > 1 && other->salt() == run.salt()) {
            coming = std::max(coming, prefix::common_prefix(other->tokens, wanted));
        }
    }
    coming = engine::without_part_of_media(run.tokens, coming);
    const auto shows_more_than = [&](std::size_t cached) {
        return coming > cached && engine::has_media(wanted.subspan(cached, coming - cached));
    };
    if (coming < worth_waiting_for && !shows_more_than(0)) {
        return false;
    }
    // To encode a picture takes long, however few tokens it becomes.
    const auto cached = memory_.cached(run.tokens, run.salt());
    return coming > cached + worth_waiting_for || shows_more_than(cached);
}

void StepLoop::start(RunPointer run, const Memory::Place& place) {
    run->sequence = place.sequence;
    run->evaluated = place.cached;
    run->last_checkpoint = place.cached;
    run->checkpoint = place.unshareable > 0 ? place.cached + place.unshareable : 0;
    JobInLoop& job = *run->job;
    if (!job.started) {
        const auto cached = std::min(place.cached, job.prompt_tokens);
        job.started = clock_.now();
        job.usage.set_cached_tokens(static_cast<std::uint32_t>(cached));
        auto& counters = endings_.counters();
        counters.set_prompt_tokens_cached(counters.prompt_tokens_cached() + cached);
        counters.set_prompt_tokens_unshareable(counters.prompt_tokens_unshareable() + place.unshareable);
        const auto restored = std::min(place.restored, cached);
        const auto from_disk = std::min(place.from_disk, restored);
        counters.set_prompt_tokens_from_memory(counters.prompt_tokens_from_memory() + restored - from_disk);
        counters.set_prompt_tokens_from_disk(counters.prompt_tokens_from_disk() + from_disk);
        job.sink->on_event(started(*job.started - job.arrived));
        if (job.echo && job.scoring_salt.empty()) {
            job.sink->on_event(prompt_echo(job));
        }
    }
    running_.push_back(std::move(run));
}

// What the running answers are known to need, and a little for each to grow.
std::size_t StepLoop::promised_cells() const {
    constexpr std::size_t growth = 16;
    std::size_t promised = 0;
    for (const RunPointer& run : running_) {
        promised += run->pending() + growth;
    }
    return promised;
}

// ---- one step

void StepLoop::charge_generation(const std::vector<std::size_t>& plan) {
    for (std::size_t slot = 0; slot < plan.size(); ++slot) {
        if (running_[slot]->is_generating()) {
            line_.charge_generated(*running_[slot], plan[slot]);
        }
    }
}

// Beside answers embeddings and media take about as long as a step of theirs; alone, as long as one that comes may wait.
base::Duration StepLoop::time_beside_answers() const {
    constexpr base::Duration longest = std::chrono::milliseconds(500);
    if (std::ranges::all_of(running_, [](const RunPointer& run) { return run->at_media(); })) {
        return longest;
    }
    const std::chrono::duration<double> usual(endings_.counters().step_seconds_average());
    return std::min(std::chrono::duration_cast<base::Duration>(usual), longest);
}

// Of models whose memory is a running state, what later prompts can begin with is only what was saved: where others
// were seen to part, at the end of a prompt, and now and then.
void StepLoop::take_checkpoint(Run& run) {
    constexpr std::size_t interval = 512;
    const bool due =
        run.evaluated == run.checkpoint || run.pending() == 0 || run.evaluated >= run.last_checkpoint + interval;
    if (run.generated == 0 && due && memory_.takes_checkpoints()) {
        run.last_checkpoint = run.evaluated;
        memory_.checkpoint(*run.sequence);
    }
}

bool StepLoop::preempt_youngest() {
    if (running_.size() < 2) {
        return false;
    }
    RunPointer run = std::move(running_.back());
    running_.pop_back();
    base::log::debug("preempted", {{"job", run->job->id}, {"tokens", run->tokens.size()}});
    endings_.counters().set_preemptions(endings_.counters().preemptions() + 1);
    memory_.release(*run->sequence);  // what of it need not be evaluated again is up to who makes room
    run->sequence.reset();
    run->evaluated = 0;
    line_.give_back(std::move(run));
    return true;
}

// Guesses may push kept prefixes out of memory, as the tokens they stand for would, but no answer.
base::Duration StepLoop::draft(const std::vector<std::size_t>& plan) {
    if (failures_for_room_ > 0) {
        return {};
    }
    const auto took = drafting_.draft(running_, plan);
    if (!memory_.make_room(sum(plan) + drafted_tokens())) {
        std::ranges::for_each(running_, [](const RunPointer& run) { run->draft = {}; });
    }
    return took;
}

std::size_t StepLoop::drafted_tokens() const {
    std::size_t tokens = 0;
    std::ranges::for_each(running_, [&](const RunPointer& run) { tokens += run->draft.tokens.size(); });
    return tokens;
}

bool StepLoop::evaluate(const std::vector<std::size_t>& plan) {
    batch_.clear();
    std::set<std::string, std::less<>> jobs;
    for (std::size_t slot = 0; slot < plan.size(); ++slot) {
        const Run& run = *running_[slot];
        for (std::size_t offset = 0; offset < plan[slot]; ++offset) {
            const auto position = run.evaluated + offset;
            batch_.push_back({.token = run.tokens[position],
                              .sequence = *run.sequence,
                              .position = static_cast<std::int32_t>(position),
                              .output = position + 1 == run.tokens.size() ||
                                        (run.is_scoring() && position + 1 < run.job->prompt_tokens)});
        }
        for (std::size_t offset = 0; offset < run.draft.tokens.size(); ++offset) {
            batch_.push_back({.token = run.draft.tokens[offset],
                              .sequence = *run.sequence,
                              .position = static_cast<std::int32_t>(run.tokens.size() + offset),
                              .output = true});
        }
        if (plan[slot] > 0) {
            jobs.insert(run.job->id);
            engine_.use(run.job->adapters);
        }
    }
    cancellations_.step_begins(std::move(jobs));
    const auto decoded = engine_.decode(batch_, cancellations_.abort());
    cancellations_.step_ends();
    if (decoded == Decoded::done) {
        failures_for_room_ = 0;
        advance(plan);
        return true;
    }
    roll_back(plan);
    if (decoded == Decoded::aborted) {
        return false;
    }
    if (decoded == Decoded::no_room && make_more_room()) {
        return false;
    }
    base::log::error("a step of the engine failed", {{"tokens", batch_.size()}, {"answers", running_.size()}});
    for (std::size_t slot = 0; slot < plan.size() && slot < running_.size(); ++slot) {
        if (plan[slot] > 0) {
            endings_.fail(*running_[slot]->job, engine_failed());
        }
    }
    return false;
}

// Memory that the books say is free can be refused by engines with further pools; fewer runs need less.
bool StepLoop::make_more_room() {
    if (failures_for_room_++ > 0 && !preempt_youngest()) {
        return false;
    }
    memory_.make_room(engine_.limits().cells);  // all that is idle
    return true;
}

void StepLoop::roll_back(const std::vector<std::size_t>& plan) {
    for (std::size_t slot = 0; slot < plan.size(); ++slot) {
        if (plan[slot] > 0) {
            Run& run = *running_[slot];
            run.draft = {};
            run.evaluated = memory_.roll_back(*run.sequence, run.evaluated);
        }
    }
}

void StepLoop::advance(const std::vector<std::size_t>& plan) {
    std::vector<Due> due;
    std::size_t batch_index = 0;
    for (std::size_t slot = 0; slot < plan.size(); ++slot) {
        Run& run = *running_[slot];
        if (plan[slot] == 0) {
            continue;
        }
        score_prompt(run, batch_index, plan[slot]);
        batch_index += plan[slot];
        note_evaluated(run, plan[slot]);
        if (run.pending() == 0 && !run.job->ended) {
            due.push_back({.run = run, .first_output = batch_index - 1});
        }
        batch_index += run.draft.tokens.size();
    }
    auto progresses = choosing_.take_on_all(due, engine_.limits().context_tokens);
    for (std::size_t index = 0; index < due.size(); ++index) {
        settle(due[index].run, std::move(progresses[index]));
    }
}

// What was scored before the run lost its memory is not scored again.
void StepLoop::score_prompt(Run& run, std::size_t first_output, std::size_t tokens) {
    JobInLoop& job = *run.job;
    if (!run.is_scoring() || job.ended) {
        return;
    }
    try {
        if (job.scored.empty()) {
            job.scored.push_back(run.answer->describe(first_output, run.tokens.front(), 0));
            job.scored.front().clear_logprob();
        }
        for (std::size_t offset = 0; offset < tokens; ++offset) {
            const std::size_t scored = run.evaluated + offset + 1;
            if (scored == job.scored.size() && scored < job.prompt_tokens) {
                job.scored.push_back(run.answer->describe(first_output + offset, run.tokens[scored], job.top_logprobs));
            }
        }
    } catch (const std::exception& problem) {
        base::log::error("scoring a prompt failed", {{"job", job.id}, {"problem", problem.what()}});
        endings_.fail(job, engine_failed());
        return;
    }
    if (job.scored.size() == job.prompt_tokens) {
        job.sink->on_event(prompt_echo(job));
    }
}

// The books follow the engine: a draft too is in its memory now.
void StepLoop::note_evaluated(Run& run, std::size_t tokens) {
    memory_.append(*run.sequence, std::span(run.tokens).subspan(run.evaluated, tokens));
    memory_.append(*run.sequence, run.draft.tokens);
    const auto prompt_before = std::min(run.evaluated, run.job->prompt_tokens);
    run.evaluated += tokens;
    take_checkpoint(run);
    const auto prompt_now = std::min(run.evaluated, run.job->prompt_tokens);
    endings_.counters().set_prompt_tokens_evaluated(endings_.counters().prompt_tokens_evaluated() + prompt_now -
                                                    prompt_before);
    if (run.job->report_prompt_progress && run.choice == 0 && run.generated == 0 && !run.job->ended) {
        run.job->sink->on_event(prompt_progress(run));
    }
}

void StepLoop::settle(Run& run, Progress progress) {
    JobInLoop& job = *run.job;
    if (!run.draft.tokens.empty()) {
        drafting_.count(run, progress.accepted);
        line_.charge_generated(run, run.draft.tokens.size());
        run.draft = {};
        run.evaluated = memory_.roll_back(*run.sequence, run.evaluated + progress.accepted);
    }
    if (job.ended) {
        return;
    }
    if (progress.tokens > 0) {
        job.last_token = clock_.now();
        job.first_token = job.first_token.value_or(job.last_token);
        job.usage.set_completion_tokens(job.usage.completion_tokens() + progress.tokens);
        job.usage.set_reasoning_tokens(job.usage.reasoning_tokens() + progress.reasoning_tokens);
        endings_.counters().set_tokens_generated(endings_.counters().tokens_generated() + progress.tokens);
    }
    for (rpc::Event& event : progress.events) {
        job.sink->on_event(std::move(event));
    }
    if (progress.failure) {
        endings_.fail(job, *progress.failure);
    } else if (progress.finished && --job.unfinished_answers == 0) {
        endings_.finish(job);
    }
}

// ---- who leaves

void StepLoop::remove_finished() {
    std::erase_if(running_, [this](const RunPointer& run) {
        const bool over = run->finished || run->job->ended;
        if (over) {
            memory_.release(*run->sequence);
        }
        return over;
    });
    line_.remove_ended();
}

// ---- numbers

void StepLoop::measure(StepShape shape, bool done, base::Duration took) {
    shape.drafted = batch_.size() - shape.generating - shape.prompt_tokens;
    if (done) {
        cost_.observe(shape, took);
        pace_.observe(shape);
        if (const auto depth = cost_.depth_of_double_cost()) {
            memory_.tell_depth_of_double_cost(*depth);
        }
    }
    const double average = endings_.counters().step_seconds_average();
    const double seconds = base::seconds(took);
    endings_.counters().set_step_seconds_average(average == 0 ? seconds : 0.9 * average + 0.1 * seconds);
}

contract::StatisticsReply StepLoop::statistics() const {
    std::set<const JobInLoop*> running;
    for (const RunPointer& run : running_) {
        running.insert(run->job.get());
    }
    std::set<const JobInLoop*> waiting;
    line_.for_each([&](const Run& run) {
        if (!running.contains(run.job.get())) {
            waiting.insert(run.job.get());
        }
    });
    auto reply = endings_.counters();
    drafting_.report(reply);
    reply.set_running_jobs(static_cast<std::uint32_t>(running.size()));
    reply.set_waiting_jobs(static_cast<std::uint32_t>(waiting.size() + embeddings_.jobs()));
    reply.set_slots(static_cast<std::uint32_t>(engine_.limits().slots));
    reply.set_slots_busy(static_cast<std::uint32_t>(running_.size()));
    memory_.describe(reply);
    return reply;
}

}  // namespace worker::loop
