#include "gateway/api/responses/record.hpp"

#include <cstdint>
#include <cstring>

namespace gateway::api::responses {
namespace {

using Length = std::uint32_t;

}  // namespace

void append(const backends::Event& event, std::string& record) {
    const std::string bytes = event.SerializeAsString();
    const auto length = static_cast<Length>(bytes.size());
    record.append(reinterpret_cast<const char*>(&length), sizeof length);
    record += bytes;
}

std::vector<backends::Event> read_record(std::string_view record) {
    std::vector<backends::Event> events;
    while (record.size() >= sizeof(Length)) {
        Length length = 0;
        std::memcpy(&length, record.data(), sizeof length);
        record.remove_prefix(sizeof length);
        if (record.size() < length || !events.emplace_back().ParseFromArray(record.data(), static_cast<int>(length)))
            break;
        record.remove_prefix(length);
    }
    return events;
}

}  // namespace gateway::api::responses
