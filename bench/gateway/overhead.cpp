// What the gateway adds to a request: the same job, sent to a worker directly over gRPC and through the gateway over
// HTTP, in alternating rounds on one connection each. The difference of the two times is the gateway's own: reading,
// checking, deciding, passing on, writing.
//
//   gateway-overhead WORKER_SOCKET GATEWAY_PORT MODEL REQUESTS ROUNDS
//
// Prints one line of JSON for each round: {"direct_us": [median, p99], "gateway_us": [median, p99]}.

#include <arpa/inet.h>
#include <fmt/format.h>
#include <grpcpp/grpcpp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "engine.grpc.pb.h"

namespace {

namespace contract = llm_gateway::engine::v1;
using Clock = std::chrono::steady_clock;

constexpr std::string_view prompt = "hello there";

class DirectCaller {
public:
    explicit DirectCaller(const std::string& socket)
        : stub_(contract::Engine::NewStub(grpc::CreateChannel("unix:" + socket, grpc::InsecureChannelCredentials()))) {}

    void ask() {
        contract::Job job;
        job.set_id(fmt::format("bench-{}", ++number_));
        auto& chat = *job.mutable_text()->mutable_chat();
        auto& message = *chat.add_messages();
        message.set_role("user");
        message.add_content()->set_text(std::string(prompt));
        grpc::ClientContext context;
        const auto reader = stub_->Run(&context, job);
        contract::Event event;
        bool finished = false;
        while (reader->Read(&event))
            finished = finished || event.has_finished();
        if (!reader->Finish().ok() || !finished)
            throw std::runtime_error("the worker did not finish a job");
    }

private:
    std::unique_ptr<contract::Engine::Stub> stub_;
    int number_ = 0;
};

// One keep-alive connection; knows just enough HTTP to find the end of an answer with a Content-Length.
class GatewayCaller {
public:
    GatewayCaller(std::uint16_t port, std::string_view model) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
            throw std::runtime_error("the gateway does not answer");
        const int on = 1;
        ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        const auto body =
            fmt::format(R"({{"model":"{}","messages":[{{"role":"user","content":"{}"}}]}})", model, prompt);
        request_ = fmt::format(
            "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            "Content-Length: {}\r\n\r\n{}",
            body.size(), body);
    }
    GatewayCaller(const GatewayCaller&) = delete;
    GatewayCaller& operator=(const GatewayCaller&) = delete;
    ~GatewayCaller() { ::close(socket_); }

    void ask() {
        if (::send(socket_, request_.data(), request_.size(), 0) != static_cast<ssize_t>(request_.size()))
            throw std::runtime_error("the gateway took only a part of a request");
        std::string answer;
        std::size_t expected = 0;
        while (expected == 0 || answer.size() < expected) {
            char buffer[16384];
            const auto count = ::recv(socket_, buffer, sizeof buffer, 0);
            if (count <= 0)
                throw std::runtime_error("the gateway closed the connection");
            answer.append(buffer, static_cast<std::size_t>(count));
            if (expected == 0)
                expected = size_of(answer);
        }
        if (!answer.starts_with("HTTP/1.1 200"))
            throw std::runtime_error(answer);
    }

private:
    // 0 while the head is not whole.
    static std::size_t size_of(const std::string& answer) {
        const auto end = answer.find("\r\n\r\n");
        if (end == std::string::npos)
            return 0;
        const auto found = answer.find("Content-Length: ");
        if (found == std::string::npos || found > end)
            throw std::runtime_error("no Content-Length in\n" + answer);
        return end + 4 + static_cast<std::size_t>(std::atol(answer.c_str() + found + 16));
    }

    int socket_;
    std::string request_;
};

struct Times {
    double median_us = 0;
    double p99_us = 0;
};

Times measure(int requests, auto&& caller) {
    std::vector<double> times;
    times.reserve(static_cast<std::size_t>(requests));
    for (int i = 0; i < requests; ++i) {
        const auto start = Clock::now();
        caller.ask();
        times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    }
    std::ranges::sort(times);
    return {.median_us = times[times.size() / 2], .p99_us = times[times.size() * 99 / 100]};
}

}  // namespace

int main(int count, char** values) {
    if (count != 6) {
        fmt::print(stderr, "usage: gateway-overhead WORKER_SOCKET GATEWAY_PORT MODEL REQUESTS ROUNDS\n");
        return 2;
    }
    const int requests = std::atoi(values[4]);
    const int rounds = std::atoi(values[5]);
    try {
        DirectCaller direct(values[1]);
        GatewayCaller gateway(static_cast<std::uint16_t>(std::atoi(values[2])), values[3]);
        measure(200, direct);
        measure(200, gateway);
        for (int round = 0; round < rounds; ++round) {
            Times d;
            Times g;
            if (round % 2 == 0)
                d = measure(requests, direct);
            g = measure(requests, gateway);
            if (round % 2 == 1)
                d = measure(requests, direct);
            fmt::print("{{\"direct_us\": [{:.1f}, {:.1f}], \"gateway_us\": [{:.1f}, {:.1f}]}}\n", d.median_us, d.p99_us,
                       g.median_us, g.p99_us);
        }
    } catch (const std::exception& problem) {
        fmt::print(stderr, "gateway-overhead: {}\n", problem.what());
        return 1;
    }
}
