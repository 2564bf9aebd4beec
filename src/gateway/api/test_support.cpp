#include "gateway/api/test_support.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/json/parse.hpp>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>

#include "gateway/api/a1111/choices.hpp"
#include "gateway/api/responses/background.hpp"
#include "gateway/drawing/image_jobs.hpp"
#include "http/recorded_exchange.hpp"
#include "schema/schema.hpp"

namespace gateway::api::test {

namespace contract = llm_gateway::engine::v1;
namespace asio = boost::asio;

Event queued(std::uint32_t position) {
    Event event;
    event.mutable_queued()->set_position(position);
    return event;
}

Event started() {
    Event event;
    event.mutable_started()->set_queue_seconds(0.5);
    return event;
}

Event text(std::string text, std::uint32_t choice) {
    Event event;
    event.mutable_text()->set_choice(choice);
    event.mutable_text()->set_text(std::move(text));
    return event;
}

Event reasoning(std::string text) {
    Event event;
    event.mutable_reasoning()->set_text(std::move(text));
    return event;
}

Event tool_call(std::uint32_t index, std::string id, std::string name, std::string arguments) {
    Event event;
    auto& call = *event.mutable_tool_call();
    call.set_index(index);
    call.set_id(std::move(id));
    call.set_name(std::move(name));
    call.set_arguments(std::move(arguments));
    return event;
}

Event progress(std::uint32_t total, std::uint32_t cached, std::uint32_t evaluated) {
    Event event;
    event.mutable_prompt_progress()->set_total_tokens(total);
    event.mutable_prompt_progress()->set_cached_tokens(cached);
    event.mutable_prompt_progress()->set_evaluated_tokens(evaluated);
    return event;
}

Event choice_finished(contract::FinishReason reason, std::uint32_t choice, std::string stop) {
    Event event;
    event.mutable_choice_finished()->set_choice(choice);
    event.mutable_choice_finished()->set_reason(reason);
    event.mutable_choice_finished()->set_stop(std::move(stop));
    return event;
}

Event finished(std::uint32_t prompt_tokens, std::uint32_t cached, std::uint32_t completion_tokens) {
    Event event;
    auto& usage = *event.mutable_finished()->mutable_usage();
    usage.set_prompt_tokens(prompt_tokens);
    usage.set_cached_tokens(cached);
    usage.set_completion_tokens(completion_tokens);
    event.mutable_finished()->mutable_timings()->set_generation_seconds(4);
    return event;
}

Event failed(contract::ErrorCode code, std::string message, std::string param) {
    Event event;
    event.mutable_failed()->set_code(code);
    event.mutable_failed()->set_message(std::move(message));
    event.mutable_failed()->set_param(std::move(param));
    return event;
}

namespace {

void add_tokens(const std::vector<std::pair<std::string, float>>& tokens,
                google::protobuf::RepeatedPtrField<contract::TokenInfo>& infos) {
    for (const auto& [bytes, logprob] : tokens) {
        auto& info = *infos.Add();
        info.set_bytes(bytes);
        info.set_logprob(logprob);
        auto& top = *info.add_top();
        top.set_bytes("the");
        top.set_logprob(-0.5F);
    }
}

}  // namespace

Event text_with(std::string text, std::vector<std::pair<std::string, float>> tokens, std::uint32_t choice) {
    Event event = test::text(std::move(text), choice);
    add_tokens(tokens, *event.mutable_text()->mutable_tokens());
    return event;
}

Event prompt_echo(std::string text, std::vector<std::pair<std::string, float>> tokens) {
    Event event;
    event.mutable_prompt_echo()->set_text(std::move(text));
    event.mutable_prompt_echo()->set_first_is_unconditioned(true);
    add_tokens(tokens, *event.mutable_prompt_echo()->mutable_tokens());
    return event;
}

Event embedding(std::uint32_t index, std::vector<float> values) {
    Event event;
    event.mutable_embedding()->set_index(index);
    event.mutable_embedding()->mutable_values()->Assign(values.begin(), values.end());
    event.mutable_embedding()->set_tokens(3);
    return event;
}

Event tokens(std::vector<std::int32_t> ids, std::vector<std::string> pieces, std::string text) {
    Event event;
    event.mutable_tokens()->mutable_ids()->Assign(ids.begin(), ids.end());
    for (auto& piece : pieces)
        event.mutable_tokens()->add_pieces(std::move(piece));
    event.mutable_tokens()->set_text(std::move(text));
    return event;
}

Event image_step(std::uint32_t step, std::uint32_t steps) {
    Event event;
    event.mutable_image_progress()->set_step(step);
    event.mutable_image_progress()->set_steps(steps);
    return event;
}

Event preview(std::string bytes, std::uint32_t step) {
    Event event;
    event.mutable_image_preview()->set_data(std::move(bytes));
    event.mutable_image_preview()->set_step(step);
    return event;
}

Event image_done(std::string bytes, std::uint32_t image, std::int64_t seed) {
    Event event;
    auto& done = *event.mutable_image_done();
    done.set_image(image);
    done.set_seed(seed);
    done.set_width(64);
    done.set_height(128);
    done.set_data(std::move(bytes));
    return event;
}

backends::ModelStatus text_model(std::string name) {
    backends::ModelStatus model;
    model.name = backends::ModelName(std::move(name));
    model.kind = backends::ModelKind::text;
    model.state = backends::ModelState::ready;
    model.created = std::chrono::system_clock::time_point(std::chrono::seconds(1700000000));
    auto& facts = model.facts.emplace();
    facts.set_architecture("llama");
    facts.set_engine_version("1");
    facts.set_parameters(135000000);
    facts.mutable_text()->set_context_tokens(2048);
    facts.mutable_text()->set_slots(4);
    return model;
}

backends::ModelStatus image_model(std::string name) {
    backends::ModelStatus model = text_model(std::move(name));
    model.kind = backends::ModelKind::image;
    auto& facts = *model.facts;
    facts.clear_text();
    facts.set_architecture("sd1");
    auto& image = *facts.mutable_image();
    image.set_family("SD 1.x");
    image.set_default_width(512);
    image.set_default_height(512);
    image.set_max_width(1024);
    image.set_max_height(2048);
    image.set_size_multiple(64);
    image.set_default_steps(20);
    image.set_default_cfg_scale(7.1F);
    image.set_default_sampler("euler_a");
    image.add_samplers("euler_a");
    image.add_samplers("lcm");
    image.add_schedulers("karras");
    return model;
}

std::optional<backends::ModelStatus> FixedCatalogue::find(const backends::ModelName& name) const {
    for (const auto& model : list)
        if (model.name == name)
            return model;
    return std::nullopt;
}

std::optional<backends::ModelName> FixedCatalogue::default_model(backends::ModelKind kind) const {
    for (const auto& model : list)
        if (model.kind == kind)
            return model.name;
    return std::nullopt;
}

namespace {

/// Sends the script's events one after the other, each in its own turn of the loop, as gRPC's would come.
class ScriptedBackend final : public backends::Backend {
public:
    ScriptedBackend(asio::io_context& io, const std::vector<Event>& script, Asked& asked)
        : io_(io), script_(script), asked_(asked) {}

