#include "worker/engine/llama/adapter_file.hpp"

#include <fmt/format.h>
#include <ggml-cpp.h>
#include <gguf.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>

#include "base/log.hpp"
#include "worker/engine/llama/log_bridge.hpp"
#include "worker/engine/llama/model_facts.hpp"

namespace worker::engine::llama {
namespace {

using base::ErrorCode;
using base::fail;

// What a product can be made of, and rows taken out.
constexpr std::array usable_types{GGML_TYPE_F32,  GGML_TYPE_F16,  GGML_TYPE_BF16, GGML_TYPE_Q4_0,   GGML_TYPE_Q4_1,
                                  GGML_TYPE_Q5_0, GGML_TYPE_Q5_1, GGML_TYPE_Q8_0, GGML_TYPE_Q2_K,   GGML_TYPE_Q3_K,
                                  GGML_TYPE_Q4_K, GGML_TYPE_Q5_K, GGML_TYPE_Q6_K, GGML_TYPE_IQ4_NL, GGML_TYPE_IQ4_XS};

struct Pair {
    const ggml_tensor* a = nullptr;
    const ggml_tensor* b = nullptr;
};

base::Result<void> invalid(std::string message) {
    return fail(ErrorCode::invalid, std::move(message));
}

/// Empty when the file does not have it as text.
std::string text_of(const gguf_context* file, const char* key) {
    const auto place = gguf_find_key(file, key);
    return place >= 0 && gguf_get_kv_type(file, place) == GGUF_TYPE_STRING ? gguf_get_val_str(file, place) : "";
}

base::Result<void> check_keys(const gguf_context* file, const llama_model* model) {
    if (text_of(file, "general.type") != "adapter" || text_of(file, "adapter.type") != "lora") {
        return invalid("it is not the file of a LoRA adapter");
    }
    const std::string architecture = text_of(file, "general.architecture");
    const std::string wanted = metadata(model, "general.architecture");
    if (architecture != wanted) {
        return invalid(
            fmt::format("it is for models of the architecture '{}', and this one is '{}'", architecture, wanted));
    }
    const auto alpha = gguf_find_key(file, "adapter.lora.alpha");
    if (alpha >= 0 &&
        (gguf_get_kv_type(file, alpha) != GGUF_TYPE_FLOAT32 || !std::isfinite(gguf_get_val_f32(file, alpha)))) {
        return invalid("adapter.lora.alpha is not a number");
    }
    if (gguf_find_key(file, "adapter.alora.invocation_tokens") >= 0) {
        return fail(ErrorCode::unsupported, "it is an activated adapter (aLoRA), which is not supported");
    }
    return {};
}

base::Result<void> check_pair(const std::string& name, const Pair& pair, std::int64_t experts) {
    if (pair.a == nullptr || pair.b == nullptr) {
        return invalid(fmt::format("one of the two tensors for '{}' is missing", name));
    }
    for (const ggml_tensor* tensor : {pair.a, pair.b}) {
        if (std::ranges::find(usable_types, tensor->type) == usable_types.end()) {
            return invalid(fmt::format("tensor '{}' has a type that cannot be used", tensor->name));
        }
        const bool of_experts = name.find("_exps.") != std::string::npos;
        if (tensor->ne[3] != 1 || tensor->ne[2] != (of_experts ? experts : 1)) {
            return invalid(fmt::format("tensor '{}' has the wrong shape", tensor->name));
        }
    }
    // Rows of the first are looked up by token; everywhere else it is the factor on the right.
    const bool of_embedding = name.ends_with("token_embd.weight");
    if (pair.b->ne[0] != pair.a->ne[of_embedding ? 0 : 1]) {
        return invalid(fmt::format("the two tensors for '{}' have different ranks", name));
    }
    return {};
}

}  // namespace

base::Result<void> check_adapter(const std::string& file, const llama_model* model) {
    if (std::error_code unknown; !std::filesystem::is_regular_file(file, unknown)) {
        return fail(ErrorCode::not_found, fmt::format("{} does not exist", file));
    }
    ggml_context* tensors = nullptr;
    take_first_error();
    const gguf_context_ptr opened(gguf_init_from_file(file.c_str(), {.no_alloc = true, .ctx = &tensors}));
    const ggml_context_ptr owner(tensors);
    if (opened == nullptr) {
        return invalid(fmt::format("it is not a whole GGUF file: {}", take_first_error()));
    }
    if (auto keys = check_keys(opened.get(), model); !keys) {
        return keys;
    }
    std::map<std::string, Pair> pairs;
    std::size_t norms = 0;
    for (ggml_tensor* each = ggml_get_first_tensor(tensors); each != nullptr;
         each = ggml_get_next_tensor(tensors, each)) {
        const std::string_view name = each->name;
        constexpr std::size_t suffix = std::string_view(".lora_a").size();
        if (name.ends_with(".lora_a")) {
            pairs[std::string(name.substr(0, name.size() - suffix))].a = each;
        } else if (name.ends_with(".lora_b")) {
            pairs[std::string(name.substr(0, name.size() - suffix))].b = each;
        } else if (name.ends_with("_norm.weight")) {
            ++norms;
        } else {
            return invalid(fmt::format("tensor '{}' is not one of an adapter", name));
        }
    }
    if (pairs.empty()) {
        return invalid("it has no tensors");
    }
    const std::string experts = metadata(model, metadata(model, "general.architecture") + ".expert_count");
    for (const auto& [name, pair] : pairs) {
        if (auto fits = check_pair(name, pair, std::atoll(experts.c_str())); !fits) {
            return fits;
        }
    }
    if (norms > 0) {
        base::log::warning("norms of an adapter have no effect", {{"file", file}, {"tensors", norms}});
    }
    return {};
}

}  // namespace worker::engine::llama
