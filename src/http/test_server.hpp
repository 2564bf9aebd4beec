#pragma once

/// For the tests of this folder: a real server on a free port with its own thread, and a client made of plain sockets
/// that shares no code with it.

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <cstdlib>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "http/server.hpp"

namespace http {

class TestServer {
public:
    explicit TestServer(std::vector<Route> routes, ServerOptions options = {}, Observer* observer = nullptr)
        : server_(std::make_unique<Server>(io_, std::move(routes), std::move(options), observer)),
          port_(server_->listen("127.0.0.1", 0).value()),
          thread_([this] { io_.run(); }) {}
    ~TestServer() {
        drain(std::chrono::milliseconds(0));
        work_.reset();
        thread_.join();
        server_.reset();
    }
    TestServer(const TestServer&) = delete;
    TestServer& operator=(const TestServer&) = delete;

    bool drain(base::Duration grace) { return start_draining(grace).get(); }
    std::future<bool> start_draining(base::Duration grace) {
        return asio::co_spawn(io_, server_->drain(grace), asio::use_future);
    }
    std::uint16_t port() const { return port_; }
    asio::io_context& io() { return io_; }

private:
    asio::io_context io_{1};
    asio::executor_work_guard<asio::io_context::executor_type> work_{io_.get_executor()};
    std::unique_ptr<Server> server_;
    std::uint16_t port_;
    std::thread thread_;
};

struct ReceivedResponse {
    int status = 0;
    std::string head;
    Headers headers;
    std::string body;

    std::string header(std::string_view name) const { return std::string(headers.find(name).value_or("")); }
};

class TestClient {
public:
    explicit TestClient(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
            throw std::runtime_error("cannot connect");
        }
        const timeval limit{.tv_sec = 20, .tv_usec = 0};
        ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    }
    ~TestClient() { leave(); }
    TestClient(const TestClient&) = delete;
    TestClient& operator=(const TestClient&) = delete;

    /// False when the server has closed.
    bool send(std::string_view bytes) const {
        while (!bytes.empty()) {
            const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0) {
                return false;
            }
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }
    void close_sending_side() const { ::shutdown(socket_, SHUT_WR); }
    void leave() {
        if (socket_ >= 0) {
            ::close(std::exchange(socket_, -1));
        }
    }
    int socket() const { return socket_; }

    /// What comes until the marker, inclusive; all that came when the server closes first.
    std::string read_until(std::string_view marker) {
        while (!received_.contains(marker) && receive()) {
        }
        const auto at = received_.find(marker);
        return take(at == std::string::npos ? received_.size() : at + marker.size());
    }
    std::string read_until_closed() {
        while (receive()) {
        }
        return take(received_.size());
    }
    /// True when the server ends the connection rather than sending something.
    bool is_closed() { return received_.empty() && !receive(); }
    /// The last `receive` ended with a reset rather than an orderly close.
    bool was_reset() const { return reset_; }

    /// Empty status when the connection ended first.
    ReceivedResponse read_response(bool to_head = false) {
        ReceivedResponse response;
        response.head = read_until("\r\n\r\n");
        if (!response.head.starts_with("HTTP/1.1 ") || !response.head.ends_with("\r\n\r\n")) {
            return response;
        }
        response.status = std::atoi(response.head.c_str() + 9);
        std::string_view rest = response.head;
        rest.remove_prefix(rest.find("\r\n") + 2);
        while (rest != "\r\n") {
            const auto line = rest.substr(0, rest.find("\r\n"));
            const auto colon = line.find(": ");
            response.headers.add(std::string(line.substr(0, colon)), std::string(line.substr(colon + 2)));
            rest.remove_prefix(line.size() + 2);
        }
        if (to_head || response.status == 204) {
            return response;
        }
        if (response.headers.lists("Transfer-Encoding", "chunked")) {
            while (const auto size = std::strtoul(read_until("\r\n").c_str(), nullptr, 16)) {
                response.body += read_exactly(size);
                read_exactly(2);
            }
            read_exactly(2);
        } else if (const auto length = response.headers.find("Content-Length")) {
            response.body = read_exactly(std::strtoul(std::string(*length).c_str(), nullptr, 10));
        } else {
            response.body = read_until_closed();
        }
        return response;
    }

    ReceivedResponse get(const std::string& path, const std::string& headers = {}) {
        send("GET " + path + " HTTP/1.1\r\nHost: test\r\n" + headers + "\r\n");
        return read_response();
    }
    ReceivedResponse post(const std::string& path, const std::string& body, const std::string& headers = {}) {
        send("POST " + path + " HTTP/1.1\r\nHost: test\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
             headers + "\r\n" + body);
        return read_response();
    }

private:
    bool receive() {
        std::array<char, 65536> bytes;
        const auto size = ::recv(socket_, bytes.data(), bytes.size(), 0);
        reset_ = size < 0 && errno == ECONNRESET;
        if (size < 0 && !reset_) {
            throw std::runtime_error("the server is silent");
        }
        if (size > 0) {
            received_.append(bytes.data(), static_cast<std::size_t>(size));
        }
        return size > 0;
    }
    std::string read_exactly(std::size_t size) {
        while (received_.size() < size && receive()) {
        }
        return take(std::min(size, received_.size()));
    }
    std::string take(std::size_t size) {
        auto taken = received_.substr(0, size);
        received_.erase(0, size);
        return taken;
    }

    int socket_;
    bool reset_ = false;
    std::string received_;
};

}  // namespace http
