/// libFuzzer target, built with -DLLM_GATEWAY_FUZZ=ON: any schema gives a grammar that can be read and is not too
/// large, or a fault that says something.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "worker/engine/llama/grammar/rules.hpp"
#include "worker/engine/llama/schema/grammar_of.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace worker::engine::llama;
    constexpr std::size_t largest = 4'000'000;
    const std::string text(reinterpret_cast<const char*>(data), size);
    for (const auto unenforceable : {schema::Unenforceable::refused, schema::Unenforceable::left_out}) {
        const auto made = schema::grammar_of(text, "schema", unenforceable);
        if (made ? made->size() > largest || !grammar::parse_rules(nullptr, *made) : made.error().message.empty()) {
            std::abort();
        }
    }
    return 0;
}
