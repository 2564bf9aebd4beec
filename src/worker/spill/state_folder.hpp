#pragma once

/// A folder of saved states of one model. Files are written and removed by a thread of its own; `read` may be called by
/// another one than the rest. What another model or engine left there is removed, and so is what is damaged.

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "worker/spill/state_file.hpp"

namespace worker::spill {

class StateFolder {
public:
    struct Found {
        std::string name;
        FoundState state;
    };
    using SharedState = std::shared_ptr<const engine::SavedState>;

    /// Makes the folder if need be; it must be this user's and closed to others.
    static base::Result<std::unique_ptr<StateFolder>> open(std::filesystem::path folder, const Digest& key);
    /// Writes what is still to be written.
    ~StateFolder();

    /// What was there when it was opened.
    std::vector<Found> take_found() { return std::exchange(found_, {}); }

    /// The name it is going to have. Failing to write is logged, and told by `read`.
    std::string write(StateDescription description, SharedState state);
    base::Result<SharedState> read(const std::string& name);
    void remove(const std::string& name);

private:
    struct Write {
        StateDescription description;
        SharedState state;
    };

    StateFolder(std::filesystem::path folder, const Digest& key);
    void look_around();
    void work(const std::stop_token& stop);

    const std::filesystem::path folder_;
    const Digest key_;
    std::vector<Found> found_;
    std::uint64_t next_ = 0;

    // The loop's thread, the writing and the reading one meet here.
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<std::string> tasks_;
    /// Not written yet, by name; a task without an entry is a removal.
    std::map<std::string, Write> writes_;

    std::jthread writing_;
};

}  // namespace worker::spill
