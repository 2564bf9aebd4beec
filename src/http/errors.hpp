#pragma once

/// How an Error looks to a client: the one place that maps codes to HTTP and to a body, which is OpenAI's envelope
/// `{"error": {"message", "type", "param", "code"}}`, all four keys always present, unless another form is asked for.

#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "http/error_form.hpp"
#include "http/message.hpp"

namespace http {

/// `busy` and `unavailable` carry `Retry-After`. The message of an `internal` error is replaced by one that names
/// `request_id`: the true one is for the log.
Response error_response(const base::Error& error, std::string_view request_id = {}, ErrorForm form = ErrorForm::openai);

/// Several faults of one request. The first decides the status; `message` has all sentences, and `errors` lists
/// `{param, message, code}` of each where the form has a place for it. `errors` must not be empty.
Response error_response(std::span<const base::Error> errors, std::string_view request_id = {},
                        ErrorForm form = ErrorForm::openai);

/// The body alone, as JSON text: what a stream that has begun sends as its last event.
std::string error_body(const base::Error& error, std::string_view request_id = {}, ErrorForm form = ErrorForm::openai);

/// Faults of the protocol that no ErrorCode names: 405, 408, 415, 431, 501, ...
Response protocol_error(int status, std::string message, std::string_view code, std::string_view request_id = {},
                        ErrorForm form = ErrorForm::openai);

/// The standard phrase, e.g. "Not Found".
std::string_view reason_phrase(int status);

}  // namespace http
