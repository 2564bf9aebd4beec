#include "worker/rpc/job_runner.hpp"

namespace worker::rpc {

Event failed(contract::ErrorCode code, std::string message, std::string param) {
    Event event;
    auto& failure = *event.mutable_failed();
    failure.set_code(code);
    failure.set_message(std::move(message));
    failure.set_param(std::move(param));
    return event;
}

}  // namespace worker::rpc
