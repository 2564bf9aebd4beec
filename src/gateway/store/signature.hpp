#pragma once

/// Signatures of what leaves this server and comes back: HMAC with SHA-256.

#include <string>
#include <string_view>

namespace gateway::store {

/// 32 random bytes. Throws when the system has none to give.
std::string new_secret();

/// In hexadecimal digits.
std::string signature(std::string_view secret, std::string_view text);

/// In a time that does not tell how much of it is right.
bool is_signature(std::string_view secret, std::string_view text, std::string_view given);

}  // namespace gateway::store
