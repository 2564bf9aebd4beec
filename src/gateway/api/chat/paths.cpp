#include <array>

#include "gateway/api/chat/to_job.hpp"
#include "gateway/api/request_path.hpp"

namespace gateway::api::chat {

std::string to_request_path(std::string_view job_path, std::string_view format_path) {
    static constexpr std::array renamings{
        Renaming{"chat.messages[].tool_calls[].arguments", "messages[].tool_calls[].function.arguments"},
        Renaming{"chat.messages[].tool_calls[].name", "messages[].tool_calls[].function.name"},
        Renaming{"chat.messages[].content[].image", "messages[].content[].image_url.url"},
        Renaming{"chat.messages[].content[].audio", "messages[].content[].input_audio.data"},
        Renaming{"chat.messages[].reasoning", "messages[].reasoning_content"},
        Renaming{"chat.messages", "messages"},
        Renaming{"chat.tools[].parameters_schema", "tools[].function.parameters"},
        Renaming{"chat.tools[].name", "tools[].function.name"},
        Renaming{"chat.tools", "tools"},
        Renaming{"chat.tool_choice.name", "tool_choice"},
        Renaming{"chat.tool_choice", "tool_choice"},
        Renaming{"chat.template_arguments", "chat_template_kwargs"},
        Renaming{"chat.reasoning_effort", "reasoning_effort"},
        Renaming{"chat.continue_final_message", "continue_final_message"},
        Renaming{"chat.omit_generation_prompt", "add_generation_prompt"},
        Renaming{"chat.parallel_tool_calls", "parallel_tool_calls"},
        Renaming{"chat", "messages"},
        Renaming{"text", "messages"},
        Renaming{"choices", "n"},
        Renaming{"stop_tokens", "stop_token_ids"},
        Renaming{"sampling.dynamic_temperature_range", "dynatemp_range"},
        Renaming{"sampling.dynamic_temperature_exponent", "dynatemp_exponent"},
    };
    for (const std::string_view format :
         {"output_format.json_schema", "output_format.grammar", "output_format.regex", "output_format"})
        if (job_path.starts_with(format))
            return std::string(format_path).append(job_path.substr(format.size()));
    std::string path = api::to_request_path(job_path, renamings);
    // The other settings of the sampling are fields of the request itself, under the same names.
    constexpr std::string_view sampling = "sampling.";
    if (path.starts_with(sampling))
        path.erase(0, sampling.size());
    return path;
}

}  // namespace gateway::api::chat
