#pragma once

/// From the events of an image job to AUTOMATIC1111's answer. Pure.

#include <cstdint>
#include <string>
#include <vector>

#include "gateway/api/a1111/answers.hpp"
#include "gateway/backends/backend.hpp"

namespace gateway::api::a1111 {

class Pictures {
public:
    struct Picture {
        std::string file;
        std::int64_t seed = 0;
        std::uint32_t width = 0;
        std::uint32_t height = 0;
    };

    void add(const backends::Event& event);
    /// In the order of their seeds. An interrupted job ends with the one that was not done, as far as it was.
    std::vector<Picture> take(bool interrupted);

private:
    std::vector<Picture> done_;
    std::string unfinished_;
};

/// `job` as it was sent to the model of these facts (null: unknown), `parameters` the request as JSON.
ImagesAnswer to_answer(const std::vector<Pictures::Picture>& pictures, const llm_gateway::engine::v1::ImageJob& job,
                       const backends::ModelName& model, const llm_gateway::engine::v1::ImageFacts* facts,
                       const schema::Value& parameters, bool send_images);

}  // namespace gateway::api::a1111
