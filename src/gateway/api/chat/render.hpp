#pragma once

/// From the events of a job to OpenAI's answer, whole or streamed. Pure: no clock, no socket.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "gateway/api/chat/answer.hpp"
#include "gateway/backends/catalogue.hpp"

namespace gateway::api::chat {

/// What is the same in every part of one answer.
struct Stamp {
    std::string id;
    std::int64_t created = 0;
    std::string model;
    std::string service_tier = "default";
    std::string system_fingerprint;
    /// As the request has it; only in whole answers.
    std::optional<std::map<std::string, std::string>> metadata = {};
};

/// Changes with the model file and the engine. Facts that are not known yet give a fingerprint of their own.
std::string system_fingerprint(const backends::ModelStatus& model);

Usage to_usage(const llm_gateway::engine::v1::Usage& usage);

/// What the client wants to see of an answer.
struct AnswerForm {
    /// Streams: a last chunk with the token counts.
    bool include_usage = false;
    /// Streams: deltas are padded.
    bool obfuscate = false;
    bool reasoning = true;
    bool logprobs = false;
};

/// Collects a whole answer.
class Collector {
public:
    /// `choices`: as many as the job was asked for.
    Collector(Stamp stamp, AnswerForm form, std::size_t choices);
    void add(const backends::Event& event);
    /// After the event `finished`.
    Completion completion() const;

private:
    Stamp stamp_;
    AnswerForm form_;
    std::vector<Choice> choices_;
    Usage usage_;
};

/// Turns events into the chunks of a stream, in order: for each answer the role first, then deltas, then exactly one
/// finish reason; after all of them the usage, when it is wanted. Events without a meaning for the client give no
/// chunk.
class ChunkWriter {
public:
    ChunkWriter(Stamp stamp, AnswerForm form);
    /// `since_start` is the time since the job was submitted, for progress.
    std::vector<Chunk> add(const backends::Event& event, base::Duration since_start);

private:
    Chunk empty_chunk() const;
    Chunk chunk(std::uint32_t choice, Delta delta) const;
    std::vector<Chunk> to_chunks(const backends::Event& event, base::Duration since_start);
    void begin(std::uint32_t choice, std::vector<Chunk>& chunks);

    Stamp stamp_;
    AnswerForm form_;
    std::set<std::uint32_t> begun_;
    std::set<std::pair<std::uint32_t, std::uint32_t>> calls_begun_;
};

}  // namespace gateway::api::chat
