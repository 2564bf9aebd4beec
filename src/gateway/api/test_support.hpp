#pragma once

/// For the tests of this folder: a backend that answers from a script, a catalogue of two models, and `ask`, which
/// sends one request through the real table of routes.

#include <boost/json/value.hpp>
#include <functional>
#include <string>
#include <vector>

#include "gateway/api/endpoints.hpp"
#include "http/message.hpp"

namespace gateway::api::test {

using backends::Event;
using backends::Job;

// ---------------------------------------------------------------- events, for scripts

Event queued(std::uint32_t position = 0);
Event started();
Event text(std::string text, std::uint32_t choice = 0);
Event reasoning(std::string text);
Event tool_call(std::uint32_t index, std::string id, std::string name, std::string arguments);
Event progress(std::uint32_t total, std::uint32_t cached, std::uint32_t evaluated);
Event choice_finished(llm_gateway::engine::v1::FinishReason reason, std::uint32_t choice = 0, std::string stop = {});
Event finished(std::uint32_t prompt_tokens = 5, std::uint32_t cached = 2, std::uint32_t completion_tokens = 3);
Event failed(llm_gateway::engine::v1::ErrorCode code, std::string message, std::string param = {});
Event text_with(std::string text, std::vector<std::pair<std::string, float>> tokens, std::uint32_t choice = 0);
Event prompt_echo(std::string text, std::vector<std::pair<std::string, float>> tokens = {});
Event embedding(std::uint32_t index, std::vector<float> values);
Event tokens(std::vector<std::int32_t> ids, std::vector<std::string> pieces, std::string text = {});
Event image_step(std::uint32_t step, std::uint32_t steps);
Event preview(std::string bytes, std::uint32_t step);
Event image_done(std::string bytes, std::uint32_t image = 0, std::int64_t seed = 7);

// ---------------------------------------------------------------- models

backends::ModelStatus text_model(std::string name = "talker");
backends::ModelStatus image_model(std::string name = "painter");

class FixedCatalogue final : public backends::Catalogue {
public:
    std::vector<backends::ModelStatus> list{text_model(), image_model()};

    std::vector<backends::ModelStatus> models() const override { return list; }
    std::optional<backends::ModelStatus> find(const backends::ModelName& name) const override;
    std::optional<backends::ModelName> default_model(backends::ModelKind kind) const override;
};

// ---------------------------------------------------------------- asking

struct Asked {
    http::Response answer;
    bool streamed = false;
    /// The connection may be used again: the answer came to its end in good order.
    bool complete = false;
    /// What reached the backend.
    std::vector<Job> jobs;
    /// Jobs that were cancelled before they ended.
    int cancelled = 0;
    std::vector<std::string> observed;
};

struct Question {
    http::Method method = http::Method::post;
    std::string path = "/v1/chat/completions";
    std::string body = {};
    http::Headers headers = {};
    /// What the backend answers to a job.
    std::vector<Event> script = {};
    /// The client leaves after this chunk of a stream.
    std::function<bool(const std::string& chunk)> leaves = {};
    FixedCatalogue catalogue = {};
};

Asked ask(Question question);

/// A question with a text body at another path, for the model `text_model()` with `facts` changed.
Asked ask_at(
    std::string path, std::string body, std::vector<Event> script,
    const std::function<void(llm_gateway::engine::v1::TextFacts&)>& facts = [](auto&) {});

/// The same with a body of one kind.
Asked ask_chat(std::string body,
               std::vector<Event> script = {text("hi"), choice_finished(llm_gateway::engine::v1::STOP), finished()});
Asked ask_messages(std::string body, std::vector<Event> script = {
                                         text("hi"), choice_finished(llm_gateway::engine::v1::STOP), finished()});
Asked ask_images(std::string body, std::vector<Event> script = {image_done("PNG"), finished()});

// ---------------------------------------------------------------- looking at answers

boost::json::value parsed(const std::string& text);

/// What stands at a JSON pointer: the characters of a text, anything else as JSON. Throws where nothing stands.
std::string text_at(const boost::json::value& value, const char* pointer);

/// The data of each server-sent event, in order.
std::vector<std::string> events_of(const std::string& stream);

/// `text` with the random and the timely parts replaced, to compare with a file.
std::string stable(std::string text);

/// Compares with a file of tests/golden; UPDATE_GOLDEN=1 in the environment writes it. Returns what differs, or "".
std::string differs_from_golden(const std::string& file, const std::string& actual);

}  // namespace gateway::api::test
