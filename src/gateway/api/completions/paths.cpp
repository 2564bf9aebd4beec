#include <array>

#include "gateway/api/completions/to_job.hpp"
#include "gateway/api/request_path.hpp"

namespace gateway::api::completions {
namespace {

/// The fields of a job that are not those of the request.
std::string common_path(std::string_view path, std::string_view format_path) {
    for (const std::string_view format :
         {"output_format.json_schema", "output_format.grammar", "output_format.regex", "output_format"})
        if (path.starts_with(format))
            return std::string(format_path).append(path.substr(format.size()));
    static constexpr std::array renamings{
        Renaming{"stop_tokens", "stop_token_ids"},
        Renaming{"choices", "n"},
        Renaming{"fill_in.after", "suffix"},
        Renaming{"sampling.dynamic_temperature_range", "dynatemp_range"},
        Renaming{"sampling.dynamic_temperature_exponent", "dynatemp_exponent"},
    };
    std::string renamed = api::to_request_path(path, renamings);
    constexpr std::string_view sampling = "sampling.";
    if (renamed.starts_with(sampling))
        renamed.erase(0, sampling.size());
    return renamed;
}

}  // namespace

std::string format_path_of(const Request& request) {
    const auto forms = forms_of(request.form);
    return forms.empty() ? "response_format" : forms.front().path;
}

std::string to_request_path(std::string_view job_path, std::string_view format_path) {
    // Of one prompt the job's own path; of several it begins with the job's number. "messages" is what a prompt that is
    // too long is blamed on where nothing else is named.
    static constexpr std::array prompts{
        Renaming{"jobs[].text", "prompt[]"},
        Renaming{"jobs[].tokens", "prompt[]"},
        Renaming{"jobs[].fill_in.before", "prompt[]"},
        Renaming{"text", "prompt"},
        Renaming{"tokens", "prompt"},
        Renaming{"fill_in.before", "prompt"},
        Renaming{"messages", "prompt"},
    };
    std::string path = api::to_request_path(job_path, prompts);
    if (!path.starts_with("jobs["))
        return common_path(path, format_path);
    const auto end = path.find(']');
    if (end + 2 < path.size())  // "jobs[3].choices": the same for all
        return common_path(std::string_view(path).substr(end + 2), format_path);
    return "prompt" + path.substr(path.find('['));
}

}  // namespace gateway::api::completions
