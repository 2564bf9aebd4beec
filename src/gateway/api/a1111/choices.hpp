#pragma once

/// What a client of AUTOMATIC1111's API has set for its later requests: there such settings are the server's, here each
/// client's own. On the gateway's thread, kept in memory only.

#include <map>
#include <optional>
#include <string>

namespace gateway::api::a1111 {

struct Choice {
    std::optional<std::string> model = {};
    std::optional<int> clip_skip = {};
};

class Choices {
public:
    /// By http::Request::caller; there are as many as the configuration has keys.
    Choice& of(const std::string& caller) { return by_caller_[caller]; }

private:
    std::map<std::string, Choice> by_caller_;
};

}  // namespace gateway::api::a1111
