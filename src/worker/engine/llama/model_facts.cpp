#include "worker/engine/llama/model_facts.hpp"

#include <build-info.h>
#include <fmt/format.h>

#include <filesystem>

namespace worker::engine::llama {

std::string metadata(const llama_model* model, const std::string& key) {
    char text[256];
    return llama_model_meta_val_str(model, key.c_str(), text, sizeof text) >= 0 ? std::string(text) : std::string();
}

contract::ModelFacts facts_of(const llama_model* model, const Options& options, const Kernels& kernels) {
    contract::ModelFacts facts;
    facts.set_architecture(metadata(model, "general.architecture"));
    char description[128];
    llama_model_desc(model, description, sizeof description);
    facts.set_description(description);
    facts.set_parameters(llama_model_n_params(model));
    std::error_code unknown;
    facts.set_file_bytes(std::filesystem::file_size(options.model, unknown));
    facts.set_kernel(kernels.name);
    facts.set_kernel_reason(kernels.reason);
    facts.set_threads(options.threads);
    facts.set_engine_version(fmt::format("llama.cpp {}", llama_version()));
    auto& text = *facts.mutable_text();
    text.set_trained_context_tokens(static_cast<std::uint32_t>(llama_model_n_ctx_train(model)));
    text.set_vocabulary(static_cast<std::uint32_t>(llama_vocab_n_tokens(llama_model_get_vocab(model))));
    text.set_embedding_size(static_cast<std::uint32_t>(llama_model_n_embd_out(model)));
    return facts;
}

}  // namespace worker::engine::llama
