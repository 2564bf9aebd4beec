#include "worker/rpc/job_runner.hpp"

#include <utility>

namespace worker::rpc {
namespace {

contract::ErrorCode to_contract(base::ErrorCode code) {
    switch (code) {
        case base::ErrorCode::invalid: return contract::INVALID;
        case base::ErrorCode::not_found: return contract::NOT_FOUND;
        case base::ErrorCode::context_length: return contract::CONTEXT_LENGTH;
        case base::ErrorCode::busy: return contract::BUSY;
        case base::ErrorCode::too_large: return contract::TOO_LARGE;
        case base::ErrorCode::deadline: return contract::DEADLINE;
        case base::ErrorCode::cancelled: return contract::CANCELLED;
        case base::ErrorCode::unavailable: return contract::UNAVAILABLE;
        case base::ErrorCode::unsupported: return contract::UNSUPPORTED;
        case base::ErrorCode::unauthorized:
        case base::ErrorCode::internal: break;
    }
    return contract::INTERNAL;
}

}  // namespace

Event failed(contract::ErrorCode code, std::string message, std::string param) {
    Event event;
    auto& failure = *event.mutable_failed();
    failure.set_code(code);
    failure.set_message(std::move(message));
    failure.set_param(std::move(param));
    return event;
}

Event failed(const base::Error& error) {
    return failed(to_contract(error.code), error.message, error.param);
}

}  // namespace worker::rpc
