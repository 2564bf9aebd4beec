#include "gateway/api/rerank/endpoint.hpp"

#include <algorithm>

#include "gateway/api/accepted.hpp"
#include "gateway/api/answering.hpp"
#include "gateway/api/identity.hpp"
#include "gateway/api/request_body.hpp"
#include "gateway/api/rerank/render.hpp"
#include "gateway/api/rerank/to_job.hpp"

namespace gateway::api::rerank {
namespace {

using http::asio::awaitable;

/// For requests that name no model.
std::optional<std::string> first_reranker(const backends::Catalogue& catalogue) {
    for (const auto& status : catalogue.models())
        if (status.facts && status.facts->text().reranking())
            return status.name.value();
    return std::nullopt;
}

Form form_of(const Request& request, std::string model) {
    Form form{.id = new_id("rerank-"), .model = std::move(model), .texts = {}, .documents = request.documents.size()};
    form.top = request.top_n ? std::min(static_cast<std::size_t>(*request.top_n), form.documents) : form.documents;
    if (request.return_documents.value_or(false))
        for (const Document& document : request.documents)
            form.texts.push_back(text_of(document));
    return form;
}

}  // namespace

awaitable<void> rank(http::Exchange& exchange, const Services& services) {
    auto request = co_await read_request<Request>(exchange);
    if (!request)
        co_return;
    if (!request->model)
        request->model = first_reranker(services.catalogue);
    auto accepted = co_await accept_request(exchange, services, {.model = request->model},
                                            [&](const auto* facts) { return to_job(*request, facts); });
    if (!accepted)
        co_return;
    auto& [model, job] = *accepted;
    Form form = form_of(*request, model.id());
    job.set_id(form.id);
    request.reset();  // query and documents are in the job

    JobRun run(exchange, services, labels_of(model, {.endpoint = "/v1/rerank", .to_request_path = &to_request_path}),
               std::move(job));
    co_await answer_collected(exchange, run, Collector(std::move(form)),
                              "The worker delivered fewer scores than it was asked for.");
}

}  // namespace gateway::api::rerank
