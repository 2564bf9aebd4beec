#pragma once

namespace http {

/// Whose clients read an error: they look for its message and its kind in different places.
enum class ErrorForm {
    openai,     ///< {"error": {"message", "type", "param", "code"}}
    anthropic,  ///< {"type": "error", "error": {"type", "message"}, "request_id"}
};

}  // namespace http
