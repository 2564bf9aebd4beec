#include "gateway/fetch/image_fetching.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <map>

namespace gateway::fetch {
namespace {

namespace asio = boost::asio;
namespace contract = llm_gateway::engine::v1;
using asio::ip::tcp;
using testing::HasSubstr;

/// Answers each request line with what the test has for its path; what it has nothing for is never answered.
class WebServer {
public:
    explicit WebServer(asio::io_context& io) : acceptor_(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {
        asio::co_spawn(io, serve(), asio::detached);
    }

    std::string host() const { return "127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port()); }
    std::string url(const std::string& path) const { return "http://" + host() + path; }

    void has(const std::string& path, const std::string& body, const std::string& status = "200 OK") {
        pages_[path] = "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    }
    void redirects(const std::string& path, const std::string& to) {
        pages_[path] = "HTTP/1.1 302 Found\r\nLocation: " + to + "\r\nContent-Length: 0\r\n\r\n";
    }
    void says(const std::string& path, const std::string& bytes) { pages_[path] = bytes; }

    std::vector<std::string> asked;

private:
    asio::awaitable<void> serve() {
        while (true) {
            tcp::socket socket = co_await acceptor_.async_accept(asio::use_awaitable);
            asio::co_spawn(acceptor_.get_executor(), answer(std::move(socket)), asio::detached);
        }
    }

    asio::awaitable<void> answer(tcp::socket socket) {
        boost::system::error_code error;
        std::string head;
        std::array<char, 4096> some{};
        while (!error && head.find("\r\n\r\n") == std::string::npos) {
            const auto size =
                co_await socket.async_read_some(asio::buffer(some), asio::redirect_error(asio::use_awaitable, error));
            head.append(some.data(), size);
            if (head.starts_with('\x16')) {
                co_return;  // TLS
            }
        }
        const auto begin = head.find(' ') + 1;
        const std::string path = head.substr(begin, head.find(' ', begin) - begin);
        asked.push_back(path);
        if (const auto page = pages_.find(path); page != pages_.end()) {
            co_await asio::async_write(socket, asio::buffer(page->second),
                                       asio::redirect_error(asio::use_awaitable, error));
            co_return;
        }
        co_await socket.async_read_some(asio::buffer(some), asio::redirect_error(asio::use_awaitable, error));
        silence_ended = true;
    }

    tcp::acceptor acceptor_;
    std::map<std::string, std::string> pages_;

public:
    /// A client that was not answered has left.
    bool silence_ended = false;
};

struct Inner final : backends::Backend {
    std::unique_ptr<backends::Submission> submit(const backends::ModelName&, backends::Job job,
                                                 backends::EventSink& sink) override {
        jobs.push_back(std::move(job));
        backends::Event event;
        event.mutable_finished();
        sink.on_event(std::move(event));
        return std::make_unique<backends::Submission>();
    }
    std::vector<backends::Job> jobs;
};

struct Sink final : backends::EventSink {
    void on_event(backends::Event event) override { events.push_back(std::move(event)); }
    std::vector<backends::Event> events;
};

struct ImageFetchingTest : testing::Test {
    /// Runs until the job is over.
    void run(const std::vector<std::string>& urls, Rules rules = {}) {
        rules.hosts.push_back(web.host());
        ImageFetching fetching(io, inner, rules);
        submission = fetching.submit(backends::ModelName("tiny"), job(urls), sink);
        EXPECT_TRUE(sink.events.empty() || inner.jobs.size() == 1) << "nothing before submit has returned";
        while (sink.events.empty()) {
            io.run_one();
        }
        submission.reset();
    }

    static backends::Job job(const std::vector<std::string>& urls) {
        backends::Job job;
        auto& message = *job.mutable_text()->mutable_chat()->add_messages();
        message.add_content()->set_text("What is this?");
        for (const std::string& url : urls) {
            message.add_content()->mutable_image()->set_url(url);
        }
        return job;
    }

    std::string data(int part) const { return inner.jobs.at(0).text().chat().messages(0).content(part).image().data(); }
    const contract::Failed& failure() const { return sink.events.at(0).failed(); }

    static Rules here() { return {.private_addresses = true}; }

    asio::io_context io;
    WebServer web{io};
    Inner inner;
    Sink sink;
    std::unique_ptr<backends::Submission> submission;
};

TEST_F(ImageFetchingTest, AJobWithoutAddressesIsPassedOnAtOnce) {
    run({});
    EXPECT_EQ(inner.jobs.size(), 1U);
    EXPECT_TRUE(web.asked.empty());
}

TEST_F(ImageFetchingTest, PutsWhatIsThereIntoTheJob) {
    web.has("/a.png?x=1", "the picture");
    web.has("/b.png", "another");
    run({web.url("/a.png?x=1"), web.url("/b.png")}, here());
    ASSERT_EQ(inner.jobs.size(), 1U) << failure().message();
    EXPECT_EQ(data(1), "the picture");
    EXPECT_EQ(data(2), "another");
    EXPECT_EQ(inner.jobs[0].text().chat().messages(0).content(1).image().url(), "");
}

TEST_F(ImageFetchingTest, AsksForTheSameAddressOnce) {
    web.has("/a.png", "the picture");
    run({web.url("/a.png"), web.url("/a.png")}, here());
    EXPECT_EQ(data(2), "the picture");
    EXPECT_EQ(web.asked.size(), 1U);
}

TEST_F(ImageFetchingTest, FollowsRedirectsToAllowedHosts) {
    web.redirects("/a.png", "/moved/b.png");
    web.redirects("/moved/b.png", "c.png");
    web.has("/moved/c.png", "the picture");
    run({web.url("/a.png")}, here());
    ASSERT_EQ(inner.jobs.size(), 1U) << failure().message();
    EXPECT_EQ(data(1), "the picture");
}

TEST_F(ImageFetchingTest, FollowsNoRedirectToAnotherHost) {
    web.redirects("/a.png", "http://localhost:1/b.png");
    run({web.url("/a.png")}, here());
    EXPECT_THAT(failure().message(), HasSubstr("downloads no images from localhost"));
}

TEST_F(ImageFetchingTest, GoesNotInCircles) {
    web.redirects("/a.png", "/a.png");
    run({web.url("/a.png")}, here());
    EXPECT_THAT(failure().message(), HasSubstr("more than 3 redirects"));
    EXPECT_EQ(web.asked.size(), 4U);
}

TEST_F(ImageFetchingTest, AsksNobodyInAPrivateNetwork) {
    web.has("/a.png", "secret");
    run({web.url("/a.png")}, {});
    EXPECT_EQ(failure().code(), contract::INVALID);
    EXPECT_THAT(failure().message(), HasSubstr("not on the public internet"));
    EXPECT_TRUE(web.asked.empty());
}

TEST_F(ImageFetchingTest, AsksNobodyWhoIsNotListed) {
    run({"https://example.org/a.png"}, here());
    EXPECT_THAT(failure().message(), HasSubstr("downloads no images from example.org"));
}

TEST_F(ImageFetchingTest, NamesThePicture) {
    web.has("/a.png", "the picture");
    web.has("/gone.png", "", "404 Not Found");
    run({web.url("/a.png"), web.url("/gone.png")}, here());
    EXPECT_EQ(failure().param(), "chat.messages[0].content[2]");
    EXPECT_THAT(failure().message(), HasSubstr("status 404"));
}

TEST_F(ImageFetchingTest, TakesNoMoreThanTheLimit) {
    web.has("/a.png", std::string(1001, 'x'));
    web.has("/b.png", std::string(600, 'x'));
    auto rules = here();
    rules.most_bytes = 1000;
    run({web.url("/a.png")}, rules);
    EXPECT_THAT(failure().message(), HasSubstr("1000 bytes"));
    sink.events.clear();
    run({web.url("/b.png"), web.url("/b.png")}, rules);
    EXPECT_THAT(failure().message(), HasSubstr("1000 bytes together"));
}

TEST_F(ImageFetchingTest, TakesNoMoreThanTheLimitWhateverTheHeadSays) {
    web.says("/a.png", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + std::string(5000, 'x'));
    auto rules = here();
    rules.most_bytes = 1000;
    run({web.url("/a.png")}, rules);
    EXPECT_THAT(failure().message(), HasSubstr("1000 bytes"));
}

TEST_F(ImageFetchingTest, IsNotIrritatedByWhatIsNoHttp) {
    web.says("/a.png", "\x16\x03\x01 hello, this is something else\r\n\r\n");
    run({web.url("/a.png")}, here());
    EXPECT_THAT(failure().message(), HasSubstr("not in HTTP"));
}

TEST_F(ImageFetchingTest, TrustsNoCertificateThatNobodyVouchesFor) {
    web.has("/a.png", "the picture");
    run({"https://" + web.host() + "/a.png"}, here());
    EXPECT_THAT(failure().message(), HasSubstr("certificate"));
}

TEST_F(ImageFetchingTest, WaitsNoLongerThanTheLimit) {
    auto rules = here();
    rules.timeout = std::chrono::milliseconds(20);
    run({web.url("/never.png")}, rules);
    EXPECT_THAT(failure().message(), HasSubstr("in time"));
}

TEST_F(ImageFetchingTest, StopsWhenNobodyWantsTheAnswerAnyMore) {
    auto rules = here();
    rules.hosts.push_back(web.host());
    ImageFetching fetching(io, inner, rules);
    submission = fetching.submit(backends::ModelName("tiny"), job({web.url("/never.png")}), sink);
    while (web.asked.empty()) {
        io.run_one();
    }
    submission.reset();
    while (!web.silence_ended) {
        io.run_one();
    }
    EXPECT_TRUE(sink.events.empty());
    EXPECT_TRUE(inner.jobs.empty());
}

TEST_F(ImageFetchingTest, TakesTheTimeItTookFromTheJob) {
    web.has("/a.png", "the picture");
    auto rules = here();
    rules.hosts.push_back(web.host());
    ImageFetching fetching(io, inner, rules);
    auto limited = job({web.url("/a.png")});
    limited.set_seconds_left(100);
    submission = fetching.submit(backends::ModelName("tiny"), std::move(limited), sink);
    while (sink.events.empty()) {
        io.run_one();
    }
    EXPECT_LT(inner.jobs.at(0).seconds_left(), 100);
}

}  // namespace
}  // namespace gateway::fetch
