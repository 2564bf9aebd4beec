#include "worker/engine/llama/context_params.hpp"

namespace worker::engine::llama {
namespace {

constexpr std::uint32_t batch_tokens = 512;

ggml_type type_of(CacheType type) {
    switch (type) {
        case CacheType::f16: return GGML_TYPE_F16;
        case CacheType::q8_0: return GGML_TYPE_Q8_0;
        case CacheType::q4_0: return GGML_TYPE_Q4_0;
    }
    return GGML_TYPE_F16;
}

llama_flash_attn_type type_of(FlashAttention attention) {
    switch (attention) {
        case FlashAttention::on: return LLAMA_FLASH_ATTN_TYPE_ENABLED;
        case FlashAttention::off: return LLAMA_FLASH_ATTN_TYPE_DISABLED;
        case FlashAttention::automatic: return LLAMA_FLASH_ATTN_TYPE_AUTO;
    }
    return LLAMA_FLASH_ATTN_TYPE_AUTO;
}

}  // namespace

llama_context_params context_params(const Options& options) {
    auto params = llama_context_default_params();
    params.n_batch = batch_tokens;
    params.n_ubatch = batch_tokens;
    params.kv_unified = true;
    // A sliding window of its own size would forget prefixes that others could begin with.
    params.swa_full = true;
    params.type_k = type_of(options.cache_type);
    params.type_v = type_of(options.cache_type);
    params.flash_attn_type = type_of(options.flash_attention);
    params.no_perf = true;
    return params;
}

}  // namespace worker::engine::llama
