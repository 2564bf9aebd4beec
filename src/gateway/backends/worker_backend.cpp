#include "gateway/backends/worker_backend.hpp"

#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "engine.grpc.pb.h"

namespace gateway::backends {

namespace engine = llm_gateway::engine::v1;

namespace {

/// A picture of 8k x 8k, a mask and a few references, as PNG.
constexpr int max_message_bytes = 256 << 20;

/// gRPC's callback threads start with the first call and end with the last channel, and ending them is not safe
/// in 1.51: under the address sanitizer its completion queue is seen to be freed twice. The last worker's death must
/// not be the gateway's, so one channel that leads nowhere is never destroyed and keeps the threads.
void keep_callback_threads() {
    [[maybe_unused]] static const auto* const channel = [] {
        auto* kept = new std::shared_ptr<grpc::Channel>(grpc::CreateCustomChannel("", nullptr, {}));
        struct Question {
            grpc::ClientContext call;
            engine::HealthRequest request;
            engine::HealthReply reply;
        };
        const auto question = std::make_shared<Question>();
        const auto stub = engine::Engine::NewStub(*kept);
        stub->async()->Health(&question->call, &question->request, &question->reply,
                              [question](const grpc::Status&) {});
        return kept;
    }();
}

std::shared_ptr<grpc::Channel> connect(const std::string& socket_path) {
    keep_callback_threads();
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(max_message_bytes);
    arguments.SetMaxSendMessageSize(max_message_bytes);
    // A worker needs a moment from its start to its socket; gRPC's own first pause of a second would delay readiness.
    arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 50);
    arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 50);
    arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 500);
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    // Window probing costs a ping for every burst and has nothing to find on a local socket.
    arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
    return grpc::CreateCustomChannel("unix:" + socket_path, grpc::InsecureChannelCredentials(), arguments);
}

Event failed(engine::ErrorCode code, std::string message) {
    Event event;
    event.mutable_failed()->set_code(code);
    event.mutable_failed()->set_message(std::move(message));
    if (code == engine::UNAVAILABLE) {
        event.mutable_failed()->set_retry_after_seconds(1);
    }
    return event;
}

/// What a stream that ended without a last event means to the caller. The status text may speak of sockets and is kept
/// out.
Event failed(const grpc::Status& status) {
    switch (status.error_code()) {
        case grpc::StatusCode::DEADLINE_EXCEEDED:
            return failed(engine::DEADLINE, "The request took longer than allowed.");
        case grpc::StatusCode::UNIMPLEMENTED:
            return failed(engine::UNSUPPORTED, "This model's worker does not know such jobs.");
        case grpc::StatusCode::RESOURCE_EXHAUSTED:
            return failed(engine::TOO_LARGE, "The request or its result is larger than a worker's message may be.");
        case grpc::StatusCode::OK: return failed(engine::INTERNAL, "The worker ended the job without a result.");
        default: return failed(engine::UNAVAILABLE, "The worker that ran this request ended unexpectedly.");
    }
}

bool is_last(const Event& event) {
    return event.has_finished() || event.has_failed();
}

}  // namespace

/// What the calls share. `mutex` guards `open`: gRPC's threads take calls out, the gateway's thread puts them in.
struct WorkerBackend::Wire {
    Wire(const std::string& socket_path, Executor& gateway_thread)
        : channel(connect(socket_path)), stub(engine::Engine::NewStub(channel)), executor(gateway_thread) {}

    void enter(std::shared_ptr<grpc::ClientContext> call) {
        const std::lock_guard lock(mutex);
        open.insert(std::move(call));
    }

    /// The last thing a call does on gRPC's thread.
    void leave(const std::shared_ptr<grpc::ClientContext>& call) {
        const std::lock_guard lock(mutex);
        open.erase(call);
        all_left.notify_all();
    }

    void cancel_all() {
        std::vector<std::shared_ptr<grpc::ClientContext>> calls;
        {
            const std::lock_guard lock(mutex);
            calls.assign(open.begin(), open.end());
        }
        // Outside the lock: gRPC may call back, and so `leave`, from within TryCancel.
        for (const auto& call : calls) {
            call->TryCancel();
        }
    }

    void wait_until_all_left() {
        std::unique_lock lock(mutex);
        all_left.wait(lock, [this] { return open.empty(); });
    }

    const std::shared_ptr<grpc::Channel> channel;
    const std::unique_ptr<engine::Engine::Stub> stub;
    Executor& executor;
    /// Touched on the gateway's thread alone: answers that arrive after the WorkerBackend's end are dropped.
    bool ended = false;

    mutable std::mutex mutex;
    std::condition_variable all_left;
    std::set<std::shared_ptr<grpc::ClientContext>> open;

    class RunCall;
    template <typename Request, typename Reply, typename Method>
    static void ask(const std::shared_ptr<Wire>& wire, base::Duration timeout, Method method, Answer<Reply> answer);
};