    std::unique_ptr<backends::Submission> submit(const backends::ModelName&, Job job,
                                                 backends::EventSink& sink) override {
        asked_.jobs.push_back(std::move(job));
        auto run = std::make_shared<Run>(Run{.sink = &sink, .rest = script_});
        post_next(run);
        return std::make_unique<Cancelling>(run, asked_);
    }

private:
    struct Run {
        backends::EventSink* sink;
        std::vector<Event> rest;
        std::size_t next = 0;
    };

    struct Cancelling final : backends::Submission {
        Cancelling(std::shared_ptr<Run> submitted, Asked& asked_for) : run(std::move(submitted)), asked(asked_for) {}
        ~Cancelling() override {
            run->sink = nullptr;
            const bool ended =
                run->next > 0 && (run->rest[run->next - 1].has_finished() || run->rest[run->next - 1].has_failed());
            asked.cancelled += ended ? 0 : 1;
        }
        std::shared_ptr<Run> run;
        Asked& asked;
    };

    void post_next(std::shared_ptr<Run> run) {
        asio::post(io_, [this, run = std::move(run)]() mutable {
            if (run->sink == nullptr || run->next == run->rest.size())
                return;
            run->sink->on_event(run->rest[run->next++]);
            post_next(std::move(run));
        });
    }

