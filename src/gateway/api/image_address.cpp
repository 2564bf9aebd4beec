#include "gateway/api/image_address.hpp"

#include <algorithm>
#include <string>

#include "base/base64.hpp"

namespace gateway::api {
namespace {

bool starts_with_scheme(std::string_view address, std::string_view scheme) {
    return address.size() >= scheme.size() &&
           std::ranges::equal(address.substr(0, scheme.size()), scheme,
                              [](char one, char other) { return (one | 0x20) == other || one == other; });
}

}  // namespace

void add_image(std::string_view address, llm_gateway::engine::v1::Media& image, const schema::Reading& reading) {
    constexpr std::string_view scheme = "data:";
    constexpr std::string_view encoding = ";base64";
    if (starts_with_scheme(address, "https://") || starts_with_scheme(address, "http://")) {
        image.set_url(std::string(address));
        return;
    }
    const auto comma = address.find(',');
    const std::string_view head = address.substr(0, comma);
    if (!starts_with_scheme(head, scheme) || !head.ends_with(encoding) || comma == std::string_view::npos) {
        reading.fault(schema::FaultKind::not_allowed,
                      "must be a data: URL with base64 (data:image/png;base64,...), or begin with https:// or http://");
        return;
    }
    auto data = base::decode_base64(address.substr(comma + 1));
    if (!data) {
        reading.fault(schema::FaultKind::not_allowed, "is not base64 after the comma");
        return;
    }
    image.set_data(*std::move(data));
    image.set_media_type(std::string(head.substr(scheme.size(), head.size() - scheme.size() - encoding.size())));
}

}  // namespace gateway::api
