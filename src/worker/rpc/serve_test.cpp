// The whole life of a worker process, in a child: the socket answers while the model loads, jobs run, SIGTERM drains.

#include "worker/rpc/serve.hpp"

#include <fcntl.h>
#include <grpcpp/create_channel.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/log.hpp"
#include "base/temporary_folder.hpp"
#include "engine.grpc.pb.h"

namespace worker::rpc {
namespace {

// Finishes a job at once, unless its prompt is "wait": then when it is cancelled, or on the next job.
class SimpleRunner final : public JobRunner {
public:
    void start(Job job, std::shared_ptr<EventSink> sink) override {
        Event queued;
        queued.mutable_queued();
        sink->on_event(std::move(queued));
        const std::lock_guard lock(mutex_);
        if (job.text().text() == "wait") {
            waiting_[job.id()] = sink;
            return;
        }
        for (int token = 0; token < 1000; ++token) {
            Event text;
            text.mutable_text()->set_text("token");
            sink->on_event(std::move(text));
        }
        finish(*sink);
        for (const auto& [id, other] : waiting_) {
            finish(*other);
        }
        waiting_.clear();
    }

    bool cancel(std::string_view id) override {
        const std::lock_guard lock(mutex_);
        const auto found = waiting_.find(id);
        if (found == waiting_.end()) {
            return false;
        }
        found->second->on_event(failed(contract::CANCELLED, "cancelled"));
        waiting_.erase(found);
        return true;
    }

    contract::HealthReply health() const override { return {}; }
    contract::StatisticsReply statistics() const override {
        contract::StatisticsReply reply;
        const std::lock_guard lock(mutex_);
        reply.set_running_jobs(static_cast<std::uint32_t>(waiting_.size()));
        return reply;
    }
    contract::ModelFacts facts() const override {
        contract::ModelFacts facts;
        facts.set_architecture("simple");
        return facts;
    }

private:
    static void finish(EventSink& sink) {
        Event event;
        event.mutable_finished();
        sink.on_event(std::move(event));
    }

    mutable std::mutex mutex_;
    std::map<std::string, std::shared_ptr<EventSink>, std::less<>> waiting_;
};

// The model "gated" is loaded once the file `gate` exists; "bad" cannot be loaded.
base::Result<std::unique_ptr<JobRunner>> load(const std::string& model, const std::string& gate,
                                              const LoadProgress& progress) {
    progress(0.25);
    while (model == "gated" && !std::filesystem::exists(gate)) {
        std::this_thread::yield();
    }
    if (model == "bad") {
        return base::fail(base::ErrorCode::invalid, "not a model");
    }
    return std::make_unique<SimpleRunner>();
}

// A worker in a process of its own.
class ServeTest : public testing::Test {
protected:
    ~ServeTest() override {
        if (child > 0) {
            kill(child, SIGKILL);
            waitpid(child, nullptr, 0);
        }
    }

    // The child is this program again, see `main` below: a fork alone would inherit half of a running gRPC.
    void launch(const std::string& model) {
        child = fork();
        if (child == 0) {
            const int errors = open((folder / "stderr").c_str(), O_WRONLY | O_CREAT, 0600);
            dup2(errors, STDERR_FILENO);
            execl("/proc/self/exe", "worker", "--serve", socket.c_str(), model.c_str(), gate.c_str(), nullptr);
            _exit(127);
        }
        // A client that tries too early would wait a second before it tries again.
        siginfo_t ended{};
        while (!std::filesystem::exists(socket) && ended.si_pid == 0) {
            waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT);
        }
        stub = contract::Engine::NewStub(
            grpc::CreateChannel("unix:" + socket.string(), grpc::InsecureChannelCredentials()));
    }

    contract::HealthReply health() const {
        grpc::ClientContext call;
        call.set_wait_for_ready(true);
        contract::HealthReply reply;
        EXPECT_TRUE(stub->Health(&call, {}, &reply).ok());
        return reply;
    }

    void wait_until(contract::HealthReply::State state) const {
        while (health().state() != state) {
            std::this_thread::yield();
        }
    }

    static Job job(const std::string& id, const std::string& prompt) {
        Job job;
        job.set_id(id);
        job.mutable_text()->set_text(prompt);
        return job;
    }

    std::vector<Event> run(const Job& job) const {
        grpc::ClientContext call;
        call.set_wait_for_ready(true);
        const auto reader = stub->Run(&call, job);
        std::vector<Event> events;
        for (Event event; reader->Read(&event);) {
            events.push_back(event);
        }
        EXPECT_TRUE(reader->Finish().ok());
        return events;
    }

    void wait_for_running_jobs(unsigned count) const {
        contract::StatisticsReply reply;
        do {
            grpc::ClientContext call;
            ASSERT_TRUE(stub->Statistics(&call, {}, &reply).ok());
        } while (reply.running_jobs() != count);
    }

