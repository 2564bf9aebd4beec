#include "gateway/probe.hpp"

#include <fmt/format.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/url/parse.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace gateway {

int probe(const std::string& url) {
    const auto parsed = boost::urls::parse_uri(url);
    if (!parsed || parsed->scheme() != "http") {
        fmt::print(stderr, "llm-gateway health: {} is not a URL like http://127.0.0.1:8080/health/ready\n", url);
        return EXIT_FAILURE;
    }
    const std::string host = parsed->host_address();
    const std::string port = parsed->has_port() ? std::string(parsed->port()) : "80";
    const std::string path = parsed->encoded_path().empty() ? "/" : std::string(parsed->encoded_path());
    boost::asio::ip::tcp::iostream stream;
    stream.expires_after(std::chrono::seconds(3));
    stream.connect(host, port);
    stream << "GET " << path << " HTTP/1.1\r\nHost: " << host << "\r\nConnection: close\r\n\r\n" << std::flush;
    std::string version;
    int status = 0;
    stream >> version >> status;
    if (status != 200) {
        fmt::print(stderr, "llm-gateway health: {}\n",
                   status == 0 ? "no answer: " + stream.error().message() : "status " + std::to_string(status));
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}

}  // namespace gateway
