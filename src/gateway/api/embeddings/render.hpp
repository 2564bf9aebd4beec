#pragma once

/// From the events of the job to OpenAI's answer. Pure.

#include <optional>
#include <string>

#include "gateway/api/embeddings/types.hpp"
#include "gateway/backends/backend.hpp"

namespace gateway::api::embeddings {

struct Form {
    std::string model;
    std::size_t inputs = 1;
    std::optional<std::size_t> dimensions;
    EncodingFormat format = EncodingFormat::number;
};

class Collector {
public:
    explicit Collector(Form form);
    void add(const backends::Event& event);
    /// After the event `finished`; nothing when a vector is missing.
    std::optional<Response> take_response();

private:
    Form form_;
    Response response_;
    std::size_t received_ = 0;
};

/// Cut to `dimensions` and brought to length 1. A vector of zeros stays what it is.
std::vector<float> normalised(std::vector<float> values, std::optional<std::size_t> dimensions);

/// Little-endian 32-bit floats in base64.
std::string encoded(const std::vector<float>& values);

}  // namespace gateway::api::embeddings
