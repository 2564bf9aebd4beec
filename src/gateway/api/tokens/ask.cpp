#include "gateway/api/tokens/ask.hpp"

#include "gateway/api/answering.hpp"
#include "gateway/api/identity.hpp"

namespace gateway::api::tokens {

namespace contract = llm_gateway::engine::v1;

http::asio::awaitable<std::optional<contract::TokensResult>> ask(http::Exchange& exchange, const Services& services,
                                                                 JobLabels labels, backends::Job job) {
    job.set_id(new_id("tok-"));
    JobRun run(exchange, services, std::move(labels), std::move(job));
    std::optional<contract::TokensResult> result;
    while (auto event = co_await next_event(exchange, run))
        if (event->has_tokens())
            result = std::move(*event->mutable_tokens());
    if (run.events().end() != http::Wait::closed)
        co_return std::nullopt;
    if (!result)
        co_await exchange.send_error({.code = base::ErrorCode::internal,
                                      .message = "The worker did not tell the tokens it was asked for.",
                                      .param = {},
                                      .retry_after = {}});
    co_return result;
}

}  // namespace gateway::api::tokens
