#include "gateway/fetch/download.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/url.hpp>
#include <utility>
#include <vector>

namespace gateway::fetch {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using base::ErrorCode;
using base::fail;

constexpr auto use = asio::as_tuple(asio::use_awaitable);
constexpr std::uint32_t most_header_bytes = 16 << 10;

using Response = beast::http::response<beast::http::string_body>;

std::unexpected<base::Error> failed(const Target& target, std::string_view what) {
    return fail(ErrorCode::invalid, fmt::format("The image could not be downloaded: {} {}.", target.host, what));
}

asio::awaitable<base::Result<std::vector<tcp::endpoint>>> addresses_of(const Target& target, const Rules& rules,
                                                                       Stop& stop) {
    tcp::resolver resolver(co_await asio::this_coro::executor);
    stop.set([&resolver] { resolver.cancel(); });
    auto [error, results] =
        co_await resolver.async_resolve(target.host, target.port, tcp::resolver::numeric_service, use);
    stop.set(nullptr);
    if (error) {
        co_return failed(target, "has no address");
    }
    std::vector<tcp::endpoint> endpoints;
    for (const auto& each : results) {
        // One that is not allowed is enough to distrust the name.
        if (!rules.private_addresses && !is_public(each.endpoint().address())) {
            co_return failed(target, "is not on the public internet");
        }
        endpoints.push_back(each.endpoint());
    }
    co_return endpoints;
}

template <typename Stream>
asio::awaitable<base::Result<Response>> exchange(Stream& stream, const Target& target, const Rules& rules) {
    const bool usual = target.port == (target.tls ? "443" : "80");
    beast::http::request<beast::http::empty_body> request(beast::http::verb::get, target.path, 11);
    request.set(beast::http::field::host, usual ? target.host : target.host + ":" + target.port);
    request.set(beast::http::field::user_agent, "llm-gateway");
    request.set(beast::http::field::accept, "image/png, image/jpeg, image/webp");
    request.set(beast::http::field::connection, "close");
    if (auto [error, written] = co_await beast::http::async_write(stream, request, use); error) {
        co_return failed(target, "did not take the request");
    }
    beast::flat_buffer buffer;
    beast::http::response_parser<beast::http::string_body> parser;
    parser.header_limit(most_header_bytes);
    parser.body_limit(rules.most_bytes);
    auto [error, read] = co_await beast::http::async_read(stream, buffer, parser, use);
    if (error == beast::http::error::body_limit) {
        co_return failed(target, fmt::format("has more than the {} bytes that are allowed", rules.most_bytes));
    }
    if (error) {
        co_return failed(target, "did not answer, or not in HTTP");
    }
    co_return parser.release();
}

asio::awaitable<base::Result<Response>> ask(const Target& target, const Rules& rules, asio::ssl::context& tls,
                                            Stop& stop) {
    auto endpoints = co_await addresses_of(target, rules, stop);
    if (!endpoints) {
        co_return std::unexpected(endpoints.error());
    }
    asio::ssl::stream<beast::tcp_stream> stream(co_await asio::this_coro::executor, tls);
    auto& plain = stream.next_layer();
    if (stop.requested()) {
        co_return failed(target, "took too long");
    }
    stop.set([&plain] { plain.close(); });
    if (auto [error, endpoint] = co_await plain.async_connect(*endpoints, use); error) {
        stop.set(nullptr);
        co_return failed(target, "cannot be reached");
    }
    base::Result<Response> response = failed(target, "has no certificate that this server trusts");
    if (!target.tls) {
        response = co_await exchange(plain, target, rules);
    } else if (SSL_set_tlsext_host_name(stream.native_handle(), target.host.c_str()) == 1) {
        stream.set_verify_callback(asio::ssl::host_name_verification(target.host));
        auto [error] = co_await stream.async_handshake(asio::ssl::stream_base::client, use);
        if (!error) {
            response = co_await exchange(stream, target, rules);
        }
    }
    stop.set(nullptr);
    co_return response;
}

bool is_redirect(unsigned status) {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

std::string resolved(std::string_view base, std::string_view reference) {
    boost::urls::url result;
    const auto from = boost::urls::parse_uri(base);
    const auto to = boost::urls::parse_uri_reference(reference);
    return from && to && boost::urls::resolve(*from, *to, result) ? std::string(result.buffer()) : std::string();
}

}  // namespace

asio::ssl::context verifying_context() {
    asio::ssl::context context(asio::ssl::context::tls_client);
    context.set_options(asio::ssl::context::no_tlsv1 | asio::ssl::context::no_tlsv1_1);
    context.set_verify_mode(asio::ssl::verify_peer);
    boost::system::error_code ignored;  // without any certificates, none is trusted
    context.set_default_verify_paths(ignored);
    return context;
}

asio::awaitable<base::Result<std::string>> download(std::string url, const Rules& rules, asio::ssl::context& tls,
                                                    Stop& stop) {
    for (unsigned redirects = 0; redirects <= rules.most_redirects; ++redirects) {
        const auto target = target_of(url, rules);
        if (!target) {
            co_return std::unexpected(target.error());
        }
        auto response = co_await ask(*target, rules, tls, stop);
        if (!response) {
            co_return std::unexpected(response.error());
        }
        if (response->result_int() == 200) {
            co_return std::move(response->body());
        }
        if (!is_redirect(response->result_int())) {
            co_return failed(*target, fmt::format("answers with the status {}", response->result_int()));
        }
        url = resolved(url, (*response)[beast::http::field::location]);
    }
    co_return fail(ErrorCode::invalid,
                   fmt::format("The image could not be downloaded: more than {} redirects.", rules.most_redirects));
}

}  // namespace gateway::fetch
