#include "gateway/observe/job_metrics.hpp"

#include <string>
#include <vector>

#include "gateway/observe/model_label.hpp"

namespace gateway::observe {
namespace {

/// A step takes from a blink, with a tiny model, to minutes, with a large one on few cores.
std::vector<double> image_step_buckets() {
    return {0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160};
}

}  // namespace

JobMetrics::JobMetrics(metrics::Registry& registry, const backends::Catalogue& catalogue)
    : catalogue_(catalogue),
      first_token_(registry.histogram("gateway_time_to_first_token_seconds",
                                      "From the arrival of a request to the first piece of its answer.",
                                      metrics::request_seconds_buckets(), {"model"})),
      time_per_token_(registry.histogram("gateway_time_per_output_token_seconds",
                                         "Mean time between the tokens of an answer, one observation for each answer.",
                                         metrics::token_seconds_buckets(), {"model"})),
      queue_wait_(registry.histogram("gateway_queue_wait_seconds", "From the arrival of a job to its start.",
                                     metrics::request_seconds_buckets(), {"model"})),
      duration_(registry.histogram("gateway_request_duration_seconds",
                                   "From the arrival of a request to the end of its answer.",
                                   metrics::request_seconds_buckets(), {"endpoint", "model"})),
      image_step_(
          registry.histogram("gateway_image_step_seconds", "One step of an image.", image_step_buckets(), {"model"})),
      image_encode_(registry.histogram("gateway_image_encode_seconds",
                                       "From prompts to embeddings, of one request for images.", image_step_buckets(),
                                       {"model"})),
      image_decode_(registry.histogram("gateway_image_decode_seconds",
                                       "From latents to pixels and files, of one request for images.",
                                       image_step_buckets(), {"model"})),
      images_(registry.counter("gateway_images_total", "Images delivered.", {"model"})),
      tokens_(
          registry.counter("gateway_tokens_total",
                           "Tokens of prompts (in), of them taken from earlier work (cached), and of answers (out).",
                           {"model", "direction"})),
      requests_(registry.counter("gateway_requests_total", "Requests that ran a job, by how they ended.",
                                 {"endpoint", "model", "outcome"})) {}

void JobMetrics::on_started(std::string_view model, double queue_seconds) {
    queue_wait_.observe({model_label(catalogue_, model)}, queue_seconds);
}

void JobMetrics::on_first_token(std::string_view model, double seconds) {
    first_token_.observe({model_label(catalogue_, model)}, seconds);
}

void JobMetrics::on_time_per_token(std::string_view model, double seconds) {
    time_per_token_.observe({model_label(catalogue_, model)}, seconds);
}

void JobMetrics::on_image_step(std::string_view model, double seconds) {
    image_step_.observe({model_label(catalogue_, model)}, seconds);
}

void JobMetrics::on_image_done(std::string_view model) {
    images_.add({model_label(catalogue_, model)});
}

void JobMetrics::on_job_finished(const api::FinishedJob& job) {
    const std::string model = model_label(catalogue_, job.model);
    const std::string endpoint(job.endpoint);
    requests_.add({endpoint, model, std::string(to_string(job.outcome))});
    duration_.observe({endpoint, model}, job.total_seconds);
    if (job.timings.sampling_seconds() > 0) {
        image_encode_.observe({model}, job.timings.encode_seconds());
        image_decode_.observe({model}, job.timings.decode_seconds());
    }
    tokens_.add({model, "in"}, job.usage.prompt_tokens());
    tokens_.add({model, "cached"}, job.usage.cached_tokens());
    tokens_.add({model, "out"}, job.usage.completion_tokens());
}

}  // namespace gateway::observe
