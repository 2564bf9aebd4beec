/// libFuzzer target, built with -DLLM_GATEWAY_FUZZ=ON: a body of any bytes gives parts that lie inside of it, in order
/// and without a boundary in them, or a complaint.

#include <cstdint>
#include <cstdlib>

#include "http/multipart.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // Up to the first line end the input is the header, so that boundaries are fuzzed too.
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const auto line = input.substr(0, input.find('\n'));
    const auto body = input.substr(std::min(input.size(), line.size() + 1));
    const auto parts = http::parse_multipart(line, body);
    if (!parts) {
        if (parts.error().message.empty())
            std::abort();
        return 0;
    }
    const char* end = body.data();
    for (const http::Part& part : *parts) {
        if (part.name.empty() || part.content.data() < end)
            std::abort();
        end = part.content.data() + part.content.size();
    }
    if (end > body.data() + body.size())
        std::abort();
    return 0;
}
