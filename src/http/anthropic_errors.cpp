#include "http/anthropic_errors.hpp"

#include "base/utf8.hpp"

namespace http {
namespace {

constexpr int overloaded = 529;

std::string_view type_of(int status) {
    switch (status) {
        case 401: return "authentication_error";
        case 403: return "permission_error";
        case 404: return "not_found_error";
        case 413: return "request_too_large";
        case 429: return "rate_limit_error";
        case 504: return "timeout_error";
        case overloaded: return "overloaded_error";
        default: return status < 500 ? "invalid_request_error" : "api_error";
    }
}

}  // namespace

int anthropic_status(int openai_status) {
    return openai_status == 503 ? overloaded : openai_status;
}

boost::json::object anthropic_error(std::string_view message, int status, std::string_view param,
                                    std::string_view request_id) {
    boost::json::object error{{"type", type_of(status)}, {"message", base::valid_utf8(message)}};
    if (!param.empty()) {
        error["param"] = base::valid_utf8(param);
    }
    boost::json::object body{{"type", "error"}, {"error", std::move(error)}};
    body["request_id"] = request_id.empty() ? boost::json::value() : boost::json::value(request_id);
    return body;
}

}  // namespace http
