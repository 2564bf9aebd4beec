#pragma once

/// From a job as it arrives to a request the engine can draw as it stands. All checks are here: what passes draws, what
/// does not names its field. Reads files of the LoRA folder's listing, otherwise pure.

#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "engine.pb.h"
#include "worker/image/codec/codec.hpp"
#include "worker/image/picture_engine.hpp"

namespace worker::image {

namespace contract = llm_gateway::engine::v1;

inline constexpr std::uint32_t max_count = 16;
inline constexpr std::uint32_t max_steps = 200;
inline constexpr std::size_t max_prompt_bytes = 16'000;
inline constexpr std::uint64_t max_upscaled_pixels = 64'000'000;

/// What one ImageJob asks for: `count` pictures, of which number i is `first` with its seed raised by i.
struct DrawPlan {
    DrawRequest first;
    std::uint32_t count = 1;
    codec::EncodeOptions encoding;
    bool with_metadata = true;
};

struct UpscalePlan {
    Picture picture;
    codec::EncodeOptions encoding;
};

/// `drawn_seed` is used when the job has none. Errors: `invalid` with the field in `param`; `unsupported` when this
/// model cannot do it; `not_found` for an adapter that is not there.
base::Result<DrawPlan> plan_drawing(const contract::ImageJob& job, const PictureModel& model, std::uint32_t drawn_seed);
base::Result<UpscalePlan> plan_upscale(const contract::UpscaleJob& job, const PictureModel& model);

/// Names, without extension and sorted, of the adapters in `folder`; none when it is empty or unreadable.
std::vector<std::string> lora_names(const std::string& folder);

}  // namespace worker::image
