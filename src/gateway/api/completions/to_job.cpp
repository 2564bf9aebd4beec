#include "gateway/api/completions/to_job.hpp"

namespace gateway::api::completions {
namespace {

namespace contract = llm_gateway::engine::v1;
using schema::FaultKind;

constexpr std::uint32_t default_max_tokens = 16;

void set_stop(const Request& request, contract::TextJob& text) {
    if (!request.stop)
        return;
    if (const auto* one = std::get_if<std::string>(&*request.stop))
        text.add_stop(*one);
    else
        for (const auto& stop : std::get<std::vector<std::string>>(*request.stop))
            text.add_stop(stop);
}

/// All but the prompt.
contract::TextJob common_part(const Request& request) {
    contract::TextJob text;
    chat::to_sampling(request.sampling, *text.mutable_sampling());
    text.set_choices(static_cast<std::uint32_t>(generated_of(request)));
    text.set_max_tokens(request.max_tokens ? static_cast<std::uint32_t>(*request.max_tokens) : default_max_tokens);
    text.set_min_tokens(static_cast<std::uint32_t>(request.sampling.min_tokens.value_or(0)));
    text.set_ignore_eos(request.sampling.ignore_eos.value_or(false));
    set_stop(request, text);
    text.set_echo(request.echo.value_or(false));
    // The best of several are found by their log-probabilities.
    text.set_logprobs(request.logprobs || generated_of(request) > wanted_of(request));
    text.set_top_logprobs(static_cast<std::uint32_t>(request.logprobs.value_or(0)));
    if (request.stop_token_ids)
        text.mutable_stop_tokens()->Assign(request.stop_token_ids->begin(), request.stop_token_ids->end());
    if (auto forms = forms_of(request.form); !forms.empty())
        *text.mutable_output_format() = std::move(forms.front().format);
    return text;
}

class Prompts {
public:
    Prompts(contract::TextJob common, std::string suffix) : common_(std::move(common)), suffix_(std::move(suffix)) {}

    void operator()(const std::string& text) {
        contract::TextJob& job = next();
        if (suffix_.empty()) {
            job.set_text(text);
            return;
        }
        job.mutable_fill_in()->set_before(text);
        job.mutable_fill_in()->set_after(suffix_);
    }
    void operator()(const Tokens& tokens) {
        next().mutable_tokens()->mutable_ids()->Assign(tokens.begin(), tokens.end());
    }
    void operator()(const std::vector<std::string>& texts) {
        for (const std::string& text : texts)
            (*this)(text);
    }
    void operator()(const std::vector<Tokens>& lists) {
        for (const Tokens& tokens : lists)
            (*this)(tokens);
    }

    std::vector<backends::Job> jobs;

private:
    contract::TextJob& next() { return *jobs.emplace_back().mutable_text() = common_; }

    contract::TextJob common_;
    std::string suffix_;
};

}  // namespace

std::expected<std::vector<backends::Job>, schema::Faults> to_jobs(const Request& request,
                                                                  const contract::ModelFacts* facts) {
    schema::Findings findings;
    const schema::Reading root(findings);
    if (facts != nullptr && facts->text().embeddings_only())
        root.at("model").fault(FaultKind::rule, "is a model for embeddings or ranking, which does not write");
    else if (facts != nullptr && !request.suffix.value_or("").empty() && !facts->text().fill_in())
        root.at("suffix").fault(FaultKind::rule,
                                "is not supported by this model: it has no tokens for filling in what is missing");
    if (!findings.faults.empty())
        return std::unexpected(std::move(findings.faults));
    Prompts prompts(common_part(request), request.suffix.value_or(""));
    if (request.prompt)
        std::visit(prompts, *request.prompt);
    else
        prompts(std::string());
    return std::move(prompts.jobs);
}

}  // namespace gateway::api::completions
