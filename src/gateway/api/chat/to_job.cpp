#include "gateway/api/chat/to_job.hpp"

#include "gateway/api/chat/content.hpp"
#include "schema/schema.hpp"

namespace gateway::api::chat {
namespace {

namespace contract = llm_gateway::engine::v1;

std::int32_t to_priority(const std::optional<ServiceTier>& tier) {
    switch (tier.value_or(ServiceTier::automatic)) {
        case ServiceTier::flex: return -1;
        case ServiceTier::priority:
        case ServiceTier::fast: return 1;
        default: return 0;
    }
}

void set_stop(const Request& request, contract::TextJob& text) {
    if (!request.stop)
        return;
    if (const auto* one = std::get_if<std::string>(&*request.stop))
        text.add_stop(*one);
    else
        for (const auto& stop : std::get<std::vector<std::string>>(*request.stop))
            text.add_stop(stop);
}

void set_chat(const Request& request, contract::Chat& chat) {
    to_tools(request.tools, chat);
    if (request.reasoning_effort)
        chat.set_reasoning_effort(
            std::string(describe(schema::Type<ReasoningEffort>{}).name(*request.reasoning_effort)));
    chat.set_reasoning_in_text(request.reasoning_format == ReasoningFormat::none);
    if (request.chat_template_kwargs)
        for (const auto& [name, value] : *request.chat_template_kwargs)
            (*chat.mutable_template_arguments())[name] = schema::write_json(value);
    chat.set_continue_final_message(request.continue_final_message.value_or(false));
    chat.set_omit_generation_prompt(!request.add_generation_prompt.value_or(true));
}

void set_prediction(const Request& request, contract::TextJob& text) {
    if (!request.prediction)
        return;
    if (const auto* whole = std::get_if<std::string>(&request.prediction->content))
        text.set_prediction(*whole);
    else
        for (const auto& part : std::get<std::vector<TextPart>>(request.prediction->content))
            text.mutable_prediction()->append(part.text);
}

}  // namespace

std::expected<backends::Job, schema::Faults> to_job(const Request& request, const contract::ModelFacts* facts) {
    backends::Job job;
    job.set_priority(to_priority(request.service_tier));
    job.set_cache_salt(request.cache_salt.value_or(""));
    contract::TextJob& text = *job.mutable_text();

    contract::Chat& chat = *text.mutable_chat();
    schema::Findings findings;
    const schema::Reading root(findings);
    add_messages(request.messages, facts, chat, root.at("messages"));
    if (!findings.faults.empty())
        return std::unexpected(std::move(findings.faults));
    set_chat(request, chat);

    to_sampling(request.sampling, *text.mutable_sampling());
    text.set_choices(static_cast<std::uint32_t>(request.n.value_or(1)));
    if (const auto most = most_tokens(request))
        text.set_max_tokens(*most);
    text.set_min_tokens(static_cast<std::uint32_t>(request.sampling.min_tokens.value_or(0)));
    text.set_ignore_eos(request.sampling.ignore_eos.value_or(false));
    set_stop(request, text);
    if (request.stop_token_ids)
        text.mutable_stop_tokens()->Assign(request.stop_token_ids->begin(), request.stop_token_ids->end());
    text.set_show_special_tokens(!request.skip_special_tokens.value_or(true));
    text.set_logprobs(request.logprobs.value_or(false));
    text.set_top_logprobs(static_cast<std::uint32_t>(request.top_logprobs.value_or(0)));
    if (auto forms = forms_of(request.form); !forms.empty())
        *text.mutable_output_format() = std::move(forms.front().format);
    set_prediction(request, text);
    text.set_report_prompt_progress(request.return_progress.value_or(false));
    return job;
}

}  // namespace gateway::api::chat
