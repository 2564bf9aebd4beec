#pragma once

/// The shelf on a thread of its own, so that the gateway's thread never waits for a disk.
///
///     store.run([key](Shelf& shelf) { return shelf.find(key); },
///               [](base::Result<std::optional<Entry>> found) { … });   // on the gateway's thread
///
/// Work is done in the order it was handed over. `work` runs on the store's thread and must own what it uses; `done`
/// runs on the gateway's, never before `run` has returned.

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "gateway/backends/executor.hpp"
#include "gateway/store/shelf.hpp"

namespace gateway::store {

struct StoreOptions {
    /// Empty: in memory, gone at the end.
    std::filesystem::path folder;
    Bounds bounds;
    /// Work that may wait; more is refused as busy.
    std::size_t max_waiting = 4096;
};

class Store {
public:
    /// `executor` must outlive the store. Errors: those of Shelf::open.
    static base::Result<std::unique_ptr<Store>> open(const StoreOptions& options, backends::Executor& executor);
    /// Does what was handed over first.
    ~Store();
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;

    /// `work` returns a base::Result, which `done` gets. Only from the gateway's thread.
    template <typename Work, typename Done>
    void run(Work work, Done done) {
        using Result = std::invoke_result_t<Work, Shelf&>;
        auto job = [this, work = std::move(work), done = std::move(done)](Shelf* shelf) mutable {
            auto result = shelf != nullptr ? work(*shelf) : Result(std::unexpected(busy()));
            executor_.post([done = std::move(done), result = std::move(result)]() mutable { done(std::move(result)); });
        };
        hand_over(std::move(job));
    }

    /// As of the last work done. Any thread.
    Size size() const;
    const Bounds& bounds() const { return bounds_; }

private:
    /// With a null shelf when it is refused.
    using Job = std::move_only_function<void(Shelf* shelf)>;

    Store(Shelf shelf, const StoreOptions& options, backends::Executor& executor);
    static base::Error busy();
    void hand_over(Job job);
    void work();

    backends::Executor& executor_;
    const Bounds bounds_;
    const std::size_t max_waiting_;
    /// The store's thread's alone.
    Shelf shelf_;

    // The gateway's thread and the store's meet here.
    mutable std::mutex mutex_;
    std::condition_variable arrival_;
    std::deque<Job> waiting_;
    Size size_;
    bool ending_ = false;

    std::thread thread_;
};

}  // namespace gateway::store
