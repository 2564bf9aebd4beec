#pragma once

/// What is kept of answers, and for whom.

#include <chrono>
#include <map>
#include <string>

#include "http/message.hpp"

namespace gateway::store {
class Store;
}

namespace gateway::api {

struct Keeping {
    /// Null: nothing is kept.
    store::Store* store = nullptr;
    /// From http::Request::caller to the owner of what that caller keeps; a caller who is not here owns by name.
    std::map<std::string, std::string> owners = {};

    std::string owner(const http::Request& request) const {
        const auto known = owners.find(request.caller);
        return known == owners.end() ? request.caller : known->second;
    }
};

/// Pictures that are answered with an address.
struct PictureFiles {
    /// For them alone. Null: there are no addresses.
    store::Store* store = nullptr;
    std::chrono::seconds lifetime = std::chrono::hours(1);
};

}  // namespace gateway::api
