#include "gateway/api/session_support.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/json/parse.hpp>
#include <stdexcept>

#include "http/recorded_exchange.hpp"

namespace gateway::api::test {

namespace asio = boost::asio;

void Session::IoExecutor::post(std::move_only_function<void()> work) {
    asio::post(io, std::move(work));
}

/// Sends the script's events one after the other, each in its own turn of the loop; stops where it is told to wait.
class Session::ScriptedBackend final : public backends::Backend {
public:
    explicit ScriptedBackend(Session& session) : session_(session) {}

    std::unique_ptr<backends::Submission> submit(const backends::ModelName&, Job job,
                                                 backends::EventSink& sink) override {
        session_.jobs.push_back(std::move(job));
        auto run = std::make_shared<Run>(Run{.sink = &sink, .rest = session_.script, .allowed = session_.at_once});
        runs_.push_back(run);
        post_next(run);
        return std::make_unique<Ticket>(run, session_);
    }

    void release() {
        for (auto& weak : runs_)
            if (auto run = weak.lock()) {
                run->allowed = SIZE_MAX;
                post_next(run);
            }
    }

private:
    struct Run {
        backends::EventSink* sink;
        std::vector<Event> rest;
        std::size_t allowed;
        std::size_t next = 0;
    };

    struct Ticket final : backends::Submission {
        Ticket(std::shared_ptr<Run> submitted, Session& submitted_in)
            : run(std::move(submitted)), session(submitted_in) {}
        ~Ticket() override {
            run->sink = nullptr;
            session.cancelled += run->next == run->rest.size() ? 0 : 1;
        }
        std::shared_ptr<Run> run;
        Session& session;
    };

    void post_next(std::shared_ptr<Run> run) {
        asio::post(session_.io_, [this, run = std::move(run)]() mutable {
            if (run->sink == nullptr || run->next == run->rest.size() || run->next >= run->allowed)
                return;
            run->sink->on_event(run->rest[run->next++]);
            post_next(std::move(run));
        });
    }

    Session& session_;
    std::vector<std::weak_ptr<Run>> runs_;
};

Session::Session(Options options) {
    if (options.keeps) {
        auto opened = store::Store::open({.folder = options.folder, .bounds = options.bounds}, executor_);
        if (!opened)
            throw std::runtime_error(opened.error().message);
        store_ = *std::move(opened);
    }
    backend_ = std::make_unique<ScriptedBackend>(*this);
    image_jobs_ = std::make_unique<drawing::ImageJobs>(*backend_, catalogue_, clock_,
                                                       [](const auto&) { return std::vector<std::string>(); });
    services_ = std::make_unique<Services>(Services{.backend = *image_jobs_,
                                                    .catalogue = catalogue_,
                                                    .observer = observer_,
                                                    .clock = clock_,
                                                    .metrics = [] { return std::string(); },
                                                    .engine_versions = {},
                                                    .background = background_,
                                                    .keeping = {.store = store_.get(), .owners = {}},
                                                    .image_jobs = *image_jobs_,
                                                    .a1111_choices = choices_,
                                                    .picture_files = {.store = store_.get()}});
    router_ = std::make_unique<http::Router>(routes(*services_));
}

Session::~Session() = default;

void Session::release() {
    backend_->release();
}

http::Response Session::ask(http::Method method, std::string path, std::string body, std::string caller) {
    const auto mark = path.find('?');
    http::Request request;
    request.method = method;
    request.query = mark == std::string::npos ? "" : path.substr(mark + 1);
    request.path = path.substr(0, mark);
    request.body = std::move(body);
    request.id = "req_1";
    request.caller = std::move(caller);
    const http::Match match = router_->match(method, request.path);
    if (match.route == nullptr)
        return {.status = match.allowed.empty() ? 404 : 405};
    request.path_parameters = match.parameters;
    http::RecordedExchange exchange(io_.get_executor(), std::move(request));
    bool done = false;
    asio::co_spawn(io_, match.route->handler(exchange), [&](const std::exception_ptr& thrown) {
        done = true;
        if (thrown)
            std::rethrow_exception(thrown);
    });
    io_.restart();
    while (!done)
        io_.run_one();
    return exchange.answer();
}

void Session::settle() {
    // A round trip through the store's thread is behind everything that was handed to it.
    for (int rounds = 0; rounds < 3; ++rounds) {
        io_.restart();
        io_.poll();
        if (!store_)
            continue;
        bool back = false;
        store_->run([](store::Shelf&) { return base::Result<void>(); }, [&](base::Result<void>) { back = true; });
        io_.restart();
        const auto guard = asio::make_work_guard(io_);
        while (!back)
            io_.run_one();
        io_.poll();
    }
}

boost::json::value json_of(const http::Response& response) {
    return boost::json::parse(response.body);
}

}  // namespace gateway::api::test
