#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/api/responses/conversation.hpp"
#include "gateway/api/responses/types.hpp"
#include "gateway/backends/backend.hpp"

namespace gateway::api::responses {

/// The request's own items, each with its path.
std::vector<PlacedItem> input_items(const Prompt& prompt);

/// Where the parts of a job came from.
struct Origin {
    /// Of each message of the chat.
    std::vector<std::string> message_paths;
    /// Of each function that the model is offered, its index among the request's tools.
    std::vector<std::size_t> tool_places;

    /// The name that a field of the job has in the request.
    std::string to_request_path(std::string_view job_path) const;
};

struct Translated {
    backends::Job job;
    Origin origin;
};

inline std::span<backends::Job> jobs_of(Translated& translated) {
    return {&translated.job, 1};
}

/// The work a request asks for, through the types of chat; the id is left to the caller. Pure. `items` is the whole
/// conversation, earlier parts first. `facts` as in chat.
std::expected<Translated, schema::Faults> to_job(const Request& request, const std::vector<PlacedItem>& items,
                                                 const llm_gateway::engine::v1::ModelFacts* facts);

}  // namespace gateway::api::responses
