#pragma once

/// From the events of a job to Anthropic's answer, whole or streamed. Pure: no clock, no socket.

#include <optional>
#include <string>
#include <vector>

#include "gateway/api/messages/answer.hpp"
#include "gateway/backends/backend.hpp"

namespace gateway::api::messages {

/// What the events of the job do not tell.
struct Asked {
    std::string id;
    std::string model;
    std::uint32_t max_tokens = 0;
    std::vector<std::string> stop_sequences;
    /// Something in the prompt was marked to be kept.
    bool keep = false;
};

/// How an answer ended, and what it cost; what whole and streamed answers share.
class Account {
public:
    explicit Account(Asked asked) : asked_(std::move(asked)) {}

    void add(const backends::Event& event);
    /// After the event `finished`.
    Ending ending() const;
    const TokenCounts& counts() const { return counts_; }
    /// Nothing said, no tokens generated so far.
    Answer empty_answer() const;

private:
    void count(std::uint32_t prompt_tokens, std::uint32_t cached_tokens);

    Asked asked_;
    TokenCounts counts_;
    llm_gateway::engine::v1::FinishReason reason_ = llm_gateway::engine::v1::STOP;
    std::string stop_;
};

/// Collects a whole answer.
class Collector {
public:
    explicit Collector(Asked asked) : account_(std::move(asked)) {}
    void add(const backends::Event& event);
    /// After the event `finished`.
    Answer answer() const;

private:
    template <typename Block>
    Block& last_or_new();
    void finish_call();

    Account account_;
    std::vector<AnswerBlock> content_;
    /// The call that is being collected, and the JSON text of its arguments so far.
    std::optional<std::uint32_t> call_;
    std::string arguments_;
};

/// Turns events into those of a stream, in order: `message_start`, for each block its start, deltas and stop, then
/// `message_delta` and `message_stop`. `message_start` waits for the prompt's token counts if they come first.
class EventWriter {
public:
    explicit EventWriter(Asked asked) : account_(std::move(asked)) {}
    std::vector<StreamEvent> add(const backends::Event& event);

private:
    enum class Open { nothing, text, thinking, call };

    void begin(std::vector<StreamEvent>& events);
    void open(Open kind, AnswerBlock block, std::vector<StreamEvent>& events);
    void close(std::vector<StreamEvent>& events);
    void add_call(const llm_gateway::engine::v1::ToolCallDelta& call, std::vector<StreamEvent>& events);

    Account account_;
    bool begun_ = false;
    Open open_ = Open::nothing;
    /// Which call the open block is.
    std::uint32_t call_ = 0;
    /// Of the open block, or of the next.
    std::int32_t index_ = 0;
};

/// The `type` of an event, which is its name on the wire too.
std::string name_of(const StreamEvent& event);

}  // namespace gateway::api::messages
