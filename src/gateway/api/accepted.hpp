#pragma once

/// How every endpoint begins whose request becomes a job: the model is found, the job is made, the model's adapters are
/// put into it.
///
///     auto request = co_await read_request<Request>(exchange);
///     if (!request)
///         co_return;
///     auto accepted = co_await accept_request(exchange, services, {.model = request->model},
///                                             [&](const auto* facts) { return to_job(*request, facts); });
///     if (!accepted)
///         co_return;
///     JobRun run(exchange, services, labels_of(accepted->model, {.endpoint = ...}), std::move(accepted->work));

#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gateway/api/adapters.hpp"
#include "gateway/api/endpoints.hpp"
#include "gateway/api/failure.hpp"
#include "gateway/api/require.hpp"

namespace gateway::api {

/// What a request says about who is to do the work.
struct Target {
    /// None: the default of its kind.
    std::optional<std::string> model;
    backends::ModelKind kind = backends::ModelKind::text;
    AdapterFields adapters = {};
};

/// `Work` is a job, or what has jobs: there is a `jobs_of` for it.
template <typename Work>
struct Accepted {
    NamedModel model;
    Work work;
};

inline std::span<backends::Job> jobs_of(backends::Job& job) {
    return {&job, 1};
}

inline std::span<backends::Job> jobs_of(std::vector<backends::Job>& jobs) {
    return jobs;
}

template <typename ToWork>
using WorkOf = typename std::invoke_result_t<ToWork, const llm_gateway::engine::v1::ModelFacts*>::value_type;

/// `to_work` is called once with the facts of the model, null while they are unknown, and returns the work or its
/// faults. When something is wrong it has been sent, and nothing is returned. The ids of jobs are left to the caller.
template <typename ToWork>
http::asio::awaitable<std::optional<Accepted<WorkOf<ToWork>>>> accept_request(http::Exchange& exchange,
                                                                              const Services& services, Target target,
                                                                              ToWork to_work) {
    auto model = co_await require(exchange, find_model(services.catalogue, target.model, target.kind));
    if (!model)
        co_return std::nullopt;
    const llm_gateway::engine::v1::ModelFacts* facts = model->facts ? &*model->facts : nullptr;
    auto work = co_await require(exchange, to_work(facts));
    if (!work)
        co_return std::nullopt;
    const auto adapters = co_await require(exchange, adapters_of(*model, target.adapters));
    if (!adapters)
        co_return std::nullopt;
    for (backends::Job& job : jobs_of(*work))
        set_adapters(job, *adapters);
    co_return Accepted<WorkOf<ToWork>>{.model = *std::move(model), .work = *std::move(work)};
}

}  // namespace gateway::api
