#include "gateway/api/rerank/render.hpp"

#include <algorithm>
#include <utility>

namespace gateway::api::rerank {

void Collector::add(const backends::Event& event) {
    if (event.has_finished()) {
        usage_.prompt_tokens = event.finished().usage().prompt_tokens();
        usage_.total_tokens = usage_.prompt_tokens;
    }
    if (!event.has_embedding() || event.embedding().index() >= form_.documents || event.embedding().values().empty())
        return;
    Result& result = results_.emplace_back();
    result.index = event.embedding().index();
    result.relevance_score = event.embedding().values(0);
    if (!form_.texts.empty())
        result.document = TextDocument{.text = form_.texts[event.embedding().index()]};
}

std::optional<Response> Collector::take_response() {
    if (results_.size() != form_.documents)
        return std::nullopt;
    // Equal ones in the order of the request, however they arrived.
    std::ranges::sort(results_, [](const Result& a, const Result& b) {
        return std::pair(-a.relevance_score, a.index) < std::pair(-b.relevance_score, b.index);
    });
    results_.resize(std::min(results_.size(), form_.top));
    return Response{.id = form_.id, .model = form_.model, .results = std::move(results_), .usage = usage_};
}

}  // namespace gateway::api::rerank
