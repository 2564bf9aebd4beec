#pragma once

/// From the events of a job to the response and the events of its stream. Pure: the same events give the same ids and
/// the same stream, so one that was kept can be shown again.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "gateway/api/responses/events.hpp"
#include "gateway/backends/backend.hpp"

namespace gateway::api::responses {

/// `response_id` with another prefix and a number: items are found by their ids, without a list of them.
std::string item_id(std::string_view prefix, std::string_view response_id, std::size_t number);
/// Of input items, which are numbered apart.
std::string input_item_id(std::string_view prefix, std::string_view response_id, std::size_t number);
/// The response that an item belongs to; empty when the id is none of ours.
std::string response_of_item(std::string_view item_id);

/// One event, ready to be sent.
struct StreamEvent {
    std::string type;
    /// JSON text.
    std::string data;
};

/// How a response ends.
struct Ending {
    Status status = Status::completed;
    std::optional<Problem> error;
    /// With `completed`: Unix time in seconds.
    std::optional<std::int64_t> completed_at;
};

/// What a client is told about a failure after the response had begun.
Problem to_problem(const base::Error& error);

enum class Streaming { on, off };

class Renderer {
public:
    /// `response`: what it is before anything has been generated. `off`: only the response is wanted, the functions
    /// below return nothing.
    Renderer(Response response, Streaming streaming);

    /// `created`, then `queued` when that is the response's state, else `in_progress`.
    std::vector<StreamEvent> begin();
    /// Events without a meaning for the client give nothing. The last event of the job is not the end: see `end`.
    std::vector<StreamEvent> add(const backends::Event& event);
    /// Closes what is open; the last event tells the state.
    std::vector<StreamEvent> end(Ending ending);

    /// `completed`, or `incomplete` when no more tokens were allowed.
    Status natural_status() const;
    /// As far as it is: items that are under way are `in_progress`.
    const Response& response() const { return response_; }

private:
    template <typename Made>
    void emit(Made event);
    void emit_state(std::string type);
    void emit_item(std::string type);
    void emit_part(std::string type);
    void start_working();

    void open_message();
    void open_reasoning();
    void open_call(const llm_gateway::engine::v1::ToolCallDelta& call);
    void close(ItemStatus status);
    PartPlace place() const;
    std::int64_t output_index() const { return static_cast<std::int64_t>(response_.output.size()) - 1; }

    void add_text(const llm_gateway::engine::v1::TextDelta& text);
    void add_reasoning(const llm_gateway::engine::v1::ReasoningDelta& reasoning);
    void add_call(const llm_gateway::engine::v1::ToolCallDelta& call);

    Response response_;
    const Streaming streaming_;
    std::int64_t next_number_ = 0;
    std::vector<StreamEvent> made_;
    /// Whether the last item of the output is still growing; for a call, its number among the calls.
    bool open_ = false;
    std::optional<std::uint32_t> open_call_;
    bool cut_off_ = false;
};

}  // namespace gateway::api::responses
