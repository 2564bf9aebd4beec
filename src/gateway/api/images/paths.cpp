#include <array>

#include "gateway/api/images/to_job.hpp"
#include "gateway/api/request_path.hpp"

namespace gateway::api::images {

std::string to_request_path(std::string_view job_path) {
    static constexpr std::array renamings{
        Renaming{"width", "size"},
        Renaming{"height", "size"},
        Renaming{"count", "n"},
        Renaming{"distilled_guidance", "guidance"},
        Renaming{"encoding.quality", "output_compression"},
        Renaming{"encoding.format", "output_format"},
        Renaming{"preview_kind", "partial_images"},
        Renaming{"preview_interval", "partial_images"},
    };
    return api::to_request_path(job_path, renamings);
}

}  // namespace gateway::api::images
