#include "gateway/api/tokens/to_job.hpp"

#include <array>

#include "gateway/api/chat/content.hpp"
#include "gateway/api/chat/to_job.hpp"
#include "gateway/api/request_path.hpp"

namespace gateway::api::tokens {

namespace contract = llm_gateway::engine::v1;

std::expected<backends::Job, schema::Faults> to_job(const TokenizeRequest& request, const contract::ModelFacts* facts) {
    backends::Job job;
    contract::TokensJob& tokens = *job.mutable_tokens();
    if (request.messages) {
        schema::Findings findings;
        const schema::Reading root(findings);
        chat::add_messages(*request.messages, facts, *tokens.mutable_chat(), root.at("messages"));
        if (!findings.faults.empty())
            return std::unexpected(std::move(findings.faults));
        return job;
    }
    tokens.set_text(request.content ? *request.content : request.prompt.value_or(""));
    const auto add_special = request.add_special ? request.add_special : request.add_special_tokens;
    tokens.set_add_special(add_special.value_or(!request.content));
    tokens.set_parse_special(request.parse_special.value_or(true));
    return job;
}

backends::Job to_job(const DetokenizeRequest& request) {
    backends::Job job;
    job.mutable_tokens()->mutable_tokens()->mutable_ids()->Assign(request.tokens.begin(), request.tokens.end());
    return job;
}

backends::Job to_tokens_job(contract::Chat chat) {
    backends::Job job;
    *job.mutable_tokens()->mutable_chat() = std::move(chat);
    return job;
}

std::string to_tokenize_path(std::string_view job_path) {
    static constexpr std::array renamings{Renaming{"text", "content"}};
    if (job_path.starts_with("chat"))
        return chat::to_request_path(job_path);
    return to_request_path(job_path, renamings);
}

std::string to_detokenize_path(std::string_view job_path) {
    return std::string(job_path);
}

}  // namespace gateway::api::tokens
