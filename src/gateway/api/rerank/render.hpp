#pragma once

/// From the events of the job to the answer. Pure.

#include <optional>
#include <string>
#include <vector>

#include "gateway/api/rerank/types.hpp"
#include "gateway/backends/backend.hpp"

namespace gateway::api::rerank {

struct Form {
    std::string id;
    std::string model;
    /// Of the documents; empty when they are not sent back.
    std::vector<std::string> texts;
    std::size_t documents = 0;
    std::size_t top = 0;
};

class Collector {
public:
    explicit Collector(Form form) : form_(std::move(form)) {}
    void add(const backends::Event& event);
    /// After the event `finished`; nothing when a score is missing.
    std::optional<Response> take_response();

private:
    Form form_;
    std::vector<Result> results_;
    embeddings::Usage usage_;
};

}  // namespace gateway::api::rerank