/// One `Run`. OnReadDone and OnDone come on gRPC's threads, one after the other; `sink_` belongs to the gateway's
/// thread.
class WorkerBackend::Wire::RunCall final : public grpc::ClientReadReactor<Event>,
                                           public std::enable_shared_from_this<RunCall> {
public:
    RunCall(std::shared_ptr<Wire> wire, Job job, EventSink& sink)
        : wire_(std::move(wire)), job_(std::move(job)), sink_(&sink) {}

    void start() {
        self_ = shared_from_this();
        wire_->enter(call_);
        wire_->stub->async()->Run(call_.get(), &job_, this);
        StartRead(&incoming_);
        StartCall();
    }

    void drop() {
        sink_ = nullptr;
        if (!over_) {
            call_->TryCancel();
        }
    }

    void OnReadDone(bool ok) override {
        if (!ok) {
            return;  // OnDone follows and says why
        }
        job_.Clear();  // an answer means that the job, pictures and all, has been sent
        wire_->executor.post([self = shared_from_this(), event = std::exchange(incoming_, {})]() mutable {
            self->deliver(std::move(event));
        });
        StartRead(&incoming_);
    }

    void OnDone(const grpc::Status& status) override {
        wire_->executor.post([self = shared_from_this(), status] { self->end(status); });
        const auto self = std::exchange(self_, nullptr);
        wire_->leave(call_);
    }

private:
    void deliver(Event event) {
        if (sink_ == nullptr || wire_->ended) {
            return;
        }
        EventSink& sink = *sink_;
        if (is_last(event)) {
            sink_ = nullptr;
        }
        sink.on_event(std::move(event));  // may end this call's Submission; `self` of the caller keeps the rest alive
    }

    void end(const grpc::Status& status) {
        over_ = true;
        deliver(failed(status));
    }

    const std::shared_ptr<Wire> wire_;
    const std::shared_ptr<grpc::ClientContext> call_ = std::make_shared<grpc::ClientContext>();
    Job job_;
    Event incoming_;
    EventSink* sink_;
    bool over_ = false;
    std::shared_ptr<RunCall> self_;  // until OnDone
};

template <typename Request, typename Reply, typename Method>
void WorkerBackend::Wire::ask(const std::shared_ptr<Wire>& wire, base::Duration timeout, Method method,
                              Answer<Reply> answer) {
    struct Question {
        std::shared_ptr<grpc::ClientContext> call = std::make_shared<grpc::ClientContext>();
        Request request;
        Reply reply;
        Answer<Reply> answer;
    };
    auto question = std::make_shared<Question>();
    question->answer = std::move(answer);
    question->call->set_deadline(std::chrono::system_clock::now() +
                                 std::chrono::duration_cast<std::chrono::system_clock::duration>(timeout));
    wire->enter(question->call);
    auto done = [wire, question](grpc::Status status) {
        wire->executor.post([wire, question, status] {
            if (wire->ended) {
                return;
            }
            if (status.ok()) {
                question->answer(std::move(question->reply));
            } else {
                question->answer(base::fail(base::ErrorCode::unavailable, status.error_message()));
            }
        });
        wire->leave(question->call);
    };
    method(*wire->stub->async(), question->call.get(), &question->request, &question->reply, std::move(done));
}

WorkerBackend::WorkerBackend(const std::string& socket_path, Executor& executor)
    : wire_(std::make_shared<Wire>(socket_path, executor)) {}

WorkerBackend::~WorkerBackend() {
    wire_->ended = true;
    wire_->cancel_all();
    wire_->wait_until_all_left();
}

std::unique_ptr<Submission> WorkerBackend::submit(const ModelName&, Job job, EventSink& sink) {
    class Running final : public Submission {
    public:
        explicit Running(std::shared_ptr<Wire::RunCall> call) : call_(std::move(call)) {}
        ~Running() override { call_->drop(); }

    private:
        std::shared_ptr<Wire::RunCall> call_;
    };
    auto call = std::make_shared<Wire::RunCall>(wire_, std::move(job), sink);
    call->start();
    return std::make_unique<Running>(std::move(call));
}

void WorkerBackend::ask_health(base::Duration timeout, Answer<HealthReply> answer) {
    Wire::ask<engine::HealthRequest, HealthReply>(
        wire_, timeout, [](auto& stub, auto... arguments) { stub.Health(std::move(arguments)...); }, std::move(answer));
}

void WorkerBackend::ask_statistics(base::Duration timeout, Answer<StatisticsReply> answer) {
    Wire::ask<engine::StatisticsRequest, StatisticsReply>(
        wire_, timeout, [](auto& stub, auto... arguments) { stub.Statistics(std::move(arguments)...); },
        std::move(answer));
}

void WorkerBackend::ask_facts(base::Duration timeout, Answer<ModelFacts> answer) {
    Wire::ask<engine::FactsRequest, ModelFacts>(
        wire_, timeout, [](auto& stub, auto... arguments) { stub.Facts(std::move(arguments)...); }, std::move(answer));
}

void WorkerBackend::close() {
    wire_->cancel_all();
}

std::size_t WorkerBackend::open_calls() const {
    const std::lock_guard lock(wire_->mutex);
    return wire_->open.size();
}

}  // namespace gateway::backends
