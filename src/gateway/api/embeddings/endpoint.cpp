#include "gateway/api/embeddings/endpoint.hpp"

#include "gateway/api/accepted.hpp"
#include "gateway/api/answering.hpp"
#include "gateway/api/embeddings/render.hpp"
#include "gateway/api/embeddings/to_job.hpp"
#include "gateway/api/identity.hpp"
#include "gateway/api/request_body.hpp"

namespace gateway::api::embeddings {

using http::asio::awaitable;

awaitable<void> embed(http::Exchange& exchange, const Services& services) {
    auto request = co_await read_request<Request>(exchange);
    if (!request)
        co_return;
    auto accepted =
        co_await accept_request(exchange, services, {.model = request->model, .adapters = request->adapters},
                                [&](const auto* facts) { return to_job(*request, facts); });
    if (!accepted)
        co_return;
    auto& [model, job] = *accepted;
    job.set_id(new_id("embd-"));
    Form form{.model = model.id(),
              .inputs = static_cast<std::size_t>(job.embedding().inputs_size()),
              .dimensions = {},
              .format = request->encoding_format.value_or(EncodingFormat::number)};
    if (request->dimensions)
        form.dimensions = static_cast<std::size_t>(*request->dimensions);
    const bool many = has_many(*request);
    request.reset();  // the inputs are in the job

    JobRun run(
        exchange, services,
        labels_of(model, {.endpoint = "/v1/embeddings", .to_request_path = many ? &to_path_of_many : &to_path_of_one}),
        std::move(job));
    co_await answer_collected(exchange, run, Collector(std::move(form)),
                              "The worker delivered fewer embeddings than it was asked for.");
}

}  // namespace gateway::api::embeddings
