#include "gateway/observe/fleet_metrics.hpp"

#include <unistd.h>

#include <tuple>
#include <utility>

namespace gateway::observe {
namespace {

constexpr base::Duration sample_interval = std::chrono::seconds(5);

void write_memory(metrics::Samples& samples, std::string_view name, metrics::Labels labels,
                  const metrics::ProcessUsage& usage) {
    constexpr std::string_view help =
        "Memory in RAM: anonymous is the process's own, mapped are files such as weights, which the kernel can drop.";
    labels.emplace_back("kind", "anonymous");
    samples.gauge(name, help, labels, static_cast<double>(usage.anonymous_bytes));
    labels.back().second = "mapped";
    samples.gauge(name, help, labels, static_cast<double>(usage.mapped_bytes + usage.shared_bytes));
}

void write_cache(metrics::Samples& samples, metrics::Labels labels,
                 const llm_gateway::engine::v1::CacheStatistics& cache) {
    labels.emplace_back("cache", cache.name());
    samples.gauge("worker_cache_bytes", "Memory of what was worked out for requests and is kept for others.", labels,
                  static_cast<double>(cache.bytes()));
    samples.gauge("worker_cache_limit_bytes", "Bound of worker_cache_bytes.", labels,
                  static_cast<double>(cache.limit_bytes()));
    for (const auto& [outcome, count] : {std::pair{"hit", cache.hits()}, std::pair{"miss", cache.misses()}}) {
        metrics::Labels with_outcome = labels;
        with_outcome.emplace_back("outcome", outcome);
        samples.counter("worker_cache_lookups_total", "Times something was looked for there.", with_outcome,
                        static_cast<double>(count));
    }
}

void write_statistics(metrics::Samples& samples, const metrics::Labels& labels, const fleet::WorkerSnapshot& worker) {
    const auto& statistics = *worker.statistics;
    for (const auto& [outcome, count] :
         {std::pair{"finished", statistics.finished_jobs()}, std::pair{"failed", statistics.failed_jobs()},
          std::pair{"cancelled", statistics.cancelled_jobs()}}) {
        metrics::Labels with_outcome = labels;
        with_outcome.emplace_back("outcome", outcome);
        samples.counter("worker_jobs_total", "Jobs that ended, since the worker's start.", with_outcome,
                        static_cast<double>(count));
    }
    const auto counter = [&](std::string_view name, std::string_view help, auto value) {
        samples.counter(name, help, labels, static_cast<double>(value));
    };
    const auto gauge = [&](std::string_view name, std::string_view help, auto value) {
        samples.gauge(name, help, labels, static_cast<double>(value));
    };
    gauge("worker_jobs_running", "Jobs the worker computes.", statistics.running_jobs());
    gauge("worker_jobs_waiting", "Jobs that wait in the worker.", statistics.waiting_jobs());
    gauge("worker_slots", "Jobs the worker can compute together.", statistics.slots());
    gauge("worker_slots_busy", "Slots in use.", statistics.slots_busy());
    for (const auto& cache : statistics.caches()) {
        write_cache(samples, labels, cache);
    }
    if (worker.kind == backends::ModelKind::text) {
        counter("worker_prompt_tokens_evaluated_total", "Prompt tokens computed.",
                statistics.prompt_tokens_evaluated());
        const auto saved = statistics.prompt_tokens_from_memory() + statistics.prompt_tokens_from_disk();
        for (const auto& [tier, tokens] : {std::pair{"cells", statistics.prompt_tokens_cached() - saved},
                                           std::pair{"memory", statistics.prompt_tokens_from_memory()},
                                           std::pair{"disk", statistics.prompt_tokens_from_disk()}}) {
            metrics::Labels with_tier = labels;
            with_tier.emplace_back("tier", tier);
            samples.counter("worker_prefix_hit_tokens_total",
                            "Prompt tokens taken from earlier work: in context memory, or saved outside of it.",
                            with_tier, static_cast<double>(tokens));
        }
        counter("worker_prefix_unshareable_tokens_total",
                "Prompt tokens computed again because this kind of model cannot share them.",
                statistics.prompt_tokens_unshareable());
        counter("worker_kv_tokens_evicted_total", "Tokens that left the context memory to make room.",
                statistics.kv_tokens_evicted());
        counter("worker_kv_preemptions_total", "Answers that gave up their context memory for others, to go on later.",
                statistics.preemptions());
        gauge("worker_kv_cells_pinned", "Tokens of pinned prompts in the context memory.",
              statistics.kv_cells_pinned());
        for (const auto& [tier, bytes, limit] :
             {std::tuple{"memory", statistics.saved_memory_bytes(), statistics.saved_memory_limit_bytes()},
              std::tuple{"disk", statistics.saved_disk_bytes(), statistics.saved_disk_limit_bytes()}}) {
            metrics::Labels with_tier = labels;
            with_tier.emplace_back("tier", tier);
            samples.gauge("worker_prefix_cache_bytes", "Evaluated prompts saved outside the context memory.", with_tier,
                          static_cast<double>(bytes));
            samples.gauge("worker_prefix_cache_limit_bytes", "Bound of worker_prefix_cache_bytes.", with_tier,
                          static_cast<double>(limit));
        }
        counter("worker_prefix_cache_written_bytes_total", "Saved out of the context memory.",
                statistics.saved_bytes_written());
        counter("worker_prefix_cache_read_bytes_total", "Put back into the context memory.",
                statistics.saved_bytes_read());
        counter("worker_checkpoints_saved_total",
                "States saved for later prompts, of models whose memory can only be kept whole.",
                statistics.checkpoints_saved());
        counter("worker_checkpoints_restored_total", "Prompts that began with such a state.",
                statistics.checkpoints_restored());
        gauge("worker_draft_kv_cells", "Tokens the draft model's memory can hold; 0 without one.",
              statistics.draft_kv_cells());
        for (const auto& drafts : statistics.drafts()) {
            metrics::Labels with_source = labels;
            with_source.emplace_back("source", drafts.source());
            samples.counter("worker_draft_tokens_total", "Tokens guessed and evaluated before they were known.",
                            with_source, static_cast<double>(drafts.drafted()));
            samples.counter("worker_draft_tokens_accepted_total", "Of these, those that were right.", with_source,
                            static_cast<double>(drafts.accepted()));
        }
        counter("worker_tokens_generated_total", "Tokens generated.", statistics.tokens_generated());
        gauge("worker_kv_cells", "Tokens the context memory can hold.", statistics.kv_cells());
        gauge("worker_kv_cells_used", "Tokens it holds.", statistics.kv_cells_used());
        gauge("worker_step_seconds", "Mean duration of the last steps.", statistics.step_seconds_average());
    } else {
        counter("worker_images_total", "Images drawn.", statistics.images_done());
        counter("worker_image_steps_total", "Steps of images.", statistics.image_steps());
        counter("worker_image_step_seconds_total", "Time spent in steps of images.",
                statistics.image_step_seconds_total());
    }
}

}  // namespace

FleetMetrics::FleetMetrics(metrics::Registry& registry, const base::Clock& clock, FleetSources sources)
    : clock_(clock), sources_(std::move(sources)), sampled_(clock.now() - sample_interval) {
    registry.add_collector([this](metrics::Samples& samples) { collect(samples); });
}

void FleetMetrics::tick() {
    const auto elapsed = clock_.now() - sampled_;
    if (elapsed < sample_interval) {
        return;
    }
    sampled_ = clock_.now();
    for (const auto& worker : sources_.workers()) {
        Sample& sample = samples_[worker.name];
        const auto usage = worker.pid > 0 ? metrics::process_usage(worker.pid, sources_.system) : std::nullopt;
        const double cpu_seconds = usage ? usage->cpu_seconds : 0;
        const bool same_process = usage && sample.pid == worker.pid;
        sample = {.pid = usage ? worker.pid : 0,
                  .cpu_seconds = cpu_seconds,
                  .cores_used = same_process ? (cpu_seconds - sample.cpu_seconds) / base::seconds(elapsed) : 0};
    }
}

void FleetMetrics::collect(metrics::Samples& samples) const {
    for (const auto& load : sources_.load()) {
        const metrics::Labels labels = {{"model", load.model.value()}};
        samples.gauge("gateway_requests_running", "Jobs given to a worker.", labels, static_cast<double>(load.running));
        samples.gauge("gateway_requests_waiting", "Jobs that wait in the gateway.", labels,
                      static_cast<double>(load.waiting));
    }
    for (const auto& worker : sources_.workers()) {
        collect_worker(worker, samples);
    }
    collect_gateway(samples);
}

void FleetMetrics::collect_worker(const fleet::WorkerSnapshot& worker, metrics::Samples& samples) const {
    const metrics::Labels labels = {{"model", worker.name.value()}};
    samples.gauge("worker_up", "1 when the worker takes jobs.", labels,
                  worker.state == backends::ModelState::ready ? 1 : 0);
    samples.counter("worker_restarts_total", "How often a successor was started.", labels,
                    static_cast<double>(worker.restarts));
    if (const auto usage = worker.pid > 0 ? metrics::process_usage(worker.pid, sources_.system) : std::nullopt) {
        write_memory(samples, "worker_resident_memory_bytes", labels, *usage);
        samples.gauge("worker_swap_bytes", "Memory moved out to swap.", labels,
                      static_cast<double>(usage->swapped_bytes));
        samples.counter("worker_major_page_faults_total", "Waits for a page from disk.", labels,
                        static_cast<double>(usage->major_faults));
        samples.counter("worker_cpu_seconds_total", "Processor time used.", labels, usage->cpu_seconds);
    }
    const auto sample = samples_.find(worker.name);
    samples.gauge("worker_cpu_cores_used", "Cores the worker kept busy in the last seconds.", labels,
                  sample == samples_.end() ? 0 : sample->second.cores_used);
    if (worker.statistics) {
        write_statistics(samples, labels, worker);
    }
}

void FleetMetrics::collect_gateway(metrics::Samples& samples) const {
    samples.gauge("gateway_build_info", "1; the label has the version.", {{"version", LLM_GATEWAY_VERSION}}, 1);
    if (const auto usage = metrics::process_usage(::getpid(), sources_.system)) {
        write_memory(samples, "gateway_resident_memory_bytes", {}, *usage);
        samples.counter("gateway_cpu_seconds_total", "Processor time used by the gateway itself.", {},
                        usage->cpu_seconds);
    }
    const auto throttled = metrics::throttling(::getpid(), sources_.system).value_or(metrics::Throttling{});
    samples.counter("cgroup_throttled_periods_total", "Periods in which the CPU quota was used up.", {},
                    static_cast<double>(throttled.throttled_periods));
    samples.counter("cgroup_throttled_seconds_total", "Time the control group stood still for its CPU quota.", {},
                    throttled.throttled_seconds);
}

}  // namespace gateway::observe
