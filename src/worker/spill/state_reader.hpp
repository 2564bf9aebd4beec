#pragma once

/// Reads saved states on a thread of its own, one after another in the order in which they are asked for.

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "worker/spill/state_folder.hpp"

namespace worker::spill {

class StateReader {
public:
    using SharedState = StateFolder::SharedState;

    /// `on_read` is called by the reading thread whenever there is something to take; it may be empty.
    StateReader(std::shared_ptr<StateFolder> folder, std::function<void()> on_read);
    /// Waits for the read that is under way; the others do not happen.
    ~StateReader();

    /// A file of the folder. Each request is to be followed by `take` or `forget`.
    void request(const std::string& name);
    /// Nothing as long as it is not read. What was taken is gone from here.
    std::optional<base::Result<SharedState>> take(const std::string& name);
    /// It is not wanted any more.
    void forget(const std::string& name);

private:
    void work(const std::stop_token& stop);

    const std::shared_ptr<StateFolder> folder_;
    const std::function<void()> on_read_;

    // The loop's thread and the reading one meet here.
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<std::string> waiting_;
    /// What was asked for; empty until it is read.
    std::map<std::string, std::optional<base::Result<SharedState>>> wanted_;

    std::jthread reading_;
};

}  // namespace worker::spill
