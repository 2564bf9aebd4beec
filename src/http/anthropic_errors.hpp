#pragma once

/// An error as Anthropic's clients know it. Private to this folder: errors.cpp decides which form is used.

#include <boost/json/object.hpp>
#include <string_view>

namespace http {

/// The status that Anthropic uses where OpenAI has `openai_status`: an overloaded server is a 529.
int anthropic_status(int openai_status);

/// `param` may be empty; Anthropic's own errors name the field in the message only. `status` is one of
/// `anthropic_status` and decides the error's type.
boost::json::object anthropic_error(std::string_view message, int status, std::string_view param,
                                    std::string_view request_id);

}  // namespace http
