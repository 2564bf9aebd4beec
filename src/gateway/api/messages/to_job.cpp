#include "gateway/api/messages/to_job.hpp"

#include <algorithm>
#include <array>

#include "gateway/api/messages/prompt.hpp"
#include "gateway/api/request_path.hpp"
#include "schema/schema.hpp"

namespace gateway::api::messages {
namespace {

namespace contract = llm_gateway::engine::v1;

struct ChoiceSetter {
    contract::Chat& chat;

    void operator()(const AutoChoice& choice) const {
        set(contract::ToolChoice::AUTO, choice.disable_parallel_tool_use);
    }
    void operator()(const AnyChoice& choice) const {
        set(contract::ToolChoice::REQUIRED, choice.disable_parallel_tool_use);
    }
    void operator()(const ToolChoiceByName& choice) const {
        set(contract::ToolChoice::NAMED, choice.disable_parallel_tool_use);
        chat.mutable_tool_choice()->set_name(choice.name);
    }
    void operator()(const NoneChoice&) const { set(contract::ToolChoice::NONE, {}); }

    void set(contract::ToolChoice::Mode mode, const std::optional<bool>& one_call) const {
        chat.mutable_tool_choice()->set_mode(mode);
        chat.set_parallel_tool_calls(!one_call.value_or(false));
    }
};

void add_tools(const std::vector<Tool>& tools, contract::Chat& chat) {
    for (const Tool& tool : tools) {
        auto& added = *chat.add_tools();
        added.set_name(tool.name);
        added.set_description(tool.description.value_or(""));
        added.set_parameters_schema(schema::write_json(tool.input_schema));
        added.set_strict(tool.strict.value_or(false));
    }
}

/// An answer goes on where the last message ends when that is the assistant's.
void set_ending(const std::vector<Message>& messages, contract::Chat& chat, const schema::Reading& reading) {
    if (chat.messages().empty()) {
        reading.fault(schema::FaultKind::rule, "say nothing");
        return;
    }
    const contract::ChatMessage& last = chat.messages(chat.messages_size() - 1);
    if (last.role() != "assistant")
        return;
    if (last.tool_calls_size() > 0)
        reading.at(messages.size() - 1)
            .fault(schema::FaultKind::rule, "uses tools: a message with their results must follow");
    chat.set_continue_final_message(true);
}

void set_thinking(const Conversation& conversation, contract::Chat& chat) {
    if (conversation.output_config && conversation.output_config->effort)
        chat.set_reasoning_effort(
            std::string(describe(schema::Type<OutputConfig::Effort>{}).name(*conversation.output_config->effort)));
    if (!conversation.thinking)
        return;
    if (std::holds_alternative<ThinkingDisabled>(*conversation.thinking))
        chat.set_reasoning_effort("none");
    else if (std::holds_alternative<ThinkingEnabled>(*conversation.thinking))
        (*chat.mutable_template_arguments())["enable_thinking"] = "true";
}

/// Looks for marks in everything that can have one.
struct Marked {
    template <typename T>
        requires requires(const T& block) { block.cache_control; }
    bool operator()(const T& block) const {
        return block.cache_control.has_value();
    }
    bool operator()(const ToolResultBlock& result) const {
        return result.cache_control || (result.content && std::visit(*this, *result.content));
    }
    bool operator()(const UserMessage& message) const { return std::visit(*this, message.content); }
    bool operator()(const AssistantMessage& message) const { return std::visit(*this, message.content); }
    bool operator()(const SystemMessage& message) const { return std::visit(*this, message.content); }
    bool operator()(const ThinkingBlock&) const { return false; }
    bool operator()(const RedactedThinkingBlock&) const { return false; }
    bool operator()(const std::string&) const { return false; }
    template <typename... Ts>
    bool operator()(const std::variant<Ts...>& one_of) const {
        return std::visit(*this, one_of);
    }
    template <typename T>
    bool operator()(const std::vector<T>& list) const {
        return std::ranges::any_of(list, *this);
    }
    template <typename T>
    bool operator()(const std::optional<T>& value) const {
        return value && (*this)(*value);
    }
};

}  // namespace

std::expected<contract::Chat, schema::Faults> to_chat(const Conversation& conversation,
                                                      const contract::ModelFacts* facts) {
    contract::Chat chat;
    schema::Findings findings;
    const schema::Reading root(findings);
    if (conversation.system)
        add_system(*conversation.system, chat);
    add_messages(conversation.messages, facts, chat, root.at("messages"));
    set_ending(conversation.messages, chat, root.at("messages"));
    if (!findings.faults.empty())
        return std::unexpected(std::move(findings.faults));
    if (conversation.tools)
        add_tools(*conversation.tools, chat);
    std::visit(ChoiceSetter{chat}, conversation.tool_choice.value_or(AutoChoice{}));
    set_thinking(conversation, chat);
    return chat;
}

std::expected<backends::Job, schema::Faults> to_job(const Request& request, const contract::ModelFacts* facts) {
    auto chat = to_chat(request.conversation, facts);
    if (!chat)
        return std::unexpected(std::move(chat.error()));
    backends::Job job;
    contract::TextJob& text = *job.mutable_text();
    *text.mutable_chat() = *std::move(chat);
    if (const auto& output = request.conversation.output_config; output && output->format)
        text.mutable_output_format()->set_json_schema(schema::write_json(output->format->schema));
    contract::Sampling& sampling = *text.mutable_sampling();
    if (request.temperature)
        sampling.set_temperature(static_cast<float>(*request.temperature));
    if (request.top_p)
        sampling.set_top_p(static_cast<float>(*request.top_p));
    if (request.top_k)
        sampling.set_top_k(*request.top_k);
    text.set_choices(1);
    text.set_max_tokens(static_cast<std::uint32_t>(request.max_tokens));
    if (request.stop_sequences)
        for (const std::string& stop : *request.stop_sequences)
            text.add_stop(stop);
    // The first event of a stream has the prompt's token counts.
    text.set_report_prompt_progress(request.stream.value_or(false));
    return job;
}

bool asks_to_keep(const Conversation& conversation) {
    const Marked marked;
    return conversation.cache_control || marked(conversation.system) || marked(conversation.tools) ||
           marked(conversation.messages);
}

std::string to_request_path(std::string_view job_path) {
    static constexpr std::array renamings{
        Renaming{"output_format.json_schema", "output_config.format.schema"},
        Renaming{"output_format", "output_config.format"},
        Renaming{"chat.tools[].parameters_schema", "tools[].input_schema"},
        Renaming{"chat.tools", "tools"},
        Renaming{"chat.tool_choice", "tool_choice"},
        Renaming{"chat.template_arguments.enable_thinking", "thinking"},
        Renaming{"chat.reasoning_effort", "output_config.effort"},
        Renaming{"sampling", ""},
    };
    // Messages are counted otherwise in the job: its system prompt and results of tools are messages too.
    if (job_path.starts_with("chat.messages") || job_path == "chat.continue_final_message" || job_path == "chat" ||
        job_path == "text")
        return "messages";
    std::string path = api::to_request_path(job_path, renamings);
    if (path.starts_with('.'))
        path.erase(0, 1);
    return path;
}

}  // namespace gateway::api::messages