    asio::io_context& io_;
    const std::vector<Event>& script_;
    Asked& asked_;
};

class NotingObserver final : public Observer {
public:
    explicit NotingObserver(std::vector<std::string>& notes) : notes_(notes) {}
    void on_started(std::string_view model, double) override { note("started ", model); }
    void on_first_token(std::string_view model, double) override { note("first token ", model); }
    void on_time_per_token(std::string_view, double seconds) override { note("per token ", std::to_string(seconds)); }
    void on_image_step(std::string_view model, double) override { note("step ", model); }
    void on_image_done(std::string_view model) override { note("image ", model); }
    void on_job_finished(const FinishedJob& job) override { note("job ", to_string(job.outcome)); }

private:
    void note(std::string_view what, std::string_view detail) {
        notes_.push_back(std::string(what) + std::string(detail));
    }
    std::vector<std::string>& notes_;
};

}  // namespace

Asked ask(Question question) {
    Asked asked;
    asio::io_context io;
    ScriptedBackend backend(io, question.script, asked);
    responses::Background background;
    NotingObserver observer(asked.observed);
    const base::SteadyClock clock;
    drawing::ImageJobs image_jobs(backend, question.catalogue, clock,
                                  [](const auto&) { return std::vector<std::string>(); });
    a1111::Choices choices;
    const Services services{.backend = image_jobs,
                            .catalogue = question.catalogue,
                            .observer = observer,
                            .clock = clock,
                            .metrics = [] { return std::string("up 1\n"); },
                            .engine_versions = {{"llama.cpp", "1"}},
                            .background = background,
                            .keeping = {},
                            .image_jobs = image_jobs,
                            .a1111_choices = choices};
    const http::Router router(routes(services));
    const http::Match match = router.match(question.method, question.path);
    if (match.route == nullptr) {
        asked.answer.status = match.allowed.empty() ? 404 : 405;
        return asked;
    }
    http::Request request;
    request.method = question.method;
    request.path = question.path;
    request.body = std::move(question.body);
    request.headers = std::move(question.headers);
    request.id = "req_1";
    request.path_parameters = match.parameters;
    http::RecordedExchange exchange(io.get_executor(), std::move(request));
    exchange.set_error_form(match.route->error_form);
    exchange.on_chunk = [&](const std::string& chunk) {
        if (question.leaves && question.leaves(chunk))
            exchange.leave();
    };
    asio::co_spawn(io, match.route->handler(exchange), [](const std::exception_ptr& thrown) {
        if (thrown)
            std::rethrow_exception(thrown);
    });
    io.run();
    asked.answer = exchange.answer();
    asked.streamed = exchange.streamed();
    asked.complete = exchange.outcome().complete;
    return asked;
}

Asked ask_at(std::string path, std::string body, std::vector<Event> script,
             const std::function<void(contract::TextFacts&)>& facts) {
    FixedCatalogue catalogue;
    facts(*catalogue.list.front().facts->mutable_text());
    return ask({.path = std::move(path),
                .body = std::move(body),
                .script = std::move(script),
                .catalogue = std::move(catalogue)});
}

Asked ask_chat(std::string body, std::vector<Event> script) {
    return ask({.body = std::move(body), .script = std::move(script)});
}

Asked ask_messages(std::string body, std::vector<Event> script) {
    return ask({.path = "/v1/messages", .body = std::move(body), .script = std::move(script)});
}

Asked ask_images(std::string body, std::vector<Event> script) {
    return ask({.path = "/v1/images/generations", .body = std::move(body), .script = std::move(script)});
}

boost::json::value parsed(const std::string& text) {
    return boost::json::parse(text);
}

std::string text_at(const boost::json::value& value, const char* pointer) {
    const auto& found = value.at_pointer(pointer);
    return found.is_string() ? std::string(found.as_string()) : schema::write_json(found);
}

std::vector<std::string> events_of(const std::string& stream) {
    std::vector<std::string> data;
    std::istringstream lines(stream);
    constexpr std::string_view field = "data: ";
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(field))
            data.push_back(line.substr(field.size()));
    return data;
}

std::string stable(std::string text) {
    text = std::regex_replace(text, std::regex("(chatcmpl-|cmpl-|rerank-|msg_|img-)[0-9a-f]+"), "$010");
    text = std::regex_replace(text, std::regex(R"("created(_at)?":[0-9]+)"), R"("created$1":0)");
    return std::regex_replace(text, std::regex(R"("time_ms":[-+.0-9Ee]+)"), R"("time_ms":0)");
}

std::string differs_from_golden(const std::string& file, const std::string& actual) {
    const std::string path = std::string(GOLDEN_FOLDER) + "/" + file;
    if (std::getenv("UPDATE_GOLDEN") != nullptr)
        std::ofstream(path) << actual;
    std::ifstream in(path);
    const std::string expected{std::istreambuf_iterator<char>(in), {}};
    if (actual == expected)
        return {};
    return file + " changed; UPDATE_GOLDEN=1 accepts it. Now:\n" + actual;
}

}  // namespace gateway::api::test
