#include "gateway/api/responses/endpoint.hpp"

#include <fmt/format.h>

#include "base/log.hpp"
#include "gateway/api/accepted.hpp"
#include "gateway/api/answering.hpp"
#include "gateway/api/identity.hpp"
#include "gateway/api/request_body.hpp"
#include "gateway/api/responses/background.hpp"
#include "gateway/api/responses/history.hpp"
#include "gateway/api/responses/keep.hpp"
#include "gateway/api/responses/stream.hpp"
#include "gateway/api/responses/to_job.hpp"
#include "gateway/api/store_access.hpp"

namespace gateway::api::responses {
namespace {

using http::asio::awaitable;

constexpr std::string_view pattern = "/v1/responses";
/// What is refused at once gets its own status; after this long the answer is that it waits.
constexpr auto refusal_patience = std::chrono::seconds(1);

/// What is wrong with keeping this response here, if anything.
std::optional<base::Error> check_keeping(const Request& request, const Keeping& keeping) {
    if (keeping.store != nullptr)
        return std::nullopt;
    const auto refused = [](std::string param) {
        return base::Error{.code = base::ErrorCode::invalid,
                           .message = fmt::format("{} cannot be true: this server keeps no answers.", param),
                           .param = param,
                           .retry_after = {}};
    };
    if (request.background.value_or(false))
        return refused("background");
    if (request.store.value_or(false))
        return refused("store");
    return std::nullopt;
}

std::string_view tier_name(const std::optional<chat::ServiceTier>& tier) {
    switch (tier.value_or(chat::ServiceTier::automatic)) {
        case chat::ServiceTier::priority:
        case chat::ServiceTier::fast: return "priority";
        case chat::ServiceTier::flex: return "flex";
        default: return "default";
    }
}

/// The response before anything has been generated.
Response make_response(const Request& request, const NamedModel& model, bool kept) {
    const Prompt& prompt = request.prompt;
    const bool background = request.background.value_or(false);
    Response response{.id = new_id("resp_"),
                      .created_at = unix_time(),
                      .completed_at = {},
                      .status = background ? Status::queued : Status::in_progress,
                      .background = background,
                      .error = {},
                      .incomplete_details = {},
                      .instructions = prompt.instructions,
                      .max_output_tokens = request.max_output_tokens,
                      .max_tool_calls = request.max_tool_calls,
                      .model = model.id(),
                      .output = {},
                      .parallel_tool_calls = prompt.parallel_tool_calls.value_or(true),
                      .previous_response_id = prompt.previous_response_id,
                      .prompt_cache_key = request.prompt_cache_key,
                      .reasoning = {},
                      .safety_identifier = request.safety_identifier,
                      .service_tier = std::string(tier_name(request.service_tier)),
                      .store = kept,
                      .temperature = request.sampling.temperature,
                      .text = prompt.text.value_or(TextSettings{}),
                      .tool_choice = prompt.tool_choice.value_or(chat::ToolChoiceMode::automatic),
                      .tools = {},
                      .top_logprobs = request.top_logprobs.value_or(0),
                      .top_p = request.sampling.top_p,
                      .truncation = Truncation::disabled,
                      .usage = {},
                      .user = request.user,
                      .metadata = request.metadata.value_or(Metadata{})};
    if (prompt.reasoning)
        response.reasoning = {.effort = prompt.reasoning->effort, .summary = prompt.reasoning->summary};
    for (const auto& [tool, place] : functions_of(prompt.tools))
        response.tools.push_back({.name = tool->name,
                                  .description = tool->description,
                                  .parameters = tool->parameters,
                                  .strict = tool->strict});
    return response;
}

/// Puts a response that has ended into the store. Who asked has the answer in any case: that it cannot be kept is for
/// the log.
awaitable<void> keep(const Services& services, store::Entry entry, const Response& response) {
    entry.body = schema::to_text(response);
    auto kept = co_await on_store(*services.keeping.store,
                                  [entry = std::move(entry)](store::Shelf& shelf) { return shelf.put(entry); });
    if (!kept)
        base::log::error("a response could not be kept", {{"id", response.id}, {"error", kept.error().message}});
}

Ending natural_ending(const Renderer& renderer) {
    return {.status = renderer.natural_status(), .error = {}, .completed_at = unix_time()};
}

awaitable<void> answer_whole(http::Exchange& exchange, const Services& services, JobRun& run, Response response,
                             std::optional<store::Entry> entry) {
    Renderer renderer(std::move(response), Streaming::off);
    while (auto event = co_await next_event(exchange, run))
        renderer.add(*event);
    if (run.events().end() != http::Wait::closed)
        co_return;
    renderer.end(natural_ending(renderer));
    if (entry)
        co_await keep(services, *std::move(entry), renderer.response());
    co_await exchange.send(http::json_response(schema::to_text(renderer.response())));
}

/// Why there are no more events although the job has not ended well; nothing when it has.
std::optional<base::Error> find_failure(const JobRun& run, const std::optional<backends::Event>& last, http::Wait end) {
    if (last && last->has_failed())
        return run.to_error(last->failed());
    if (end == http::Wait::timed_out)
        return base::Error{.code = base::ErrorCode::deadline,
                           .message = "The answer was not complete within the time that a request may take.",
                           .param = {},
                           .retry_after = {}};
    return std::nullopt;
}

void note_failure(http::Exchange& exchange, const base::Error& error) {
    exchange.note({"error", base::to_string(error.code)});
    if (error.code == base::ErrorCode::internal)
        base::log::error("stream failed", {{"id", exchange.request().id}, {"error", error.message}});
}

awaitable<void> answer_stream(http::Exchange& exchange, const Services& services, JobRun& run, Response response,
                              std::optional<store::Entry> entry) {
    auto event = co_await run.first_decisive(std::chrono::steady_clock::now() + refusal_patience);
    if (event && event->has_failed()) {
        co_await exchange.send_error(run.to_error(event->failed()));
        co_return;
    }
    http::SseWriter writer(exchange);
    Renderer renderer(std::move(response), Streaming::on);
    if (exchange.client_gone() || !co_await writer.start() || !co_await send_events(writer, renderer.begin()))
        co_return;
    if (!event)
        event = co_await writer.next(run.events(), exchange.request().deadline);
    while (event && !event->has_failed()) {
        if (!co_await send_events(writer, renderer.add(*event)))
            co_return;
        event = co_await writer.next(run.events(), exchange.request().deadline);
    }
    if (exchange.client_gone())
        co_return;
    const auto failure = find_failure(run, event, run.events().end());
    if (failure)
        note_failure(exchange, *failure);
    auto last =
        renderer.end(failure ? Ending{.status = Status::failed, .error = to_problem(*failure), .completed_at = {}}
                             : natural_ending(renderer));
    if (entry)
        co_await keep(services, *std::move(entry), renderer.response());
    if (co_await send_events(writer, std::move(last)))
        co_await writer.finish();
}

/// The response is kept before anybody hears of it, so that who has its id finds it.
awaitable<void> answer_in_background(http::Exchange& exchange, const Services& services, JobLabels labels,
                                     backends::Job job, Response response, store::Entry entry) {
    const bool streamed = labels.streamed;
    auto running = std::make_shared<RunningResponse>(exchange, services, std::move(labels), std::move(job),
                                                     std::move(response), entry, streamed);
    auto first = co_await running->run().events().next(std::chrono::steady_clock::now() + refusal_patience);
    if (first && first->has_failed()) {
        co_await exchange.send_error(running->run().to_error(first->failed()));
        co_return;
    }
    auto kept = co_await on_store(*services.keeping.store,
                                  [entry = std::move(entry)](store::Shelf& shelf) { return shelf.put(entry); });
    if (!kept) {
        co_await exchange.send_error(kept.error());
        co_return;
    }
    std::string queued = schema::to_text(running->response());
    services.background.start(running, std::move(first), exchange.executor());
    if (streamed)
        co_await follow(exchange, std::move(running), -1);
    else
        co_await exchange.send(http::json_response(std::move(queued)));
}

}  // namespace

awaitable<void> create(http::Exchange& exchange, const Services& services) {
    auto request = co_await read_request<Request>(exchange);
    if (!request)
        co_return;
    if (auto error = check_keeping(*request, services.keeping)) {
        co_await exchange.send_error(*std::move(error));
        co_return;
    }
    auto history = co_await require(exchange, co_await read_history(exchange, services, request->prompt));
    if (!history)
        co_return;
    auto accepted =
        co_await accept_request(exchange, services, {.model = request->prompt.model, .adapters = request->adapters},
                                [&](const auto* facts) { return to_job(*request, history->all(), facts); });
    if (!accepted)
        co_return;
    auto& [model, translated] = *accepted;
    const bool kept = services.keeping.store != nullptr && request->store.value_or(true);
    const bool streamed = request->stream.value_or(false);
    Response response = make_response(*request, model, kept);
    translated.job.set_id(response.id);
    std::optional<store::Entry> entry;
    if (kept)
        entry =
            to_entry(services.keeping.owner(exchange.request()), response, to_kept_items(history->input, response.id));
    request.reset();  // the conversation is in the job, and an answer may take minutes
    history = History{};

    JobLabels labels =
        labels_of(model, {.endpoint = pattern,
                          .streamed = streamed,
                          .to_request_path = [origin = std::move(translated.origin)](std::string_view job_path) {
                              return origin.to_request_path(job_path);
                          }});
    if (response.background) {
        co_await answer_in_background(exchange, services, std::move(labels), std::move(translated.job),
                                      std::move(response), *std::move(entry));
        co_return;
    }
    JobRun run(exchange, services, std::move(labels), std::move(translated.job));
    if (streamed)
        co_await answer_stream(exchange, services, run, std::move(response), std::move(entry));
    else
        co_await answer_whole(exchange, services, run, std::move(response), std::move(entry));
}

}  // namespace gateway::api::responses
