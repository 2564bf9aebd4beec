#include "gateway/api/rerank/to_job.hpp"

#include <array>

#include "gateway/api/request_path.hpp"

namespace gateway::api::rerank {

namespace contract = llm_gateway::engine::v1;

const std::string& text_of(const Document& document) {
    if (const auto* object = std::get_if<TextDocument>(&document))
        return object->text;
    return std::get<std::string>(document);
}

std::expected<backends::Job, schema::Faults> to_job(const Request& request, const contract::ModelFacts* facts) {
    if (facts != nullptr && !facts->text().reranking()) {
        schema::Findings findings;
        const schema::Reading root(findings);
        root.at("model").fault(schema::FaultKind::rule, "is a model that cannot rank: it is no reranker");
        return std::unexpected(std::move(findings.faults));
    }
    backends::Job job;
    for (const Document& document : request.documents) {
        auto& pair = *job.mutable_embedding()->add_inputs()->mutable_pair();
        pair.set_query(request.query);
        pair.set_document(text_of(document));
    }
    return job;
}

std::string to_request_path(std::string_view job_path) {
    static constexpr std::array renamings{Renaming{"embedding.inputs[]", "documents[]"},
                                          Renaming{"messages", "documents"}};
    return api::to_request_path(job_path, renamings);
}

}  // namespace gateway::api::rerank
