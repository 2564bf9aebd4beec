#include "gateway/fleet/child_process.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <string>
#include <utility>

namespace gateway::fleet {

namespace asio = boost::asio;

namespace {

/// A longer line is passed on in pieces.
constexpr std::size_t longest_line = 64U << 10U;

void write_all(std::string_view text) {
    while (!text.empty()) {
        const auto written = ::write(STDERR_FILENO, text.data(), text.size());
        if (written < 0 && errno != EINTR) {
            return;  // nobody reads our log any more; the worker must not suffer from it
        }
        text.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
    }
}

Death to_death(int wait_status, std::string last_line) {
    Death death{.exit_status = {}, .signal = {}, .last_line = std::move(last_line)};
    if (WIFSIGNALED(wait_status)) {
        death.signal = WTERMSIG(wait_status);
    } else {
        death.exit_status = WEXITSTATUS(wait_status);
    }
    return death;
}

}  // namespace

/// Kept alive by the waits that are under way; `listener` is empty once the ChildProcess has ended.
struct ChildProcess::State : std::enable_shared_from_this<State> {
    State(asio::io_context& io, const Spawned& spawned, Listener& the_listener)
        : pid(spawned.pid), exit(io, spawned.pidfd), error(io, spawned.standard_error), listener(&the_listener) {
        error.non_blocking(true);
    }

    void watch_exit() {
        exit.async_wait(asio::posix::stream_descriptor::wait_read,
                        [self = shared_from_this()](const boost::system::error_code& failure) {
                            if (!failure) {
                                self->on_exit();
                            }
                        });
    }

    void read_error() {
        error.async_read_some(asio::buffer(buffer),
                              [self = shared_from_this()](const boost::system::error_code& failure, std::size_t count) {
                                  if (!failure) {
                                      self->pass_on(std::string_view(self->buffer.data(), count));
                                      self->read_error();
                                  }
                              });
    }

    void pass_on(std::string_view piece) {
        line += piece;
        for (auto end = line.find('\n'); end != std::string::npos; end = line.find('\n')) {
            write_all(std::string_view(line).substr(0, end + 1));
            if (end > 0) {
                last_line = line.substr(0, end);
            }
            line.erase(0, end + 1);
        }
        if (line.size() > longest_line) {
            write_all(line);
            line.clear();
        }
    }

    /// The process is gone, so what is in the pipe is all there will be.
    void read_rest() {
        boost::system::error_code failure;
        while (error.is_open()) {
            const std::size_t count = error.read_some(asio::buffer(buffer), failure);
            if (failure || count == 0) {
                break;
            }
            pass_on(std::string_view(buffer.data(), count));
        }
        if (!line.empty()) {
            pass_on("\n");
        }
    }

    void on_exit() {
        int status = 0;
        if (ended || ::waitpid(pid, &status, WNOHANG) != pid) {
            return;
        }
        ended = true;
        read_rest();
        exit.close();
        error.close();
        if (auto* const heard = std::exchange(listener, nullptr)) {
            heard->on_exit(to_death(status, last_line));
        }
    }

    void abandon() {
        listener = nullptr;
        if (!ended) {
            ended = true;
            ::kill(pid, SIGKILL);
            ::waitpid(pid, nullptr, 0);
        }
        boost::system::error_code ignored;
        exit.close(ignored);
        error.close(ignored);
    }

    const pid_t pid;
    asio::posix::stream_descriptor exit;
    asio::posix::stream_descriptor error;
    Listener* listener;
    bool ended = false;
    std::array<char, 4096> buffer{};
    std::string line;
    std::string last_line;
};

base::Result<std::unique_ptr<ChildProcess>> ChildProcess::start(asio::io_context& io, const Command& command,
                                                                Listener& listener) {
    const auto spawned = spawn(command);
    if (!spawned) {
        return std::unexpected(spawned.error());
    }
    auto state = std::make_shared<State>(io, *spawned, listener);
    state->watch_exit();
    state->read_error();
    return std::unique_ptr<ChildProcess>(new ChildProcess(std::move(state)));
}

ChildProcess::ChildProcess(std::shared_ptr<State> state) : state_(std::move(state)) {}

ChildProcess::~ChildProcess() {
    state_->abandon();
}

pid_t ChildProcess::pid() const {
    return state_->pid;
}

void ChildProcess::signal(int number) {
    if (!state_->ended) {
        ::kill(state_->pid, number);
    }
}

}  // namespace gateway::fleet
