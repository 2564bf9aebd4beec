#pragma once

/// A running worker process: hears at once when it ends, passes its standard error on line by line, and ends it when
/// this object ends.

#include <sys/types.h>

#include <memory>
#include <string_view>

#include "base/result.hpp"
#include "gateway/fleet/spawn.hpp"
#include "gateway/fleet/worker_life.hpp"

namespace boost::asio {
class io_context;
}

namespace gateway::fleet {

class ChildProcess {
public:
    class Listener {
    public:
        virtual ~Listener() = default;
        /// The process has been reaped and all it wrote has been passed on. May destroy the ChildProcess.
        virtual void on_exit(const Death& death) = 0;
    };

    /// The calling thread must live as long as the gateway (see spawn.hpp) and be the one that runs `io`. `listener`
    /// must outlive the ChildProcess.
    static base::Result<std::unique_ptr<ChildProcess>> start(boost::asio::io_context& io, const Command& command,
                                                             Listener& listener);
    /// Kills and reaps the process if it still runs; the listener hears nothing.
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    pid_t pid() const;
    /// Does nothing once the process has ended.
    void signal(int number);

private:
    struct State;
    explicit ChildProcess(std::shared_ptr<State> state);
    std::shared_ptr<State> state_;
};

}  // namespace gateway::fleet
