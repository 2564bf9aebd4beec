#pragma once

/// For tests of what is kept: a gateway that stays between requests, with a store in memory or in a folder.

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/json/value.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "gateway/api/a1111/choices.hpp"
#include "gateway/api/responses/background.hpp"
#include "gateway/api/test_support.hpp"
#include "gateway/backends/executor.hpp"
#include "gateway/drawing/image_jobs.hpp"
#include "gateway/store/store.hpp"
#include "http/router.hpp"

namespace gateway::api::test {

class Session {
public:
    struct Options {
        bool keeps = true;
        /// Empty: in memory.
        std::filesystem::path folder = {};
        store::Bounds bounds = {};
    };

    Session() : Session(Options{}) {}
    explicit Session(Options options);
    ~Session();

    /// What the next jobs answer, and how many of its events come at once; the rest waits for `release`.
    std::vector<Event> script = {text("hi"), choice_finished(llm_gateway::engine::v1::STOP), finished()};
    std::size_t at_once = SIZE_MAX;
    void release();

    /// The answer to one request; jobs in the background may go on after it. `path` may have a query.
    http::Response ask(http::Method method, std::string path, std::string body = {}, std::string caller = {});
    http::Response post(std::string path, std::string body, std::string caller = {}) {
        return ask(http::Method::post, std::move(path), std::move(body), std::move(caller));
    }
    http::Response get(std::string path, std::string caller = {}) {
        return ask(http::Method::get, std::move(path), {}, std::move(caller));
    }
    http::Response remove(std::string path, std::string caller = {}) {
        return ask(http::Method::delete_, std::move(path), {}, std::move(caller));
    }

    /// Until nothing happens any more by itself.
    void settle();
    responses::Background& background() { return background_; }
    FixedCatalogue& catalogue() { return catalogue_; }
    /// For submitting image jobs without a request that waits for them.
    drawing::ImageJobs& image_jobs() { return *image_jobs_; }

    /// What reached the backend, and how many jobs were cancelled before they ended.
    std::vector<Job> jobs;
    int cancelled = 0;

private:
    class ScriptedBackend;
    struct IoExecutor final : backends::Executor {
        explicit IoExecutor(boost::asio::io_context& context) : io(context) {}
        void post(std::move_only_function<void()> work) override;
        boost::asio::io_context& io;
    };

    boost::asio::io_context io_;
    IoExecutor executor_{io_};
    FixedCatalogue catalogue_;
    Observer observer_;
    base::SteadyClock clock_;
    std::unique_ptr<store::Store> store_;
    std::unique_ptr<ScriptedBackend> backend_;
    std::unique_ptr<drawing::ImageJobs> image_jobs_;
    a1111::Choices choices_;
    responses::Background background_;
    std::unique_ptr<Services> services_;
    std::unique_ptr<http::Router> router_;
};

/// The body as JSON.
boost::json::value json_of(const http::Response& response);

}  // namespace gateway::api::test
