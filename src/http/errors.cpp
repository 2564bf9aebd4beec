#include "http/errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/utf8.hpp"
#include "http/anthropic_errors.hpp"

namespace http {
namespace {

using base::ErrorCode;

struct Face {
    int status;
    std::string_view type;
    std::string_view code;
};

/// OpenAI's clients choose their exception by status and retry 408, 409, 429 and 5xx; `type` and `code` are for people
/// and for the few programs that compare them.
Face face(const base::Error& error) {
    constexpr std::string_view request = "invalid_request_error";
    switch (error.code) {
        case ErrorCode::invalid: return {400, request, "invalid_value"};
        case ErrorCode::not_found: return {404, request, error.param == "model" ? "model_not_found" : "not_found"};
        case ErrorCode::context_length: return {400, request, "context_length_exceeded"};
        case ErrorCode::busy: return {429, "rate_limit_error", "rate_limit_exceeded"};
        case ErrorCode::too_large: return {413, request, "request_too_large"};
        case ErrorCode::deadline: return {504, "server_error", "deadline_exceeded"};
        case ErrorCode::cancelled: return {499, request, "cancelled"};
        case ErrorCode::unavailable: return {503, "server_error", "unavailable"};
        case ErrorCode::unsupported: return {400, request, "unsupported"};
        case ErrorCode::unauthorized: return {401, request, "invalid_api_key"};
        case ErrorCode::internal: break;
    }
    return {500, "server_error", "internal_error"};
}

std::string public_message(const base::Error& error, std::string_view request_id) {
    if (error.code != ErrorCode::internal) {
        return error.message;
    }
    return request_id.empty() ? "The server failed to answer this request."
                              : fmt::format("The server failed to answer this request ({}).", request_id);
}

/// Bytes of a client may be quoted in a message; what leaves is valid UTF-8 all the same.
boost::json::value json_text(std::string_view text) {
    return boost::json::value(base::valid_utf8(text));
}

boost::json::value text_or_null(std::string_view text) {
    return text.empty() ? boost::json::value() : json_text(text);
}

boost::json::object envelope(std::string_view message, std::string_view type, std::string_view param,
                             std::string_view code) {
    return {{"message", json_text(message)},
            {"type", boost::json::string(type)},
            {"param", text_or_null(param)},
            {"code", text_or_null(code)}};
}

boost::json::object envelope(const base::Error& error, std::string_view request_id) {
    const auto shown = face(error);
    return envelope(public_message(error, request_id), shown.type, error.param, shown.code);
}

void add_headers(Response& response, const base::Error& error) {
    if (error.code == ErrorCode::busy || error.code == ErrorCode::unavailable) {
        const auto wait = error.retry_after.value_or(std::chrono::seconds(1));
        const auto seconds = std::max<std::int64_t>(1, std::chrono::ceil<std::chrono::seconds>(wait).count());
        response.headers.set("Retry-After", std::to_string(seconds));
    }
    if (error.code == ErrorCode::unauthorized) {
        response.headers.set("WWW-Authenticate", "Bearer");
    }
}

std::string serialized(boost::json::object error) {
    return boost::json::serialize(boost::json::object{{"error", std::move(error)}});
}

int status_of(const base::Error& error, ErrorForm form) {
    const int status = face(error).status;
    return form == ErrorForm::anthropic ? anthropic_status(status) : status;
}

std::string anthropic_body(const base::Error& error, std::string message, std::string_view request_id) {
    if (error.code == ErrorCode::context_length) {
        message.insert(0, "prompt is too long: ");  // what Anthropic's clients look for before they shorten it
    }
    return boost::json::serialize(
        anthropic_error(message, status_of(error, ErrorForm::anthropic), error.param, request_id));
}

}  // namespace

Response error_response(const base::Error& error, std::string_view request_id, ErrorForm form) {
    auto response = json_response(error_body(error, request_id, form), status_of(error, form));
    add_headers(response, error);
    return response;
}

Response error_response(std::span<const base::Error> errors, std::string_view request_id, ErrorForm form) {
    const base::Error& first = errors.front();
    if (errors.size() == 1) {
        return error_response(first, request_id, form);
    }
    boost::json::array list;
    std::string sentences;  // all of them: many clients show nothing but the message
    for (const base::Error& error : errors) {
        sentences.append(sentences.empty() ? "" : "; ").append(public_message(error, request_id));
        list.push_back(boost::json::object{{"param", text_or_null(error.param)},
                                           {"message", json_text(public_message(error, request_id))},
                                           {"code", boost::json::string(face(error).code)}});
    }
    std::string message = fmt::format("{} faults: {}", errors.size(), sentences);
    Response response;
    if (form == ErrorForm::anthropic) {
        response = json_response(anthropic_body(first, std::move(message), request_id), status_of(first, form));
    } else {
        auto summary = envelope(first, request_id);
        summary["message"] = json_text(message);
        summary["errors"] = std::move(list);
        response = json_response(serialized(std::move(summary)), status_of(first, form));
    }
    add_headers(response, first);
    return response;
}

std::string error_body(const base::Error& error, std::string_view request_id, ErrorForm form) {
    return form == ErrorForm::anthropic ? anthropic_body(error, public_message(error, request_id), request_id)
                                        : serialized(envelope(error, request_id));
}

Response protocol_error(int status, std::string message, std::string_view code, std::string_view request_id,
                        ErrorForm form) {
    if (form == ErrorForm::anthropic) {
        return json_response(boost::json::serialize(anthropic_error(message, status, {}, request_id)), status);
    }
    const auto type = status < 500 ? "invalid_request_error" : "server_error";
    return json_response(serialized(envelope(message, type, {}, code)), status);
}

std::string_view reason_phrase(int status) {
    switch (status) {
        case 100: return "Continue";
        case 200: return "OK";
        case 201: return "Created";
        case 202: return "Accepted";
        case 204: return "No Content";
        case 301: return "Moved Permanently";
        case 302: return "Found";
        case 304: return "Not Modified";
        case 307: return "Temporary Redirect";
        case 308: return "Permanent Redirect";
        case 400: return "Bad Request";
        case 401: return "Unauthorized";
        case 403: return "Forbidden";
        case 404: return "Not Found";
        case 405: return "Method Not Allowed";
        case 408: return "Request Timeout";
        case 409: return "Conflict";
        case 413: return "Content Too Large";
        case 414: return "URI Too Long";
        case 415: return "Unsupported Media Type";
        case 417: return "Expectation Failed";
        case 422: return "Unprocessable Content";
        case 429: return "Too Many Requests";
        case 431: return "Request Header Fields Too Large";
        case 499: return "Client Closed Request";
        case 500: return "Internal Server Error";
        case 501: return "Not Implemented";
        case 502: return "Bad Gateway";
        case 503: return "Service Unavailable";
        case 504: return "Gateway Timeout";
        case 505: return "HTTP Version Not Supported";
        case 529: return "Overloaded";
        default: return "Status";
    }
}

}  // namespace http
