#include "gateway/fleet/spawn.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

namespace gateway::fleet {
namespace {

/// Where the child keeps the pipe that tells why exec failed; everything above is closed.
constexpr int report_descriptor = 3;

class Pipe {
public:
    Pipe() : open_(::pipe2(ends_, O_CLOEXEC) == 0) {}
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe() {
        close(0);
        close(1);
    }

    bool is_open() const { return open_; }
    int reader() const { return ends_[0]; }
    int writer() const { return ends_[1]; }
    void close_writer() { close(1); }
    int release_reader() { return std::exchange(ends_[0], -1); }

private:
    void close(int end) {
        if (ends_[end] >= 0) {
            ::close(std::exchange(ends_[end], -1));
        }
    }

    int ends_[2] = {-1, -1};
    bool open_;
};

/// Pointers to the strings of a vector, as exec wants them.
std::vector<char*> pointers(std::vector<std::string>& strings) {
    std::vector<char*> result;
    for (auto& string : strings) {
        result.push_back(string.data());
    }
    result.push_back(nullptr);
    return result;
}

std::vector<std::string> environment_without(const std::vector<std::string>& hidden) {
    std::vector<std::string> result;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string_view text = *variable;
        if (std::ranges::find(hidden, text.substr(0, text.find('='))) == hidden.end()) {
            result.emplace_back(text);
        }
    }
    return result;
}

/// Runs in the child of a process with many threads: only system calls, no allocation, no lock.
[[noreturn]] void become(const char* program, char* const* arguments, char* const* environment, int null_input,
                         int standard_error, int report, pid_t parent) {
    const auto give_up = [&report] {
        const int error = errno;
        [[maybe_unused]] const auto written = ::write(report, &error, sizeof error);
        ::_exit(127);
    };
    // A Ctrl-C at the terminal is for the gateway, which then drains; the workers are not in its process group.
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) {
        ::_exit(127);  // the gateway died before the line above
    }
    struct sigaction normal = {};
    normal.sa_handler = SIG_DFL;
    for (int signal = 1; signal < NSIG; ++signal) {
        ::sigaction(signal, &normal, nullptr);
    }
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    // All descriptors at hand are above `report_descriptor`, see `spawn`.
    if (::dup2(null_input, STDIN_FILENO) < 0 || ::dup2(standard_error, STDOUT_FILENO) < 0 ||
        ::dup2(standard_error, STDERR_FILENO) < 0 || ::dup3(report, report_descriptor, O_CLOEXEC) < 0) {
        give_up();
    }
    report = report_descriptor;
    ::syscall(SYS_close_range, report_descriptor + 1, ~0U, 0);
    ::execve(program, arguments, environment);
    give_up();
    std::unreachable();
}

base::Error system_error(const std::string& what, int error) {
    return {.code = base::ErrorCode::unavailable,
            .message = what + ": " + std::strerror(error),
            .param = {},
            .retry_after = {}};
}

/// A copy of `descriptor` above those the child fills.
int raised(int descriptor) {
    return ::fcntl(descriptor, F_DUPFD_CLOEXEC, report_descriptor + 1);
}

}  // namespace

base::Result<Spawned> spawn(const Command& command) {
    std::vector<std::string> arguments = {command.program.string()};
    arguments.insert(arguments.end(), command.arguments.begin(), command.arguments.end());
    std::vector<std::string> environment = environment_without(command.hidden_environment);
    const auto argument_pointers = pointers(arguments);
    const auto environment_pointers = pointers(environment);

    Pipe report;
    Pipe output;
    if (!report.is_open() || !output.is_open()) {
        return std::unexpected(system_error("no pipe for a worker", errno));
    }
    const int raised_report = raised(report.writer());
    const int raised_output = raised(output.writer());
    const int raised_null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int null_input = raised(raised_null);
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    const int fork_error = errno;
    if (pid == 0) {
        become(arguments[0].c_str(), argument_pointers.data(), environment_pointers.data(), null_input, raised_output,
               raised_report, parent);
    }
    for (const int descriptor : {raised_report, raised_output, raised_null, null_input}) {
        ::close(descriptor);
    }
    report.close_writer();
    output.close_writer();
    if (pid < 0) {
        return std::unexpected(system_error("no process for a worker", fork_error));
    }
    int exec_error = 0;
    ssize_t got = 0;
    do {
        got = ::read(report.reader(), &exec_error, sizeof exec_error);
    } while (got < 0 && errno == EINTR);
    if (got == sizeof exec_error) {
        ::waitpid(pid, nullptr, 0);
        return std::unexpected(system_error("cannot start " + command.program.string(), exec_error));
    }
    const auto pidfd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    if (pidfd < 0) {
        const int error = errno;
        ::kill(pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
        return std::unexpected(system_error("cannot watch a worker", error));
    }
    return Spawned{.pid = pid, .pidfd = pidfd, .standard_error = output.release_reader()};
}

}  // namespace gateway::fleet
