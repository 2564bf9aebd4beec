#pragma once

/// Errors as values. An `Error` says what the caller should do about it; one function elsewhere maps it to HTTP.
/// Exceptions mean a bug or no memory and are caught in two places only: the HTTP connection and the worker's step
/// loop.

#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace base {

/// Named by what the caller should do.
enum class ErrorCode {
    invalid,         ///< mend the request; `param` names the field
    not_found,       ///< no such model, path or object
    context_length,  ///< the prompt is longer than the model's context
    busy,            ///< a queue is full: try later
    too_large,       ///< the body, or the memory a request needs
    deadline,        ///< took longer than allowed
    cancelled,       ///< the caller left
    unavailable,     ///< loading, restarting or draining: try later
    unsupported,     ///< this model cannot do that
    unauthorized,    ///< a key is missing or wrong
    internal,        ///< a bug of ours; the message goes to the log, not to the client
};

std::string_view to_string(ErrorCode code);

struct Error {
    ErrorCode code = ErrorCode::internal;
    /// One sentence for the caller.
    std::string message;
    /// Path of the field at fault, e.g. "messages[2].content"; empty when no single field is.
    std::string param;
    /// With `busy` and `unavailable`, when known.
    std::optional<std::chrono::milliseconds> retry_after;
};

template <typename T>
using Result = std::expected<T, Error>;

/// Shorthand for returning an error: `return fail(ErrorCode::invalid, "…", "size");`
inline std::unexpected<Error> fail(ErrorCode code, std::string message, std::string param = {}) {
    return std::unexpected(
        Error{.code = code, .message = std::move(message), .param = std::move(param), .retry_after = {}});
}

}  // namespace base
