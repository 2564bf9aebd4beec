#include "gateway/backends/worker_backend.hpp"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/temporary_folder.hpp"
#include "engine.grpc.pb.h"

namespace gateway::backends {
namespace {

namespace engine = llm_gateway::engine::v1;
using namespace std::chrono_literals;

/// The test's own thread as the gateway's thread.
class TestThread final : public Executor {
public:
    void post(std::move_only_function<void()> work) override {
        const std::lock_guard lock(mutex_);
        queue_.push_back(std::move(work));
        arrived_.notify_all();
    }

    /// Runs what is posted until `done` holds; false after ten seconds. `done` may also speak of gRPC's threads, so it
    /// is asked again and again.
    template <typename Condition>
    bool run_until(Condition done) {
        const auto give_up = std::chrono::steady_clock::now() + 10s;
        while (!done()) {
            if (std::chrono::steady_clock::now() > give_up) {
                return false;
            }
            std::unique_lock lock(mutex_);
            if (arrived_.wait_for(lock, 5ms, [this] { return !queue_.empty(); })) {
                auto work = std::move(queue_.front());
                queue_.pop_front();
                lock.unlock();
                work();
            }
        }
        return true;
    }

    std::size_t posted() const {
        const std::lock_guard lock(mutex_);
        return queue_.size();
    }

private:
    mutable std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<std::move_only_function<void()>> queue_;
};

/// Says `words` words and finishes, or, with "wait" as the prompt, says one and waits to be cancelled.
class EchoWorker final : public engine::Engine::Service {
public:
    grpc::Status Run(grpc::ServerContext* call, const Job* job, grpc::ServerWriter<Event>* events) override {
        Event event;
        event.mutable_queued();
        events->Write(event);
        event.mutable_text()->set_text(job->text().text());
        events->Write(event);
        if (job->text().text() == "wait") {
            while (!call->IsCancelled() && !crash_.load()) {
                std::this_thread::yield();
            }
            cancelled_ = call->IsCancelled();
            return {grpc::StatusCode::UNAVAILABLE, "socket /run/secret closed"};
        }
        if (job->text().text() == "half") {
            return grpc::Status::OK;
        }
        event.mutable_finished()->mutable_usage()->set_completion_tokens(1);
        events->Write(event);
        return grpc::Status::OK;
    }

    grpc::Status Health(grpc::ServerContext*, const engine::HealthRequest*, engine::HealthReply* reply) override {
        reply->set_state(engine::HealthReply::READY);
        reply->set_steps(7);
        return grpc::Status::OK;
    }

    std::atomic<bool> crash_ = false;
    std::atomic<bool> cancelled_ = false;
};

class RecordingSink final : public EventSink {
public:
    void on_event(Event event) override {
        events.push_back(std::move(event));
        if (drop_on_text != nullptr && events.back().has_text()) {
            drop_on_text->reset();
        }
    }

    bool has_ended() const { return !events.empty() && (events.back().has_finished() || events.back().has_failed()); }

    std::vector<Event> events;
    std::unique_ptr<Submission>* drop_on_text = nullptr;
};

Job make_job(const std::string& prompt) {
    Job job;
    job.set_id("job-1");
    job.mutable_text()->set_text(prompt);
    return job;
}

class WorkerBackendTest : public testing::Test {
protected:
    ~WorkerBackendTest() override { stop_server(); }

    std::string socket() const { return folder_ / "worker.sock"; }

    void start_server() {
        grpc::ServerBuilder builder;
        builder.AddListeningPort("unix:" + socket(), grpc::InsecureServerCredentials());
        builder.RegisterService(&worker_);
        server_ = builder.BuildAndStart();
        ASSERT_TRUE(server_);
    }

    void stop_server() {
        if (server_) {
            worker_.crash_ = true;
            server_->Shutdown(std::chrono::system_clock::now());
            server_.reset();
        }
    }