    int exit_status() {
        int status = 0;
        waitpid(child, &status, 0);
        child = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

    base::TemporaryFolder folder;
    std::filesystem::path socket = folder / "socket";
    std::filesystem::path gate = folder / "gate";
    pid_t child = 0;
    std::unique_ptr<contract::Engine::Stub> stub;
};

TEST_F(ServeTest, AnswersWhileTheModelLoads) {
    launch("gated");
    while (health().load_progress() < 0.25) {
        std::this_thread::yield();
    }
    EXPECT_EQ(health().state(), contract::HealthReply::LOADING);
    const auto events = run(job("early", "hello"));
    ASSERT_EQ(events.size(), 2U);
    EXPECT_TRUE(events[0].has_queued());
    EXPECT_EQ(events[1].failed().code(), contract::UNAVAILABLE);
    grpc::ClientContext call;
    contract::ModelFacts facts;
    EXPECT_EQ(stub->Facts(&call, {}, &facts).error_code(), grpc::StatusCode::UNAVAILABLE);
    std::ofstream(gate) << "open";
    wait_until(contract::HealthReply::READY);
    EXPECT_TRUE(run(job("later", "hello")).back().has_finished());
}

TEST_F(ServeTest, DeliversEveryEventInOrder) {
    launch("good");
    wait_until(contract::HealthReply::READY);
    const auto events = run(job("1", "hello"));
    ASSERT_EQ(events.size(), 1002U);
    EXPECT_TRUE(events.front().has_queued());
    EXPECT_TRUE(events.back().has_finished());
}

TEST_F(ServeTest, RefusesIdsThatAreNotUnique) {
    launch("good");
    wait_until(contract::HealthReply::READY);
    EXPECT_EQ(run(job("", "hello")).back().failed().param(), "id");
    EXPECT_EQ(run(job(std::string(129, 'x'), "hello")).back().failed().param(), "id");
    grpc::ClientContext call;
    const auto waiting = stub->Run(&call, job("same", "wait"));
    wait_for_running_jobs(1);
    EXPECT_EQ(run(job("same", "hello")).back().failed().code(), contract::INVALID);
    EXPECT_TRUE(run(job("other", "hello")).back().has_finished());
    Event event;
    while (waiting->Read(&event)) {
    }
    EXPECT_TRUE(event.has_finished());
    EXPECT_TRUE(run(job("same", "hello")).back().has_finished());
}

TEST_F(ServeTest, CancelsById) {
    launch("good");
    wait_until(contract::HealthReply::READY);
    grpc::ClientContext call;
    const auto waiting = stub->Run(&call, job("1", "wait"));
    wait_for_running_jobs(1);
    grpc::ClientContext cancel_call;
    contract::CancelRequest request;
    request.set_id("1");
    contract::CancelReply reply;
    ASSERT_TRUE(stub->Cancel(&cancel_call, request, &reply).ok());
    EXPECT_TRUE(reply.found());
    Event event;
    while (waiting->Read(&event)) {
    }
    EXPECT_EQ(event.failed().code(), contract::CANCELLED);
}

TEST_F(ServeTest, APeerThatLeavesCancelsItsJob) {
    launch("good");
    wait_until(contract::HealthReply::READY);
    {
        grpc::ClientContext call;
        const auto waiting = stub->Run(&call, job("1", "wait"));
        wait_for_running_jobs(1);
        call.TryCancel();
        waiting->Finish();
    }
    wait_for_running_jobs(0);
    EXPECT_TRUE(run(job("1", "hello")).back().has_finished());
}

TEST_F(ServeTest, DrainsOnSigterm) {
    launch("good");
    wait_until(contract::HealthReply::READY);
    grpc::ClientContext call;
    const auto waiting = stub->Run(&call, job("running", "wait"));
    wait_for_running_jobs(1);
    kill(child, SIGTERM);
    wait_until(contract::HealthReply::DRAINING);
    const auto refused = run(job("new", "hello"));
    EXPECT_GT(refused.front().queued().position(), 0U) << "it has not begun, so it may run on a successor";
    EXPECT_EQ(refused.back().failed().code(), contract::UNAVAILABLE);
    grpc::ClientContext cancel_call;
    contract::CancelRequest request;
    request.set_id("running");
    contract::CancelReply reply;
    EXPECT_TRUE(stub->Cancel(&cancel_call, request, &reply).ok());
    EXPECT_EQ(exit_status(), 0);
    EXPECT_FALSE(std::filesystem::exists(socket));
}

TEST_F(ServeTest, SigtermWhileLoadingEndsAtOnce) {
    launch("gated");
    health();
    kill(child, SIGTERM);
    EXPECT_EQ(exit_status(), 0);
}

TEST_F(ServeTest, AModelThatCannotBeLoadedEndsWithStatus3AndOneLine) {
    launch("bad");
    EXPECT_EQ(exit_status(), 3);
    std::ifstream file(folder / "stderr");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(text, "cannot load the model: not a model\n");
}

}  // namespace
}  // namespace worker::rpc

int main(int count, char** values) {
    if (count == 5 && std::string_view(values[1]) == "--serve") {
        base::log::setup("worker", base::log::Level::error, base::log::Format::text);
        return worker::rpc::serve({.socket = values[2]}, [&](const worker::rpc::LoadProgress& progress) {
            return worker::rpc::load(values[3], values[4], progress);
        });
    }
    testing::InitGoogleTest(&count, values);
    return RUN_ALL_TESTS();
}
