#include "gateway/api/failure.hpp"

#include <fmt/format.h>

namespace gateway::api {
namespace {

namespace contract = llm_gateway::engine::v1;

base::ErrorCode to_code(contract::ErrorCode code) {
    switch (code) {
        case contract::INVALID: return base::ErrorCode::invalid;
        case contract::NOT_FOUND: return base::ErrorCode::not_found;
        case contract::CONTEXT_LENGTH: return base::ErrorCode::context_length;
        case contract::BUSY: return base::ErrorCode::busy;
        case contract::TOO_LARGE: return base::ErrorCode::too_large;
        case contract::DEADLINE: return base::ErrorCode::deadline;
        case contract::CANCELLED: return base::ErrorCode::cancelled;
        case contract::UNAVAILABLE: return base::ErrorCode::unavailable;
        case contract::UNSUPPORTED: return base::ErrorCode::unsupported;
        default: return base::ErrorCode::internal;
    }
}

std::string_view noun(backends::ModelKind kind) {
    return kind == backends::ModelKind::text ? "chat" : "images";
}

std::string_view endpoint(backends::ModelKind kind) {
    return kind == backends::ModelKind::text ? "/v1/chat/completions" : "/v1/images/generations";
}

}  // namespace

base::Error to_error(const contract::Failed& failed) {
    base::Error error{
        .code = to_code(failed.code()), .message = failed.message(), .param = failed.param(), .retry_after = {}};
    if (failed.retry_after_seconds() > 0)
        error.retry_after = std::chrono::milliseconds(static_cast<std::int64_t>(failed.retry_after_seconds() * 1000));
    // As OpenAI has it, whichever worker says so.
    if (error.code == base::ErrorCode::context_length && error.param.empty())
        error.param = "messages";
    return error;
}

base::Error unknown_model(const backends::ModelName& name) {
    return {.code = base::ErrorCode::not_found,
            .message =
                fmt::format("The model `{}` does not exist. GET /v1/models lists the models there are.", name.value()),
            .param = "model",
            .retry_after = {}};
}

base::Result<NamedModel> find_model(const backends::Catalogue& catalogue, const std::optional<std::string>& name,
                                    backends::ModelKind kind) {
    const auto chosen = name ? std::optional(backends::ModelName(*name)) : catalogue.default_model(kind);
    if (!chosen)
        return base::fail(base::ErrorCode::not_found, fmt::format("No model for {} is configured.", noun(kind)),
                          "model");
    auto status = find_named(catalogue, *chosen);
    if (!status)
        return std::unexpected(unknown_model(*chosen));
    if (status->kind != kind)
        return base::fail(base::ErrorCode::unsupported,
                          fmt::format("The model `{}` is for {}: use {}.", chosen->value(), noun(status->kind),
                                      endpoint(status->kind)),
                          "model");
    return *std::move(status);
}

}  // namespace gateway::api
