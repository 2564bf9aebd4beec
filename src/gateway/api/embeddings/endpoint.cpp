#include "gateway/api/embeddings/endpoint.hpp"

#include "gateway/api/answering.hpp"
#include "gateway/api/embeddings/render.hpp"
#include "gateway/api/embeddings/to_job.hpp"
#include "gateway/api/failure.hpp"
#include "gateway/api/identity.hpp"
#include "gateway/api/request_body.hpp"

namespace gateway::api::embeddings {

using http::asio::awaitable;

awaitable<void> embed(http::Exchange& exchange, const Services& services) {
    auto request = co_await read_request<Request>(exchange);
    if (!request)
        co_return;
    const auto model = find_model(services.catalogue, request->model, backends::ModelKind::text);
    if (!model) {
        co_await exchange.send_error(model.error());
        co_return;
    }
    auto job = to_job(*request, model->facts ? &*model->facts : nullptr);
    if (!job) {
        co_await exchange.send_errors(to_errors(job.error()));
        co_return;
    }
    auto adapters = adapters_of(*model, request->adapters);
    if (!adapters) {
        co_await exchange.send_errors(to_errors(adapters.error()));
        co_return;
    }
    *job->mutable_embedding()->mutable_adapters() = *std::move(adapters);
    job->set_id(new_id("embd-"));
    Form form{.model = model->id(),
              .inputs = static_cast<std::size_t>(job->embedding().inputs_size()),
              .dimensions = {},
              .format = request->encoding_format.value_or(EncodingFormat::number)};
    if (request->dimensions)
        form.dimensions = static_cast<std::size_t>(*request->dimensions);
    const bool many = has_many(*request);
    request.reset();  // the inputs are in the job

    JobRun run(exchange, services,
               {.model = model->name,
                .endpoint = "/v1/embeddings",
                .streamed = false,
                .to_request_path = many ? &to_path_of_many : &to_path_of_one,
                .with_adapter = model->adapter ? model->id() : ""},
               *std::move(job));
    co_await answer_collected(exchange, run, Collector(std::move(form)),
                              "The worker delivered fewer embeddings than it was asked for.");
}

}  // namespace gateway::api::embeddings
