#include "gateway/api/embeddings/to_job.hpp"

#include <fmt/format.h>

#include <array>

#include "gateway/api/request_path.hpp"

namespace gateway::api::embeddings {
namespace {

namespace contract = llm_gateway::engine::v1;
using schema::FaultKind;

class Inputs {
public:
    explicit Inputs(contract::EmbeddingJob& job) : job_(job) {}

    void operator()(const std::string& text) { job_.add_inputs()->set_text(text); }
    void operator()(const Tokens& tokens) {
        job_.add_inputs()->mutable_tokens()->mutable_ids()->Assign(tokens.begin(), tokens.end());
    }
    template <typename T>
    void operator()(const std::vector<T>& inputs) {
        for (const T& input : inputs)
            (*this)(input);
    }

private:
    contract::EmbeddingJob& job_;
};

void check_facts(const Request& request, const contract::TextFacts& facts, const schema::Reading& root) {
    if (!facts.embeddings())
        root.at("model").fault(FaultKind::rule, facts.reranking() ? "is a reranker and does not give embeddings"
                                                                  : "is a model that does not give embeddings");
    else if (request.dimensions && static_cast<std::uint32_t>(*request.dimensions) > facts.embedding_size())
        root.at("dimensions")
            .fault(FaultKind::out_of_range,
                   fmt::format("must be at most {}, which is what this model's vectors have", facts.embedding_size()));
}

}  // namespace

std::expected<backends::Job, schema::Faults> to_job(const Request& request, const contract::ModelFacts* facts) {
    schema::Findings findings;
    if (facts != nullptr)
        check_facts(request, facts->text(), schema::Reading(findings));
    if (!findings.faults.empty())
        return std::unexpected(std::move(findings.faults));
    backends::Job job;
    std::visit(Inputs(*job.mutable_embedding()), request.input);
    return job;
}

bool has_many(const Request& request) {
    return !std::holds_alternative<std::string>(request.input) && !std::holds_alternative<Tokens>(request.input);
}

std::string to_path_of_one(std::string_view job_path) {
    static constexpr std::array renamings{Renaming{"embedding.inputs[0].tokens", "input"},
                                          Renaming{"embedding.inputs[0]", "input"}, Renaming{"messages", "input"}};
    return to_request_path(job_path, renamings);
}

std::string to_path_of_many(std::string_view job_path) {
    static constexpr std::array renamings{Renaming{"embedding.inputs[].tokens", "input[]"},
                                          Renaming{"embedding.inputs[]", "input[]"}, Renaming{"messages", "input"}};
    return to_request_path(job_path, renamings);
}

}  // namespace gateway::api::embeddings