    const ModelName model_{"tiny"};
    base::TemporaryFolder folder_;
    TestThread thread_;
    EchoWorker worker_;
    std::unique_ptr<grpc::Server> server_;
    RecordingSink sink_;
};

TEST_F(WorkerBackendTest, DeliversTheEventsOfAJobInOrder) {
    start_server();
    WorkerBackend backend(socket(), thread_);
    const auto submission = backend.submit(model_, make_job("hello"), sink_);
    EXPECT_TRUE(sink_.events.empty());  // nothing before submit has returned
    ASSERT_TRUE(thread_.run_until([&] { return sink_.has_ended(); }));
    ASSERT_EQ(sink_.events.size(), 3);
    EXPECT_TRUE(sink_.events[0].has_queued());
    EXPECT_EQ(sink_.events[1].text().text(), "hello");
    EXPECT_EQ(sink_.events[2].finished().usage().completion_tokens(), 1);
}

TEST_F(WorkerBackendTest, TakesAJobBeforeTheWorkerListensOnlyToSayThatItIsUnavailable) {
    WorkerBackend backend(socket(), thread_);
    const auto submission = backend.submit(model_, make_job("hello"), sink_);
    ASSERT_TRUE(thread_.run_until([&] { return sink_.has_ended(); }));
    EXPECT_EQ(sink_.events.back().failed().code(), engine::UNAVAILABLE);
}

TEST_F(WorkerBackendTest, DroppingTheSubmissionCancelsTheJobAndSilencesTheSink) {
    start_server();
    WorkerBackend backend(socket(), thread_);
    auto submission = backend.submit(model_, make_job("wait"), sink_);
    ASSERT_TRUE(thread_.run_until([&] { return sink_.events.size() == 2; }));
    submission.reset();
    ASSERT_TRUE(thread_.run_until([&] { return worker_.cancelled_ && backend.open_calls() == 0; }));
    EXPECT_EQ(sink_.events.size(), 2);
}

TEST_F(WorkerBackendTest, ASinkMayDropItsSubmissionFromWithinAnEvent) {
    start_server();
    WorkerBackend backend(socket(), thread_);
    auto submission = backend.submit(model_, make_job("wait"), sink_);
    sink_.drop_on_text = &submission;
    ASSERT_TRUE(thread_.run_until([&] { return worker_.cancelled_ && backend.open_calls() == 0; }));
    EXPECT_EQ(sink_.events.size(), 2);
}

TEST_F(WorkerBackendTest, ABrokenStreamIsUnavailableAndSaysNothingAboutTheInside) {
    start_server();
    WorkerBackend backend(socket(), thread_);
    const auto submission = backend.submit(model_, make_job("wait"), sink_);
    ASSERT_TRUE(thread_.run_until([&] { return sink_.events.size() == 2; }));
    stop_server();
    ASSERT_TRUE(thread_.run_until([&] { return sink_.has_ended(); }));
    EXPECT_EQ(sink_.events.back().failed().code(), engine::UNAVAILABLE);
    EXPECT_GT(sink_.events.back().failed().retry_after_seconds(), 0);
    EXPECT_EQ(sink_.events.back().failed().message().find("secret"), std::string::npos);
}

TEST_F(WorkerBackendTest, AStreamThatEndsWithoutAResultIsAFault) {
    start_server();
    WorkerBackend backend(socket(), thread_);
    const auto submission = backend.submit(model_, make_job("half"), sink_);
    ASSERT_TRUE(thread_.run_until([&] { return sink_.has_ended(); }));
    EXPECT_EQ(sink_.events.back().failed().code(), engine::INTERNAL);
}

TEST_F(WorkerBackendTest, CloseEndsEveryJobWithAnEvent) {
    start_server();
    WorkerBackend backend(socket(), thread_);
    const auto submission = backend.submit(model_, make_job("wait"), sink_);
    ASSERT_TRUE(thread_.run_until([&] { return sink_.events.size() == 2; }));
    backend.close();
    ASSERT_TRUE(thread_.run_until([&] { return sink_.has_ended(); }));
    EXPECT_EQ(sink_.events.back().failed().code(), engine::UNAVAILABLE);
}

TEST_F(WorkerBackendTest, NothingIsHeardAfterItsEnd) {
    start_server();
    auto backend = std::make_unique<WorkerBackend>(socket(), thread_);
    const auto submission = backend->submit(model_, make_job("wait"), sink_);
    ASSERT_TRUE(thread_.run_until([&] { return sink_.events.size() == 2; }));
    bool answered = false;
    backend->ask_health(10s, [&](const auto&) { answered = true; });
    backend.reset();
    ASSERT_TRUE(thread_.run_until([&] { return thread_.posted() == 0; }));
    EXPECT_EQ(sink_.events.size(), 2);
    EXPECT_FALSE(answered);
}

TEST_F(WorkerBackendTest, AsksForHealthAndHearsOfAWorkerThatDoesNotAnswer) {
    WorkerBackend backend(socket(), thread_);
    std::optional<base::Result<WorkerBackend::HealthReply>> health;
    backend.ask_health(1ms, [&](auto answer) { health = std::move(answer); });
    ASSERT_TRUE(thread_.run_until([&] { return health.has_value(); }));
    EXPECT_FALSE(health->has_value());

    start_server();
    // The connection may still be in its short pause, so ask until there is an answer.
    ASSERT_TRUE(thread_.run_until([&] {
        if (health && !*health) {
            health.reset();
            backend.ask_health(1s, [&](auto answer) { health = std::move(answer); });
        }
        return health && *health;
    }));
    ASSERT_TRUE(health && *health);
    EXPECT_EQ((*health)->steps(), 7);
}

}  // namespace
}  // namespace gateway::backends
