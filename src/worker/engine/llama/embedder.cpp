#include "worker/engine/llama/embedder.hpp"

#include <common.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "worker/engine/llama/log_bridge.hpp"
#include "worker/engine/llama/model_facts.hpp"
#include "worker/engine/llama/prompt_bound.hpp"
#include "worker/engine/llama/vocabulary_text.hpp"

namespace worker::engine::llama {

using base::ErrorCode;
using base::fail;

namespace {

constexpr std::size_t longest_context = 8192;
constexpr std::size_t sequences = 32;
/// Tokens of a step. Each has a row of the vocabulary's size in the context's output buffer, used or not.
constexpr std::size_t divisible_batch = 128;
constexpr std::size_t whole_batch = 512;

bool pools_itself(PoolingType pooling, bool divisible) {
    return divisible && (pooling == LLAMA_POOLING_TYPE_MEAN || pooling == LLAMA_POOLING_TYPE_CLS);
}

bool attends_to_all(const llama_model* model) {
    return metadata(model, metadata(model, "general.architecture") + ".attention.causal") == "false";
}

bool ends_with_probabilities(const llama_model* model) {
    const auto architecture = metadata(model, "general.architecture");
    return architecture == "qwen3" || architecture == "qwen3vl";
}

llama_context_params context_params(const llama_model* model, PoolingType pooling, const Options& options,
                                    bool divisible) {
    const auto trained = static_cast<std::size_t>(std::max(llama_model_n_ctx_train(model), 1));
    // Learnt positions end with what the model was trained for.
    const std::size_t context = options.context == 0 ? std::min(trained, longest_context)
                                : divisible          ? options.context
                                                     : std::min(trained, options.context);
    auto params = llama_context_default_params();
    params.n_ctx = static_cast<std::uint32_t>(context);
    params.n_batch = static_cast<std::uint32_t>(divisible ? divisible_batch : std::max(context, whole_batch));
    params.n_ubatch = params.n_batch;
    params.n_seq_max = sequences;
    params.n_outputs_max = std::max(params.n_batch, params.n_seq_max);
    params.kv_unified = true;
    params.swa_full = true;
    params.embeddings = true;
    params.pooling_type = pools_itself(pooling, divisible) ? LLAMA_POOLING_TYPE_NONE : pooling;
    params.no_perf = true;
    return params;
}

}  // namespace

std::optional<PoolingType> pooling_of(const llama_model* model, const Options& options) {
    switch (options.pooling) {
        case Pooling::none: return std::nullopt;
        case Pooling::mean: return LLAMA_POOLING_TYPE_MEAN;
        case Pooling::cls: return LLAMA_POOLING_TYPE_CLS;
        case Pooling::last: return LLAMA_POOLING_TYPE_LAST;
        case Pooling::rank: return LLAMA_POOLING_TYPE_RANK;
        case Pooling::automatic: break;
    }
    const auto said = metadata(model, metadata(model, "general.architecture") + ".pooling_type");
    for (const auto pooling :
         {LLAMA_POOLING_TYPE_MEAN, LLAMA_POOLING_TYPE_CLS, LLAMA_POOLING_TYPE_LAST, LLAMA_POOLING_TYPE_RANK}) {
        if (said == std::to_string(static_cast<int>(pooling))) {
            return pooling;
        }
    }
    return std::nullopt;
}

std::string_view name_of(PoolingType pooling) {
    switch (pooling) {
        case LLAMA_POOLING_TYPE_MEAN: return "mean";
        case LLAMA_POOLING_TYPE_CLS: return "cls";
        case LLAMA_POOLING_TYPE_LAST: return "last";
        case LLAMA_POOLING_TYPE_RANK: return "rank";
        default: return "";
    }
}

base::Result<std::unique_ptr<LlamaEmbedder>> LlamaEmbedder::make(const llama_model* model, PoolingType pooling,
                                                                 const Options& options, const Threads& threads,
                                                                 std::shared_ptr<const Adapters> adapters) {
    const auto init = [&](bool divisible) {
        return llama_context_ptr(
            llama_init_from_model(const_cast<llama_model*>(model), context_params(model, pooling, options, divisible)));
    };
    bool divisible = !attends_to_all(model);
    llama_context_ptr context = init(divisible);
    if (context != nullptr && divisible && llama_get_memory(context.get()) == nullptr) {
        divisible = false;
        context = init(divisible);
    }
    if (context == nullptr) {
        return fail(ErrorCode::too_large, fmt::format("no context for embeddings: {}", take_first_error()));
    }
    const std::size_t cells = llama_n_ctx(context.get());
    const auto trained = static_cast<std::size_t>(std::max(llama_model_n_ctx_train(model), 1));
    const Limits limits{.input_tokens = divisible ? cells : std::min(cells, trained),
                        .batch_tokens = divisible ? llama_n_batch(context.get()) : std::min(whole_batch, cells),
                        .sequences = sequences,
                        .cells = divisible ? cells : sequences * cells,
                        .divisible = divisible};
    threads.attach(context.get());
    return std::unique_ptr<LlamaEmbedder>(
        new LlamaEmbedder(model, std::move(context), pooling, limits, std::move(adapters)));
}

LlamaEmbedder::LlamaEmbedder(const llama_model* model, llama_context_ptr context, PoolingType pooling,
                             const Limits& limits, std::shared_ptr<const Adapters> adapters)
    : model_(model),
      vocab_(llama_model_get_vocab(model)),
      context_(std::move(context)),
      pooling_(pooling),
      limits_(limits),
      adapters_(std::move(adapters)),
      longest_token_bytes_(longest_token_bytes(vocab_)),
      batch_(llama_batch_init(static_cast<std::int32_t>(llama_n_batch(context_.get())), 0, 1)),
      pooled_(limits.sequences) {
    llama_set_abort_callback(
        context_.get(),
        [](void* self) {
            const auto* abort = static_cast<LlamaEmbedder*>(self)->abort_;
            return abort != nullptr && abort->load(std::memory_order_relaxed);
        },
        this);
}

LlamaEmbedder::~LlamaEmbedder() {
    llama_detach_threadpool(context_.get());
    llama_batch_free(batch_);
}

// ---- preparing

base::Result<std::vector<Token>> LlamaEmbedder::prepare(const contract::EmbeddingInput& input) const {
    const bool ranks = pooling_ == LLAMA_POOLING_TYPE_RANK;
    if (input.has_pair() != ranks) {
        return fail(ErrorCode::unsupported, ranks ? "This model ranks documents and does not give embeddings."
                                                  : "This model gives embeddings and does not rank documents.");
    }
    const std::size_t bytes = input.text().size() + input.pair().query().size() + input.pair().document().size();
    if (longest_token_bytes_) {
        if (auto fits = check_could_fit(bytes, *longest_token_bytes_, limits_.input_tokens + 1); !fits) {
            return std::unexpected(fits.error());
        }
    }
    std::vector<Token> tokens;
    if (input.has_tokens()) {
        auto checked = checked_tokens(vocab_, input.tokens(), "tokens");
        if (!checked) {
            return std::unexpected(checked.error());
        }
        tokens = std::move(*checked);
    } else {
        tokens = ranks ? pair_tokens(input.pair()) : common_tokenize(vocab_, input.text(), true, true);
    }
    if (tokens.empty()) {
        return fail(ErrorCode::invalid, "The input is empty.");
    }
    if (tokens.size() > limits_.input_tokens) {
        return fail(ErrorCode::context_length,
                    fmt::format("This model's maximum context length is {} tokens. However, this input has {} tokens. "
                                "Please reduce its length.",
                                limits_.input_tokens, tokens.size()));
    }
    return tokens;
}

// Rerankers are trained on one form: that of a template in the file, or the two texts between the marks of the
// vocabulary, as in a pair of sentences of BERT.
std::vector<Token> LlamaEmbedder::pair_tokens(const contract::QueryAndDocument& pair) const {
    if (const char* form = llama_model_chat_template(model_, "rerank")) {
        std::string text;
        std::string_view rest = form;
        const std::map<std::string_view, std::string_view> places{{"{query}", pair.query()},
                                                                  {"{document}", pair.document()}};
        while (!rest.empty()) {
            const auto place =
                std::ranges::find_if(places, [&](const auto& each) { return rest.starts_with(each.first); });
            text += place == places.end() ? rest.substr(0, 1) : place->second;
            rest.remove_prefix(place == places.end() ? 1 : place->first.size());
        }
        return common_tokenize(vocab_, text, false, true);
    }
    std::vector<Token> tokens;
    const auto add_text = [&](const std::string& text) {
        const auto added = common_tokenize(vocab_, text, false, false);
        tokens.insert(tokens.end(), added.begin(), added.end());
    };
    const auto add_mark = [&](bool wanted, Token mark) {
        if (wanted && mark != LLAMA_TOKEN_NULL) {
            tokens.push_back(mark);
        }
    };
    const Token end = llama_vocab_eos(vocab_) == LLAMA_TOKEN_NULL ? llama_vocab_sep(vocab_) : llama_vocab_eos(vocab_);
    add_mark(llama_vocab_get_add_bos(vocab_), llama_vocab_bos(vocab_));
    add_text(pair.query());
    add_mark(llama_vocab_get_add_eos(vocab_), end);
    add_mark(llama_vocab_get_add_sep(vocab_), llama_vocab_sep(vocab_));
    add_text(pair.document());
    add_mark(llama_vocab_get_add_eos(vocab_), end);
    return tokens;
}

// ---- evaluating

Decoded LlamaEmbedder::evaluate(std::span<const BatchToken> batch, const std::atomic<bool>& abort) {
    batch_.n_tokens = static_cast<std::int32_t>(batch.size());
    for (std::size_t index = 0; index < batch.size(); ++index) {
        batch_.token[index] = batch[index].token;
        batch_.pos[index] = batch[index].position;
        batch_.n_seq_id[index] = 1;
        batch_.seq_id[index][0] = batch[index].sequence;
        batch_.logits[index] = 1;
    }
    abort_ = &abort;
    const int status = llama_decode(context_.get(), batch_);
    abort_ = nullptr;
    switch (status) {
        case 0: collect(batch); return Decoded::done;
        case 1: return Decoded::no_room;
        case 2: return Decoded::aborted;
        default: return Decoded::failed;
    }
}

void LlamaEmbedder::collect(std::span<const BatchToken> batch) {
    const bool own = pools_itself(pooling_, limits_.divisible);
    const auto size = static_cast<std::size_t>(pooling_ == LLAMA_POOLING_TYPE_RANK
                                                   ? static_cast<std::int32_t>(llama_model_n_cls_out(model_))
                                                   : llama_model_n_embd_out(model_));
    for (std::size_t index = 0; index < batch.size(); ++index) {
        Pooled& pooled = pooled_[static_cast<std::size_t>(batch[index].sequence)];
        if (!own) {
            const bool last = index + 1 == batch.size() || batch[index + 1].sequence != batch[index].sequence;
            if (const float* values =
                    last ? llama_get_embeddings_seq(context_.get(), batch[index].sequence) : nullptr) {
                pooled.values.assign(values, values + size);
            }
            continue;
        }
        const float* values = llama_get_embeddings_ith(context_.get(), static_cast<std::int32_t>(index));
        ++pooled.tokens;
        if (pooling_ == LLAMA_POOLING_TYPE_CLS && pooled.tokens > 1) {
            continue;
        }
        pooled.values.resize(size);
        std::transform(values, values + size, pooled.values.begin(), pooled.values.begin(), std::plus<>());
    }
}

std::vector<float> LlamaEmbedder::vector_of(Sequence sequence) {
    const Pooled& pooled = pooled_[static_cast<std::size_t>(sequence)];
    std::vector<float> values = pooled.values;
    if (pools_itself(pooling_, limits_.divisible) && pooling_ == LLAMA_POOLING_TYPE_MEAN) {
        for (float& value : values) {
            value /= static_cast<float>(pooled.tokens);
        }
    }
    if (pooling_ == LLAMA_POOLING_TYPE_RANK && !values.empty()) {
        values.resize(1);
        // Rerankers that are language models end with probabilities, the others with the number that a logistic function
        // makes one of.
        if (!ends_with_probabilities(model_)) {
            values.front() = 1 / (1 + std::exp(-values.front()));
        }
    }
    return values;
}

void LlamaEmbedder::clear(Sequence sequence) {
    pooled_[static_cast<std::size_t>(sequence)] = {};
    if (auto* memory = llama_get_memory(context_.get())) {
        llama_memory_seq_rm(memory, sequence, -1, -1);
    }
}

}  // namespace worker::engine::llama
