#include "worker/rpc/serve.hpp"

#include <fmt/format.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "base/log.hpp"
#include "worker/rpc/engine_service.hpp"

namespace worker::rpc {
namespace {

// A job carries images as bytes, so gRPC's default of 4 MB is too small.
constexpr int largest_message_bytes = 256 << 20;

class FileDescriptor {
public:
    explicit FileDescriptor(int descriptor) : descriptor_(descriptor) {}
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;
    ~FileDescriptor() { close(descriptor_); }
    int get() const { return descriptor_; }

private:
    int descriptor_;
};

sigset_t ending_signals() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    return signals;
}

enum class Woken { by_signal, by_load, by_orphaning };

// Waits for a signal or for the end of loading (`load_ended` readable; ignored when negative). The kernel's notice of
// the parent's end can be lost when the parent dies before it is asked for, so the parent is looked at as well.
Woken wait(const FileDescriptor& signals, int load_ended, pid_t parent) {
    while (true) {
        pollfd watched[] = {{.fd = signals.get(), .events = POLLIN, .revents = 0},
                            {.fd = load_ended, .events = POLLIN, .revents = 0}};
        poll(watched, 2, parent == 0 ? -1 : 1000);
        if (watched[0].revents != 0) {
            return Woken::by_signal;
        }
        if (watched[1].revents != 0) {
            return Woken::by_load;
        }
        if (parent != 0 && getppid() != parent) {
            return Woken::by_orphaning;
        }
    }
}

std::unique_ptr<grpc::Server> listen(const std::string& socket, EngineService& service) {
    unlink(socket.c_str());
    grpc::ServerBuilder builder;
    builder.AddListeningPort("unix:" + socket, grpc::InsecureServerCredentials());
    builder.RegisterService(&service);
    builder.SetMaxReceiveMessageSize(largest_message_bytes);
    builder.SetMaxSendMessageSize(largest_message_bytes);
    return builder.BuildAndStart();
}

// Ends without unwinding: a thread is inside the engine and cannot be called back.
[[noreturn]] void leave_at_once(const std::string& socket, int status) {
    unlink(socket.c_str());
    std::fflush(nullptr);
    _exit(status);
}

}  // namespace

bool bind_to_parent(pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    return getppid() == parent;
}

int serve(const ServeOptions& options, const Load& load) {
    const sigset_t signals = ending_signals();
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    const FileDescriptor signalled(signalfd(-1, &signals, SFD_CLOEXEC));
    const FileDescriptor load_ended(eventfd(0, EFD_CLOEXEC));

    std::unique_ptr<JobRunner> runner;  // before the service and the server: they use it
    EngineService service;
    const auto server = listen(options.socket, service);
    if (server == nullptr) {
        fmt::print(stderr, "cannot listen on the socket {}\n", options.socket);
        return EXIT_FAILURE;
    }
    base::log::debug("listening", {{"socket", options.socket}});

    base::Result<std::unique_ptr<JobRunner>> loaded;
    std::jthread loading([&] {
        loaded = load([&service](double fraction) { service.set_load_progress(fraction); });
        const std::uint64_t one = 1;
        if (write(load_ended.get(), &one, sizeof one) != sizeof one) {
            std::abort();
        }
    });
    if (wait(signalled, load_ended.get(), options.parent) != Woken::by_load) {
        leave_at_once(options.socket, EXIT_SUCCESS);
    }
    loading.join();
    if (!loaded) {
        server->Shutdown();
        unlink(options.socket.c_str());
        fmt::print(stderr, "cannot load the model: {}\n", loaded.error().message);
        return load_failed_status;
    }
    runner = std::move(*loaded);
    service.ready(*runner);
    base::log::info("ready");

    if (wait(signalled, -1, options.parent) == Woken::by_orphaning) {
        base::log::warning("the parent process is gone");
        leave_at_once(options.socket, EXIT_SUCCESS);
    }
    service.drain();
    base::log::info("draining");
    service.wait_until_idle();
    // All jobs are answered; a peer that does not hang up is not waited for.
    server->Shutdown(std::chrono::system_clock::now() + std::chrono::milliseconds(100));
    unlink(options.socket.c_str());
    return EXIT_SUCCESS;
}

}  // namespace worker::rpc
