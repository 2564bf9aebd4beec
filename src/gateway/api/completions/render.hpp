#pragma once

/// From the events of the jobs, seen as one (joined_jobs.hpp), to OpenAI's answer, whole or streamed. Pure.

#include <cstdint>
#include <string>
#include <vector>

#include "gateway/api/completions/answer.hpp"
#include "gateway/api/completions/logprobs.hpp"
#include "gateway/backends/backend.hpp"

namespace gateway::api::completions {

/// What is the same in every part of one answer.
struct Stamp {
    std::string id;
    std::int64_t created = 0;
    std::string model;
    std::string system_fingerprint;
};

/// What is wanted of the answers.
struct Form {
    std::size_t prompts = 1;
    /// Generated and wanted answers to each prompt.
    std::size_t generated = 1;
    std::size_t wanted = 1;
    bool logprobs = false;
    bool include_usage = false;
};

/// Turns events into pieces of the answers: what a stream sends, and a whole answer is made of.
class Pieces {
public:
    explicit Pieces(const Form& form) : form_(form), writers_(form.prompts * form.generated) {}

    /// The pieces of an event, in order; `index` is that of the generated answer.
    std::vector<Choice> add(const backends::Event& event);
    /// How good the generated answer is so far; for `best_of`.
    double quality(std::size_t index) const { return writers_[index].mean(); }

private:
    std::optional<Logprobs> logprobs_of(const google::protobuf::RepeatedPtrField<llm_gateway::engine::v1::TokenInfo>&,
                                        std::size_t index, bool first_is_unconditioned = false);
    std::vector<Choice> echoed(const llm_gateway::engine::v1::PromptEcho& echo);

    Form form_;
    std::vector<LogprobsWriter> writers_;
};

/// Collects whole answers.
class Collector {
public:
    Collector(Stamp stamp, const Form& form);
    void add(const backends::Event& event);
    /// After the event `finished`: of each prompt the best of its answers, in the order of their quality where there
    /// was a choice.
    Completion completion() const;

private:
    Stamp stamp_;
    Form form_;
    Pieces pieces_;
    std::vector<Choice> generated_;
    chat::Usage usage_;
};

/// Turns events into the events of a stream. All generated answers are wanted.
class ChunkWriter {
public:
    ChunkWriter(Stamp stamp, const Form& form) : stamp_(std::move(stamp)), form_(form), pieces_(form) {}
    std::vector<Completion> add(const backends::Event& event);

private:
    Completion chunk() const;

    Stamp stamp_;
    Form form_;
    Pieces pieces_;
};

}  // namespace gateway::api::completions
