#pragma once

/// Whose an entry is.

#include <string>
#include <string_view>

namespace gateway::store {

/// Of a client with a name: the same whichever key it has.
std::string owner_of_client(std::string_view name);

/// Of a key without a name: a digest, which tells nobody the key and does not depend on its place in a list.
std::string owner_of_key(std::string_view key);

}  // namespace gateway::store
