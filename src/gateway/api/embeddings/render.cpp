#include "gateway/api/embeddings/render.hpp"

#include <bit>
#include <cmath>
#include <utility>

#include "base/base64.hpp"

namespace gateway::api::embeddings {

std::vector<float> normalised(std::vector<float> values, std::optional<std::size_t> dimensions) {
    if (dimensions && *dimensions < values.size())
        values.resize(*dimensions);
    double squares = 0;
    for (const float value : values)
        squares += static_cast<double>(value) * value;
    const double length = std::sqrt(squares);
    if (length > 0)
        for (float& value : values)
            value = static_cast<float>(value / length);
    return values;
}

std::string encoded(const std::vector<float>& values) {
    std::string bytes;
    bytes.reserve(values.size() * sizeof(float));
    for (const float value : values) {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        for (const int shift : {0, 8, 16, 24})
            bytes += static_cast<char>(bits >> shift & 0xff);
    }
    return base::encode_base64(bytes);
}

Collector::Collector(Form form) : form_(std::move(form)) {
    response_.model = form_.model;
    response_.data.resize(form_.inputs);
    for (std::size_t i = 0; i < form_.inputs; ++i)
        response_.data[i].index = static_cast<std::int64_t>(i);
}

void Collector::add(const backends::Event& event) {
    if (event.has_finished()) {
        response_.usage.prompt_tokens = event.finished().usage().prompt_tokens();
        response_.usage.total_tokens = response_.usage.prompt_tokens;
    }
    if (!event.has_embedding() || event.embedding().index() >= form_.inputs)
        return;
    const auto& result = event.embedding();
    auto values = normalised({result.values().begin(), result.values().end()}, form_.dimensions);
    Vector& vector = response_.data[result.index()].embedding;
    if (form_.format == EncodingFormat::base64)
        vector = encoded(values);
    else
        vector = std::move(values);
    ++received_;
}

std::optional<Response> Collector::take_response() {
    if (received_ != form_.inputs)
        return std::nullopt;
    return std::move(response_);
}

}  // namespace gateway::api::embeddings
