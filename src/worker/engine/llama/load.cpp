#include "worker/engine/llama/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/log.hpp"
#include "worker/engine/llama/adapters.hpp"
#include "worker/engine/llama/context_params.hpp"
#include "worker/engine/llama/draft_model.hpp"
#include "worker/engine/llama/embedder.hpp"
#include "worker/engine/llama/embedding_engine.hpp"
#include "worker/engine/llama/llama_engine.hpp"
#include "worker/engine/llama/log_bridge.hpp"
#include "worker/engine/llama/media/projector.hpp"
#include "worker/engine/llama/threads.hpp"

namespace worker::engine::llama {
namespace {

using base::ErrorCode;
using base::fail;

constexpr std::size_t default_context = 8192;

using Progress = std::function<void(double)>;

llama_context_params params_for(const llama_model* model, const Options& options) {
    const auto trained = static_cast<std::size_t>(std::max(llama_model_n_ctx_train(model), 1));
    auto params = context_params(options);
    params.n_ctx =
        static_cast<std::uint32_t>(options.context != 0 ? options.context : std::min(trained, default_context));
    // Sequences that keep prefixes cost nothing but a number; those of models with a running state cost a state each.
    const bool stateful = llama_model_is_recurrent(model) || llama_model_is_hybrid(model);
    const std::size_t sequences = stateful ? options.slots + 1 : outputs_for(options.slots) + options.slots;
    params.n_seq_max = static_cast<std::uint32_t>(std::min(sequences, llama_max_parallel_sequences()));
    params.n_outputs_max = std::max(static_cast<std::uint32_t>(outputs_for(options.slots)), params.n_seq_max);
    return params;
}

}  // namespace

std::size_t outputs_for(std::size_t slots) {
    return slots + 24;
}

base::Result<std::unique_ptr<TextEngine>> load(const Options& options, const Kernels& kernels,
                                               const Progress& progress) {
    bridge_log();
    llama_backend_init();
    if (!std::filesystem::exists(options.model)) {
        return fail(ErrorCode::not_found, fmt::format("{} does not exist", options.model));
    }
    auto params = llama_model_default_params();
    params.progress_callback = [](float fraction, void* report) {
        (*static_cast<const Progress*>(report))(fraction);
        return true;
    };
    params.progress_callback_user_data = const_cast<Progress*>(&progress);
    llama_model_ptr model(llama_model_load_from_file(options.model.c_str(), params));
    if (model == nullptr) {
        return fail(ErrorCode::invalid, fmt::format("{}: {}", options.model, take_first_error()));
    }
    if (!llama_model_has_decoder(model.get())) {
        return fail(ErrorCode::unsupported,
                    fmt::format("{}: models that only encode are not served yet", options.model));
    }
    const auto adapters = std::make_shared<const Adapters>(model.get(), options.adapters);
    auto threads = std::make_unique<Threads>(options.threads, options.batch_threads);
    std::unique_ptr<LlamaEmbedder> embedder;
    if (const auto pooling = pooling_of(model.get(), options)) {
        auto made = LlamaEmbedder::make(model.get(), *pooling, options, *threads, adapters);
        if (!made) {
            return fail(made.error().code, fmt::format("{}: {}", options.model, made.error().message));
        }
        embedder = std::move(*made);
        if (embedder->only_encodes() && !options.draft_model.empty()) {
            return fail(ErrorCode::unsupported,
                        fmt::format("draft_model: {} only embeds, and nothing can be guessed for it", options.model));
        }
        if (embedder->only_encodes()) {
            return std::make_unique<EmbeddingEngine>(std::move(model), std::move(threads), std::move(embedder),
                                                     adapters, options, kernels);
        }
    }
    if (options.cache_type != CacheType::f16 && options.flash_attention == FlashAttention::off) {
        return fail(ErrorCode::invalid, "a kv type other than f16 needs flash attention, which is switched off");
    }
    llama_context_ptr context(llama_init_from_model(model.get(), params_for(model.get(), options)));
    if (context == nullptr) {
        return fail(ErrorCode::too_large, fmt::format("{}: no context: {}", options.model, take_first_error()));
    }
    if (llama_get_memory(context.get()) == nullptr && !llama_model_is_recurrent(model.get())) {
        return fail(ErrorCode::unsupported,
                    fmt::format("{}: this model only encodes, and its file does not say which pooling its embeddings "
                                "need: set `pooling`",
                                options.model));
    }
    std::unique_ptr<LlamaDraftModel> draft_model;
    if (!options.draft_model.empty()) {
        auto loaded = load_draft_model(options, model.get(), context.get(), *threads);
        if (!loaded) {
            return std::unexpected(loaded.error());
        }
        draft_model = std::move(*loaded);
    }
    std::unique_ptr<Projector> projector;
    if (!options.projector.empty()) {
        auto loaded = Projector::load(model.get(), options, llama_n_ubatch(context.get()));
        if (!loaded) {
            return std::unexpected(loaded.error());
        }
        projector = std::move(*loaded);
    }
    try {
        return std::make_unique<LlamaEngine>(std::move(model), std::move(context), std::move(threads),
                                             std::move(embedder), std::move(draft_model), std::move(projector),
                                             adapters, options, kernels);
    } catch (const std::exception& problem) {
        return fail(ErrorCode::invalid, fmt::format("{}: {}", options.model, problem.what()));
    }
}

}  // namespace worker::engine::llama
