#include "gateway/api/require.hpp"

namespace gateway::api {

std::vector<base::Error> to_errors(const schema::Faults& faults) {
    std::vector<base::Error> errors;
    errors.reserve(faults.size());
    for (const schema::Fault& fault : faults)
        errors.push_back({.code = base::ErrorCode::invalid,
                          .message = schema::to_string(fault),
                          .param = fault.path,
                          .retry_after = {}});
    return errors;
}

std::vector<base::Error> to_errors(base::Error error) {
    std::vector<base::Error> errors;
    errors.push_back(std::move(error));
    return errors;
}

}  // namespace gateway::api
