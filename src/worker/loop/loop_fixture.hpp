#pragma once

/// For tests of the loop: a sink that remembers, and jobs in one line.

#include <functional>
#include <map>
#include <memory>
#include <semaphore>
#include <string>
#include <vector>

#include "worker/engine/scripted/scripted_engine.hpp"
#include "worker/loop/step_loop.hpp"

namespace worker::loop {

struct RecordingSink final : rpc::EventSink {
    void on_event(rpc::Event event) override {
        if (last()) {
            ++after_the_end;
        }
        text[event.text().choice()] += event.text().text();
        for (const auto& token : event.text().tokens()) {
            told[event.text().choice()] += token.bytes();
        }
        if (event.has_choice_finished()) {
            reasons[event.choice_finished().choice()] = event.choice_finished().reason();
            stops[event.choice_finished().choice()] = event.choice_finished().stop();
        }
        events.push_back(std::move(event));
    }

    const rpc::Event* last() const {
        return !events.empty() && (events.back().has_finished() || events.back().has_failed()) ? &events.back()
                                                                                               : nullptr;
    }
    bool finished() const { return last() != nullptr && last()->has_finished(); }
    rpc::contract::ErrorCode failure() const {
        return last() == nullptr ? rpc::contract::ERROR_CODE_UNSPECIFIED : last()->failed().code();
    }

    std::vector<rpc::Event> events;
    std::map<std::uint32_t, std::string> text;
    /// The bytes of the tokens that came with the text.
    std::map<std::uint32_t, std::string> told;
    std::map<std::uint32_t, rpc::contract::FinishReason> reasons;
    /// The stop texts that ended them.
    std::map<std::uint32_t, std::string> stops;
    int after_the_end = 0;
};

struct JobSpec {
    std::string id = "job";
    std::string prompt = "hello";
    std::optional<std::uint32_t> max_tokens = std::nullopt;
    std::uint32_t seed = 0;
    std::uint32_t choices = 1;
    std::uint32_t min_tokens = 0;
    bool ignore_end = false;
    bool logprobs = false;
    std::vector<std::string> stop = {};
    std::int32_t priority = 0;
    std::string salt = {};
    std::string tenant = {};
    double weight = 1;
    std::optional<base::Duration> time = std::nullopt;
    std::string prediction = {};
    bool echo = false;
    std::uint32_t top_logprobs = 0;
    /// One of `Settings::adapters`; empty: none.
    std::string adapter = {};
    float adapter_scale = 1;
};

inline std::vector<engine::Token> tokens_of(const std::string& text) {
    return {text.begin(), text.end()};
}
inline std::string text_of(const std::vector<engine::Token>& tokens) {
    return {tokens.begin(), tokens.end()};
}

/// With which a model alone would answer so.
inline std::uint32_t seed_of(const JobSpec& spec) {
    return spec.adapter.empty() ? spec.seed
                                : engine::scripted::seed_with(
                                      engine::scripted::adapter_key(spec.adapter, spec.adapter_scale), spec.seed);
}

/// A loop over a scripted engine.
struct Bench {
    explicit Bench(engine::scripted::Settings settings = {}, LoopSettings loop_settings = {})
        : engine(std::move(settings)), loop(engine, cancellations, clock, waking_us(loop_settings)) {}

    /// What becomes of each answer of the engine.
    using Wrap = std::function<std::unique_ptr<engine::Answer>(std::unique_ptr<engine::Answer>)>;

    std::shared_ptr<RecordingSink> add(const JobSpec& spec, const Wrap& wrap = std::identity()) {
        auto sink = std::make_shared<RecordingSink>();
        engine::contract::TextJob job;
        job.set_text(spec.prompt);
        job.set_choices(spec.choices);
        job.mutable_sampling()->set_seed(spec.seed);
        job.set_prediction(spec.prediction);
        job.set_echo(spec.echo);
        job.mutable_stop()->Assign(spec.stop.begin(), spec.stop.end());
        auto prepared = engine.prepare(job);
        for (auto& answer : prepared->answers) {
            answer = wrap(std::move(answer));
        }
        if (!spec.adapter.empty()) {
            auto& use = *job.add_adapters();
            use.set_name(spec.adapter);
            use.set_scale(spec.adapter_scale);
        }
        loop.add(TextOrder{.id = spec.id,
                           .priority = spec.priority,
                           .tenant = spec.tenant,
                           .weight = spec.weight,
                           .deadline = spec.time ? clock.now() + *spec.time : base::TimePoint::max(),
                           .salt = spec.salt,
                           .adapters = engine.adapters_of(job.adapters()).value(),
                           .max_tokens = spec.max_tokens,
                           .min_tokens = spec.min_tokens,
                           .ignore_end = spec.ignore_end,
                           .logprobs = spec.logprobs,
                           .top_logprobs = spec.top_logprobs,
                           .prepared = std::move(prepared.value()),
                           .sink = sink,
                           .arrived = clock.now()});
        return sink;
    }

    /// Steps until nothing is left to do; the number of steps, or 0 when there was no end to it.
    int run() {
        for (int steps = 1; steps < 100'000; ++steps) {
            if (!step()) {
                return steps;
            }
        }
        return 0;
    }

    /// A step; where all wait for files, until one is read. False when nothing is left to do.
    bool step() {
        if (loop.step()) {
            return true;
        }
        if (!loop.reading()) {
            return false;
        }
        reads.acquire();
        return true;
    }

    const LoopSettings& waking_us(LoopSettings& loop_settings) {
        loop_settings.archive.on_read = [this] { reads.release(); };
        return loop_settings;
    }

    /// One for each file that was read.
    std::counting_semaphore<> reads{0};

    base::ManualClock clock;
    engine::scripted::ScriptedEngine engine;
    Cancellations cancellations;
    StepLoop loop;
};

}  // namespace worker::loop
