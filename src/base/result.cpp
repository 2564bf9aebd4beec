#include "base/result.hpp"

namespace base {

std::string_view to_string(ErrorCode code) {
    switch (code) {
        case ErrorCode::invalid: return "invalid";
        case ErrorCode::not_found: return "not_found";
        case ErrorCode::context_length: return "context_length";
        case ErrorCode::busy: return "busy";
        case ErrorCode::too_large: return "too_large";
        case ErrorCode::deadline: return "deadline";
        case ErrorCode::cancelled: return "cancelled";
        case ErrorCode::unavailable: return "unavailable";
        case ErrorCode::unsupported: return "unsupported";
        case ErrorCode::unauthorized: return "unauthorized";
        case ErrorCode::internal: return "internal";
    }
    return "internal";
}

}  // namespace base
