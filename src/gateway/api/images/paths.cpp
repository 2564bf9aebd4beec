#include <array>

#include "gateway/api/images/to_job.hpp"
#include "gateway/api/request_path.hpp"

namespace gateway::api::images {
namespace {

/// In every request.
constexpr std::array common{
    Renaming{"width", "size"},
    Renaming{"height", "size"},
    Renaming{"count", "n"},
    Renaming{"distilled_guidance", "guidance"},
    Renaming{"encoding.quality", "output_compression"},
    Renaming{"encoding.format", "output_format"},
    Renaming{"preview_kind", "partial_images"},
    Renaming{"preview_interval", "partial_images"},
    Renaming{"hires.width", "hires.size"},
    Renaming{"hires.height", "hires.size"},
};

std::string renamed(std::string_view job_path, std::span<const Renaming> pictures) {
    const std::string path = api::to_request_path(job_path, pictures);
    return path == job_path ? api::to_request_path(job_path, common) : path;
}

}  // namespace

std::string to_request_path(std::string_view job_path) {
    return renamed(job_path, {});
}

std::string to_form_path(std::string_view job_path) {
    static constexpr std::array pictures{Renaming{"init_image", "image"}, Renaming{"reference_images", "image"}};
    return renamed(job_path, pictures);
}

std::string to_edit_body_path(std::string_view job_path) {
    static constexpr std::array pictures{Renaming{"init_image", "images[0].image_url"},
                                         Renaming{"reference_images[]", "images[].image_url"},
                                         Renaming{"reference_images", "images"}, Renaming{"mask", "mask.image_url"}};
    return renamed(job_path, pictures);
}

}  // namespace gateway::api::images
