#include "scripted/scripted_runner.hpp"

#include <algorithm>
#include <csignal>

namespace scripted {

using contract::Event;

ScriptedRunner::ScriptedRunner(Kind kind, std::string model)
    : kind_(kind), model_(std::move(model)), thread_([this](std::stop_token stop) { run(std::move(stop)); }) {}

ScriptedRunner::~ScriptedRunner() = default;

void ScriptedRunner::start(contract::Job job, std::shared_ptr<worker::rpc::EventSink> sink) {
    const auto now = std::chrono::steady_clock::now();
    auto playing = std::make_shared<Playing>(
        Playing{.steps = script_of(job), .sink = std::move(sink), .arrived = now, .due = now});
    if (play(*playing)) {
        return;
    }
    const std::lock_guard lock(mutex_);
    playing_.emplace(job.id(), std::move(playing));
    changed_.notify_all();
}

bool ScriptedRunner::cancel(std::string_view id) {
    const std::lock_guard lock(mutex_);
    const auto found = playing_.find(id);
    if (found == playing_.end() || found->second->hanging) {
        return false;
    }
    found->second->cancelled = true;
    found->second->due = {};
    changed_.notify_all();
    return true;
}

void ScriptedRunner::emit(Playing& playing, Event event) {
    if (event.has_finished()) {
        const double total = base::seconds(std::chrono::steady_clock::now() - playing.arrived);
        event.mutable_finished()->mutable_timings()->set_total_seconds(total);
        event.mutable_finished()->mutable_timings()->set_generation_seconds(total);
    }
    {
        const std::lock_guard lock(mutex_);
        statistics_.set_finished_jobs(statistics_.finished_jobs() + (event.has_finished() ? 1 : 0));
        statistics_.set_failed_jobs(statistics_.failed_jobs() + (event.has_failed() ? 1 : 0));
        statistics_.set_tokens_generated(statistics_.tokens_generated() + (event.has_text() ? 1 : 0));
        statistics_.set_images_done(statistics_.images_done() + (event.has_image_done() ? 1 : 0));
        statistics_.set_image_steps(statistics_.image_steps() + (event.has_image_progress() ? 1 : 0));
        if (event.has_finished()) {
            statistics_.set_prompt_tokens_evaluated(statistics_.prompt_tokens_evaluated() +
                                                    event.finished().usage().prompt_tokens());
        }
    }
    ++steps_;
    playing.sink->on_event(std::move(event));
}

bool ScriptedRunner::play(Playing& playing) {
    const auto now = std::chrono::steady_clock::now();
    while (playing.next < playing.steps.size()) {
        Step& step = playing.steps[playing.next];
        if (step.wait.count() > 0) {
            playing.due = std::max(playing.due, now) + std::exchange(step.wait, {});
            return false;
        }
        if (playing.due > now) {
            return false;
        }
        if (std::holds_alternative<Crash>(step.action)) {
            std::raise(SIGKILL);
        }
        if (std::holds_alternative<Hang>(step.action)) {
            playing.hanging = true;
            hanging_ = true;
            return false;
        }
        ++playing.next;
        emit(playing, std::move(std::get<Event>(step.action)));
    }
    return true;
}

void ScriptedRunner::run(std::stop_token stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
        auto next = playing_.end();
        for (auto each = playing_.begin(); each != playing_.end(); ++each) {
            if (!each->second->hanging && (next == playing_.end() || each->second->due < next->second->due)) {
                next = each;
            }
        }
        if (next == playing_.end()) {
            changed_.wait(lock, stop, [this] {
                return std::ranges::any_of(playing_, [](const auto& each) { return !each.second->hanging; });
            });
            continue;
        }
        const auto playing = next->second;
        if (playing->due > std::chrono::steady_clock::now()) {
            // Woken early by a new job or a cancel, which may be due before this one.
            changed_.wait_until(lock, stop, playing->due, [&, due = playing->due, count = playing_.size()] {
                return playing->due != due || playing_.size() != count ||
                       std::ranges::any_of(playing_, [](const auto& each) { return each.second->cancelled; });
            });
            continue;
        }
        const std::string id = next->first;
        const bool cancelled = playing->cancelled;
        lock.unlock();
        bool over = cancelled;
        if (cancelled) {
            emit(*playing, worker::rpc::failed(contract::CANCELLED, "The job was cancelled."));
        } else {
            over = play(*playing);
        }
        lock.lock();
        if (over) {
            playing_.erase(id);
        }
    }
}

contract::HealthReply ScriptedRunner::health() const {
    while (hanging_) {
        std::this_thread::sleep_for(std::chrono::hours(1));
    }
    contract::HealthReply reply;
    reply.set_steps(steps_);
    const std::lock_guard lock(mutex_);
    reply.set_busy(!playing_.empty());
    return reply;
}

contract::StatisticsReply ScriptedRunner::statistics() const {
    const std::lock_guard lock(mutex_);
    auto reply = statistics_;
    reply.set_running_jobs(static_cast<std::uint32_t>(playing_.size()));
    reply.set_slots(64);
    reply.set_slots_busy(reply.running_jobs());
    if (kind_ == Kind::text) {
        // Text workers name their sources of guesses and their caches, used or not.
        reply.add_drafts()->set_source("lookup");
        reply.add_caches()->set_name("grammar");
    }
    return reply;
}

contract::ModelFacts ScriptedRunner::facts() const {
    contract::ModelFacts facts;
    facts.set_architecture("scripted");
    facts.set_description("Answers by script, for tests: " + model_);
    facts.set_kernel("none");
    facts.set_kernel_reason("nothing is computed");
    facts.set_threads(1);
    facts.set_engine_version("scripted");
    if (kind_ == Kind::text) {
        auto& text = *facts.mutable_text();
        text.set_context_tokens(4096);
        text.set_trained_context_tokens(4096);
        text.set_vocabulary(1000);
        text.set_embedding_size(8);
        text.set_chat_template(true);
        text.set_tools(true);
        text.set_reasoning(true);
        text.set_embeddings(true);
        text.set_fill_in(true);
        text.set_slots(64);
    } else {
        auto& image = *facts.mutable_image();
        image.set_family("scripted");
        image.set_default_width(64);
        image.set_default_height(64);
        image.set_max_width(2048);
        image.set_max_height(2048);
        image.set_size_multiple(8);
        image.set_default_steps(4);
        image.set_default_cfg_scale(7);
        image.set_default_sampler("euler");
        image.set_default_scheduler("discrete");
        image.add_samplers("euler");
        image.add_samplers("euler_a");
        image.add_schedulers("discrete");
        image.add_schedulers("karras");
        image.set_inpainting(true);
        image.set_upscaling(true);
        image.set_upscale_factor(2);
        image.set_drawing(true);
        image.set_max_reference_images(4);
        image.set_control_image(true);
        image.set_max_steps(200);
        image.set_max_count(16);
        image.set_distilled_guidance(true);
        image.add_step_caches("spectrum");
        image.add_hires_upscalers("latent");
        image.add_preview_kinds(llm_gateway::engine::v1::PREVIEW_PROJECTION);
    }
    return facts;
}

}  // namespace scripted
