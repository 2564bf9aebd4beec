/// libFuzzer target, built with -DLLM_GATEWAY_FUZZ=ON: any bytes give a value or faults, and a value that was accepted
/// is written and read back equal.

#include "schema/sample.hpp"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using schema::sample::Request;
    const auto parsed = schema::parse<Request>({reinterpret_cast<const char*>(data), size});
    if (!parsed) {
        if (parsed.error().empty() || schema::to_error(parsed.error()).message.empty())
            std::abort();
        return 0;
    }
    const auto again = schema::parse<Request>(schema::to_text(parsed->value), {.unknown = schema::Unknown::refuse});
    if (!again || !(again->value == parsed->value))
        std::abort();
    return 0;
}
