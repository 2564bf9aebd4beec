#include "worker/loop/text_runner.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>

#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "worker/loop/events.hpp"

namespace worker::loop {

namespace contract = rpc::contract;

// Tells the runner when a job is over, before the peer can know.
class TextRunner::CountingSink final : public rpc::EventSink {
public:
    CountingSink(TextRunner& runner, std::string id, std::shared_ptr<rpc::EventSink> sink)
        : runner_(runner), id_(std::move(id)), sink_(std::move(sink)) {}

    void on_event(rpc::Event event) override {
        if (event.has_finished() || event.has_failed()) {
            runner_.job_ended(id_);
        }
        sink_->on_event(std::move(event));
    }

private:
    TextRunner& runner_;
    std::string id_;
    std::shared_ptr<rpc::EventSink> sink_;
};

namespace {

base::TimePoint deadline_of(const rpc::Job& job, base::TimePoint arrived) {
    constexpr double a_year = 365.0 * 24 * 3600;
    if (!job.has_seconds_left() || !(job.seconds_left() < a_year)) {
        return base::TimePoint::max();
    }
    return arrived + std::chrono::duration_cast<base::Duration>(std::chrono::duration<double>(job.seconds_left()));
}

}  // namespace

TextRunner::TextRunner(std::unique_ptr<engine::TextEngine> engine, const LoopSettings& settings,
                       std::vector<std::string> pinned)
    : engine_(std::move(engine)),
      settings_(settings),
      pinned_(std::move(pinned)),
      preparing_([this](const std::stop_token& stop) { prepare_jobs(stop); }),
      stepping_([this](const std::stop_token& stop) { run_steps(stop); }) {}

TextRunner::~TextRunner() {
    preparing_.request_stop();
    stepping_.request_stop();
    {
        const std::lock_guard lock(mutex_);
        for (const std::string& id : alive_) {
            cancellations_.request(id);  // ends a long step early
        }
    }
    preparing_.join();
    stepping_.join();
}

void TextRunner::start(rpc::Job job, std::shared_ptr<rpc::EventSink> sink) {
    std::uint32_t position = 0;
    {
        const std::lock_guard lock(mutex_);
        // 0 promises that it starts at once, so a slot must be free. The loop's numbers are those of the last step.
        const std::size_t slots = engine_->limits().slots;
        const std::size_t waiting = arrivals_.size() + orders_.size() + statistics_.waiting_jobs();
        const std::size_t by_slots = statistics_.slots_busy() < slots ? waiting : waiting + 1;
        const std::size_t by_jobs = alive_.size() < slots ? 0 : alive_.size() - slots + 1;
        position = static_cast<std::uint32_t>(std::max(by_slots, by_jobs));
        alive_.insert(job.id());
    }
    sink->on_event(queued(position));
    auto counting = std::make_shared<CountingSink>(*this, job.id(), std::move(sink));
    const std::lock_guard lock(mutex_);
    arrivals_.push_back({.job = std::move(job), .sink = std::move(counting), .arrived = clock_.now()});
    arrivals_changed_.notify_one();
}

bool TextRunner::cancel(std::string_view id) {
    const std::lock_guard lock(mutex_);
    if (!alive_.contains(id)) {
        return false;
    }
    cancellations_.request(id);
    woken_ = true;
    orders_changed_.notify_one();
    return true;
}

void TextRunner::job_ended(const std::string& id) {
    const std::lock_guard lock(mutex_);
    // Both under the lock of `cancel`, which can add no wish in between that a later job of this id would inherit.
    alive_.erase(id);
    cancellations_.forget(id);
}

// ---- the preparing thread

void TextRunner::prepare_jobs(const std::stop_token& stop) {
    prctl(PR_SET_NAME, "prepare");
    prepare_pinned();
    while (true) {
        std::unique_lock lock(mutex_);
        if (!arrivals_changed_.wait(lock, stop, [this] { return !arrivals_.empty(); })) {
            return;
        }
        Arrival arrival = std::move(arrivals_.front());
        arrivals_.pop_front();
        lock.unlock();
        prepare(std::move(arrival));
    }
}

// What two conversations have in common that begin with the same system message: all that does not depend on what
// follows, however the template puts it.
void TextRunner::prepare_pinned() {
    for (const std::string& text : pinned_) {
        std::vector<std::vector<engine::Token>> prompts;
        for (const char* user : {"a", "b"}) {
            rpc::Job job;
            auto& chat = *job.mutable_text()->mutable_chat();
            for (const auto& [role, content] : {std::pair{"system", text.c_str()}, std::pair{"user", user}}) {
                auto& message = *chat.add_messages();
                message.set_role(role);
                message.add_content()->set_text(content);
            }
            job.set_id("pinned");
            auto prepared = prepared_by_engine(job);
            if (!prepared) {
                base::log::warning("a pinned prompt is left out", {{"problem", prepared.error().message}});
                break;
            }
            prompts.push_back(std::move(prepared->prompt));
        }
        if (prompts.size() == 2) {
            prompts[0].resize(prefix::common_prefix(prompts[0], prompts[1]));
            hand_over(PinOrder{.tokens = std::move(prompts[0])});
        }
    }
}

void TextRunner::prepare(Arrival arrival) {
    rpc::Job& job = arrival.job;
    const auto refuse = [&](const base::Error& error) {
        {
            const std::lock_guard lock(mutex_);
            ++(error.code == base::ErrorCode::cancelled ? cancelled_early_ : failed_early_);
        }
        arrival.sink->on_event(failed(error));
    };
    if (cancellations_.requested(job.id())) {
        refuse({.code = base::ErrorCode::cancelled, .message = "The job was cancelled."});
        return;
    }
    if (job.has_tokens()) {
        auto texts = by_engine<engine::TokenTexts>(job, [&] { return engine_->tokens_of(job.tokens()); });
        if (!texts) {
            refuse(texts.error());
            return;
        }
        arrival.sink->on_event(tokens_result(std::move(*texts)));
        JobInLoop done;
        done.arrived = arrival.arrived;
        arrival.sink->on_event(finished(done, clock_.now()));
        return;
    }
    auto adapters = adapters_of(job);
    if (!adapters) {
        refuse(adapters.error());
        return;
    }
    if (job.has_embedding()) {
        auto inputs = prepared_inputs(job);
        if (!inputs) {
            refuse(inputs.error());
            return;
        }
        hand_over(EmbeddingOrder{.id = job.id(),
                                 .priority = job.priority(),
                                 .tenant = job.tenant(),
                                 .weight = job.weight() > 0 ? job.weight() : 1,
                                 .deadline = deadline_of(job, arrival.arrived),
                                 .adapters = std::move(*adapters),
                                 .inputs = std::move(*inputs),
                                 .sink = std::move(arrival.sink),
                                 .arrived = arrival.arrived});
        return;
    }
    if (!job.has_text()) {
        refuse({.code = base::ErrorCode::unsupported, .message = "This worker takes jobs about text only."});
        return;
    }
    auto prepared = prepared_by_engine(job);
    if (!prepared) {
        refuse(prepared.error());
        return;
    }
    const auto& text = job.text();
    hand_over(TextOrder{.id = job.id(),
                        .priority = job.priority(),
                        .tenant = job.tenant(),
                        .weight = job.weight() > 0 ? job.weight() : 1,
                        .deadline = deadline_of(job, arrival.arrived),
                        .salt = job.cache_salt(),
                        .adapters = std::move(*adapters),
                        .max_tokens = text.has_max_tokens() ? std::optional(text.max_tokens()) : std::nullopt,
                        .min_tokens = text.min_tokens(),
                        .ignore_end = text.ignore_eos(),
                        .logprobs = text.logprobs(),
                        .top_logprobs = text.top_logprobs(),
                        .report_prompt_progress = text.report_prompt_progress(),
                        .prepared = std::move(*prepared),
                        .sink = std::move(arrival.sink),
                        .arrived = arrival.arrived});
}

// An exception of the engine, no memory among them, costs this job and not the worker.
template <typename Value, typename Prepare>
base::Result<Value> TextRunner::by_engine(const rpc::Job& job, Prepare prepare) {
    try {
        return prepare();
    } catch (const std::exception& problem) {
        base::log::error("preparing a job failed", {{"job", job.id()}, {"problem", problem.what()}});
        return base::fail(base::ErrorCode::internal, "The engine failed while it prepared this job.");
    }
}

base::Result<engine::AdapterSet> TextRunner::adapters_of(const rpc::Job& job) {
    return by_engine<engine::AdapterSet>(job, [&] {
        return engine_->adapters_of(job.has_embedding() ? job.embedding().adapters() : job.text().adapters());
    });
}

base::Result<engine::Prepared> TextRunner::prepared_by_engine(const rpc::Job& job) {
    return by_engine<engine::Prepared>(job, [&] { return engine_->prepare(job.text()); });
}

base::Result<std::vector<std::vector<engine::Token>>> TextRunner::prepared_inputs(const rpc::Job& job) {
    const engine::Embedder* embedder = engine_->embedder();
    if (embedder == nullptr) {
        return base::fail(base::ErrorCode::unsupported, "This model does not give embeddings.");
    }
    std::vector<std::vector<engine::Token>> inputs;
    for (int index = 0; index < job.embedding().inputs_size(); ++index) {
        const auto& input = job.embedding().inputs(index);
        auto tokens = by_engine<std::vector<engine::Token>>(job, [&] { return embedder->prepare(input); });
        if (!tokens) {
            auto error = std::move(tokens.error());
            const std::string place = fmt::format("embedding.inputs[{}]", index);
            error.param = error.param.empty() ? place : fmt::format("{}.{}", place, error.param);
            return std::unexpected(std::move(error));
        }
        inputs.push_back(std::move(*tokens));
        if (cancellations_.requested(job.id())) {
            return base::fail(base::ErrorCode::cancelled, "The job was cancelled.");
        }
    }
    return inputs;
}

void TextRunner::hand_over(Order order) {
    const std::lock_guard lock(mutex_);
    orders_.push_back(std::move(order));
    orders_changed_.notify_one();
}

// ---- the loop's thread

void TextRunner::wake() {
    const std::lock_guard lock(mutex_);
    woken_ = true;
    orders_changed_.notify_one();
}

void TextRunner::run_steps(const std::stop_token& stop) {
    prctl(PR_SET_NAME, "steps");
    auto settings = settings_;
    settings.archive.on_read = [this] { wake(); };
    StepLoop loop(*engine_, cancellations_, clock_, settings);
    bool idle = true;
    std::vector<Order> orders;
    while (!stop.stop_requested()) {
        {
            std::unique_lock lock(mutex_);
            statistics_ = loop.statistics();
            if (idle) {
                orders_changed_.wait(lock, stop, [this] { return !orders_.empty() || woken_; });
            }
            woken_ = false;
            orders.swap(orders_);
        }
        for (Order& order : orders) {
            std::visit([&loop](auto& each) { loop.add(std::move(each)); }, order);
        }
        orders.clear();
        idle = !loop.step();
        ++steps_;
    }
}

// ---- questions

contract::HealthReply TextRunner::health() const {
    contract::HealthReply reply;
    reply.set_steps(steps_);
    const std::lock_guard lock(mutex_);
    reply.set_busy(!alive_.empty());
    return reply;
}

contract::StatisticsReply TextRunner::statistics() const {
    contract::StatisticsReply reply;
    {
        const std::lock_guard lock(mutex_);
        reply = statistics_;
        reply.set_waiting_jobs(reply.waiting_jobs() + static_cast<std::uint32_t>(arrivals_.size() + orders_.size()));
        reply.set_failed_jobs(reply.failed_jobs() + failed_early_);
        reply.set_cancelled_jobs(reply.cancelled_jobs() + cancelled_early_);
    }
    engine_->report(reply);
    return reply;
}

contract::ModelFacts TextRunner::facts() const {
    return engine_->facts();
}

}  // namespace worker::loop
