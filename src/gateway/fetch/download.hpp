#pragma once

/// Gets one file from the web.

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ssl/context.hpp>
#include <functional>
#include <string>
#include <utility>

#include "gateway/fetch/rules.hpp"

namespace gateway::fetch {

/// Certificates are verified against those the system trusts.
boost::asio::ssl::context verifying_context();

/// Stops a download, from the same thread.
class Stop {
public:
    void request() {
        requested_ = true;
        if (const auto stop = std::exchange(running_, nullptr)) {
            stop();
        }
    }
    bool requested() const { return requested_; }
    /// What ends the operation that runs now.
    void set(std::function<void()> running) { running_ = std::move(running); }

private:
    std::function<void()> running_;
    bool requested_ = false;
};

/// The file at `url`, redirects followed: for each the rules are checked, then the addresses of its host, and one of these
/// is connected to, so that no second answer of a name server can lead elsewhere. Errors are `invalid`, with a sentence
/// for the client that tells nothing about networks it cannot see. `rules`, `tls` and `stop` must outlive it.
boost::asio::awaitable<base::Result<std::string>> download(std::string url, const Rules& rules,
                                                           boost::asio::ssl::context& tls, Stop& stop);

}  // namespace gateway::fetch
