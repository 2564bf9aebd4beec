#pragma once

/// The checks of single values that a job's plan is made of. A value that fails names its field in `param`.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "engine.pb.h"
#include "worker/image/codec/codec.hpp"
#include "worker/image/picture_engine.hpp"

namespace worker::image {

/// `invalid`, with the field at fault.
std::unexpected<base::Error> invalid(std::string_view param, std::string_view message);

/// A length in pixels that the model draws. `asked` 0: `standard`.
base::Result<std::uint32_t> side(std::string_view param, std::uint32_t asked, std::uint32_t standard,
                                 const PictureModel& model);

/// Finite and within [low, high].
base::Result<float> number(std::string_view param, float value, float low, float high);

/// One of `known`. `asked` empty: `standard`.
base::Result<std::string> name(std::string_view param, const std::string& asked, const std::string& standard,
                               const std::vector<std::string>& known);

/// At most `max_prompt_bytes`.
base::Result<std::string> text(std::string_view param, const std::string& value);

/// A decoded file.
base::Result<Picture> picture(std::string_view param, const std::string& file, std::uint32_t channels);

/// A decoded file of the request's width and height.
base::Result<Picture> picture_of_size(std::string_view param, const std::string& file, std::uint32_t channels,
                                      const DrawRequest& request);

base::Result<codec::EncodeOptions> encoding(const llm_gateway::engine::v1::ImageEncoding& asked);

/// Keeps the first fault; what follows is still read, so that the checks can be written one after the other.
class Checks {
public:
    template <typename Target, typename Value>
    void take(Target& target, base::Result<Value> value) {
        if (value) {
            target = *std::move(value);
        } else {
            refuse(std::unexpected(std::move(value).error()));
        }
    }

    void refuse(std::unexpected<base::Error> fault) {
        if (!fault_) {
            fault_ = std::move(fault).error();
        }
    }

    const std::optional<base::Error>& fault() const { return fault_; }

private:
    std::optional<base::Error> fault_;
};

}  // namespace worker::image
