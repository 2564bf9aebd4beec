/// libFuzzer target, built with -DLLM_GATEWAY_FUZZ=ON: any schema and any regular expression gives a grammar that can be
/// read and is not too large, or a fault that says something.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "worker/engine/llama/grammar/rules.hpp"
#include "worker/engine/llama/schema/grammar_of.hpp"

namespace {

using namespace worker::engine::llama;

void check(const base::Result<std::string>& made) {
    constexpr std::size_t largest = 4'000'000;
    if (made ? made->size() > largest || !grammar::parse_rules(nullptr, *made) : made.error().message.empty()) {
        std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    check(schema::grammar_of(text, "schema", schema::Unenforceable::refused));
    check(schema::grammar_of(text, "schema", schema::Unenforceable::left_out));
    check(schema::grammar_of_pattern(text, "regex"));
    return 0;
}
