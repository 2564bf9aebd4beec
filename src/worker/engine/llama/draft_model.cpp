#include "worker/engine/llama/draft_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "base/log.hpp"
#include "worker/engine/llama/context_params.hpp"
#include "worker/engine/llama/log_bridge.hpp"

namespace worker::engine::llama {
namespace {

using base::ErrorCode;
using base::fail;

// Of a token that is less likely than this, the engine's model says another one more often than not.
constexpr float least_sure = 0.4F;
// What models of one family have more or less of: unused tokens at the end.
constexpr std::int32_t most_further_tokens = 1024;

/// Why guesses of one model say nothing about the other; empty when they do.
std::string mismatch(const llama_vocab* theirs, const llama_vocab* ours) {
    if (llama_vocab_type(theirs) != llama_vocab_type(ours)) {
        return "it splits text into tokens in another way";
    }
    if (llama_vocab_get_add_bos(theirs) != llama_vocab_get_add_bos(ours) ||
        (llama_vocab_get_add_bos(ours) && llama_vocab_bos(theirs) != llama_vocab_bos(ours))) {
        return "its texts begin with another token";
    }
    const auto of_theirs = llama_vocab_n_tokens(theirs);
    const auto of_ours = llama_vocab_n_tokens(ours);
    if (std::abs(of_theirs - of_ours) > most_further_tokens) {
        return fmt::format("it has {} tokens, the model {}", of_theirs, of_ours);
    }
    for (Token token = 0; token < std::min(of_theirs, of_ours); ++token) {
        const std::string_view one = llama_vocab_get_text(theirs, token);
        const std::string_view other = llama_vocab_get_text(ours, token);
        if (one != other) {
            return fmt::format("its token {} is '{}', the model's '{}'", token, one, other);
        }
    }
    return {};
}

}  // namespace

base::Result<std::unique_ptr<LlamaDraftModel>> load_draft_model(const Options& options, const llama_model* model,
                                                                const llama_context* context, const Threads& threads) {
    const auto cannot = [&](ErrorCode code, const std::string& reason) {
        return fail(code, fmt::format("draft_model {}: {}", options.draft_model, reason));
    };
    if (!std::filesystem::exists(options.draft_model)) {
        return cannot(ErrorCode::not_found, "does not exist");
    }
    if (llama_model_is_recurrent(model) || llama_model_is_hybrid(model)) {
        return cannot(ErrorCode::unsupported, "the model's memory is a running state, which cannot take guesses back");
    }
    llama_model_ptr loaded(llama_model_load_from_file(options.draft_model.c_str(), llama_model_default_params()));
    if (loaded == nullptr) {
        return cannot(ErrorCode::invalid, take_first_error());
    }
    if (!llama_model_has_decoder(loaded.get()) || llama_model_is_recurrent(loaded.get()) ||
        llama_model_is_hybrid(loaded.get())) {
        return cannot(ErrorCode::unsupported, "it cannot go back in a text, so it cannot draft");
    }
    const auto reason = mismatch(llama_model_get_vocab(loaded.get()), llama_model_get_vocab(model));
    if (!reason.empty()) {
        return cannot(ErrorCode::invalid, "cannot draft for this model: " + reason);
    }
    auto params = context_params(options);
    params.n_ctx = llama_n_ctx(context);
    params.n_seq_max = llama_n_seq_max(context);
    params.n_outputs_max = params.n_seq_max;
    llama_context_ptr memory(llama_init_from_model(loaded.get(), params));
    if (memory == nullptr) {
        return cannot(ErrorCode::too_large, "no context: " + take_first_error());
    }
    base::log::info("draft model loaded", {{"file", options.draft_model}, {"cells", llama_n_ctx(memory.get())}});
    const auto vocabulary = static_cast<std::size_t>(llama_vocab_n_tokens(llama_model_get_vocab(model)));
    return std::make_unique<LlamaDraftModel>(std::move(loaded), std::move(memory), vocabulary, threads);
}

LlamaDraftModel::LlamaDraftModel(llama_model_ptr model, llama_context_ptr context, std::size_t vocabulary,
                                 const Threads& threads)
    : model_(std::move(model)),
      context_(std::move(context)),
      vocabulary_(
          std::min(vocabulary, static_cast<std::size_t>(llama_vocab_n_tokens(llama_model_get_vocab(model_.get()))))),
      held_(llama_n_seq_max(context_.get())),
      batch_(llama_batch_init(static_cast<std::int32_t>(llama_n_batch(context_.get())), 0, 1)) {
    threads.attach(context_.get());
}

LlamaDraftModel::~LlamaDraftModel() {
    llama_detach_threadpool(context_.get());
    llama_batch_free(batch_);
}

// ---- what is held of which text

std::size_t LlamaDraftModel::common(std::size_t sequence, std::span<const Token> tokens) const {
    const auto without_last = tokens.first(tokens.size() - 1);  // whose distribution is what a draft begins with
    const auto& read = held_[sequence].tokens;
    return static_cast<std::size_t>(std::ranges::mismatch(read, without_last).in1 - read.begin());
}

std::size_t LlamaDraftModel::nearest(std::span<const Token> tokens) const {
    std::size_t best = 0;
    std::size_t longest = 0;
    for (std::size_t sequence = 0; sequence < held_.size(); ++sequence) {
        if (const auto here = common(sequence, tokens); here > longest) {
            longest = here;
            best = sequence;
        }
    }
    return best;
}

std::size_t LlamaDraftModel::missing(Sequence sequence, std::span<const Token> tokens) const {
    const auto own = common(static_cast<std::size_t>(sequence), tokens);
    // To look at all of them is not worth while for a few tokens.
    constexpr std::size_t few = 16;
    return tokens.size() - (tokens.size() <= own + few ? own : common(nearest(tokens), tokens));
}

// The sequence becomes a beginning of `tokens`, as long as one is to be had.
void LlamaDraftModel::settle(Sequence sequence, std::span<const Token> tokens) {
    const auto own = common(static_cast<std::size_t>(sequence), tokens);
    const auto source = nearest(tokens);
    const auto longest = common(source, tokens);
    if (longest > own) {
        forget(sequence, 0);
        llama_memory_seq_cp(llama_get_memory(context_.get()), static_cast<Sequence>(source), sequence, -1,
                            static_cast<llama_pos>(longest));
        held(sequence).tokens.assign(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(longest));
    } else {
        forget(sequence, own);
    }
    held(sequence).used = ++uses_;
}

// Keeps the first `tokens` tokens.
void LlamaDraftModel::forget(Sequence sequence, std::size_t tokens) {
    if (held(sequence).tokens.size() <= tokens) {
        return;
    }
    auto* memory = llama_get_memory(context_.get());
    if (!llama_memory_seq_rm(memory, sequence, static_cast<llama_pos>(tokens), -1)) {
        llama_memory_seq_rm(memory, sequence, -1, -1);
        tokens = 0;
    }
    held(sequence).tokens.resize(tokens);
}

bool LlamaDraftModel::forget_oldest() {
    std::optional<std::size_t> oldest;
    for (std::size_t sequence = 0; sequence < held_.size(); ++sequence) {
        const bool in_batch = std::any_of(batch_.seq_id, batch_.seq_id + batch_.n_tokens,
                                          [&](const auto* each) { return each[0] == static_cast<Sequence>(sequence); });
        if (!in_batch && !held_[sequence].tokens.empty() && (!oldest || held_[sequence].used < held_[*oldest].used)) {
            oldest = sequence;
        }
    }
    if (oldest) {
        forget(static_cast<Sequence>(*oldest), 0);
    }
    return oldest.has_value();
}

// A model may have fewer tokens than the engine's.
bool LlamaDraftModel::known(std::span<const Token> tokens) const {
    return std::ranges::all_of(tokens, [this](Token token) { return static_cast<std::size_t>(token) < vocabulary_; });
}

// ---- reading and guessing

void LlamaDraftModel::add(Token token, Sequence sequence, std::size_t position, bool output) {
    const auto index = batch_.n_tokens++;
    batch_.token[index] = token;
    batch_.pos[index] = static_cast<llama_pos>(position);
    batch_.n_seq_id[index] = 1;
    batch_.seq_id[index][0] = sequence;
    batch_.logits[index] = output ? 1 : 0;
}

// Of the batch; false when there is no room for it, and nothing has changed.
bool LlamaDraftModel::evaluate() {
    int status = llama_decode(context_.get(), batch_);
    while (status == 1 && forget_oldest()) {
        status = llama_decode(context_.get(), batch_);
    }
    for (std::int32_t index = 0; index < batch_.n_tokens; ++index) {
        auto& tokens = held(batch_.seq_id[index][0]).tokens;
        if (status == 0) {
            tokens.push_back(batch_.token[index]);
        } else if (status != 1) {
            tokens.clear();  // some of it may be in memory
            llama_memory_seq_rm(llama_get_memory(context_.get()), batch_.seq_id[index][0], -1, -1);
        }
    }
    if (status != 0) {
        base::log::debug("the draft model cannot go on", {{"status", status}});
    }
    return status == 0;
}

void LlamaDraftModel::catch_up(Sequence sequence, std::span<const Token> tokens, std::size_t most) {
    settle(sequence, tokens);
    const auto begin = held(sequence).tokens.size();
    const auto missing =
        tokens.subspan(begin, std::min({most, tokens.size() - begin, std::size_t{llama_n_batch(context_.get())}}));
    if (!known(missing)) {
        return;
    }
    batch_.n_tokens = 0;
    for (std::size_t offset = 0; offset < missing.size(); ++offset) {
        add(missing[offset], sequence, begin + offset, false);
    }
    evaluate();
}

// All that is missing but its share of a batch, which it gets together with the others.
void LlamaDraftModel::read(Growing& growing, std::size_t share) {
    const auto& [sequence, tokens, most] = *growing.request;
    settle(sequence, tokens);
    while (held(sequence).tokens.size() + share < tokens.size()) {
        const auto before = held(sequence).tokens.size();
        catch_up(sequence, tokens, tokens.size() - share - before);
        if (held(sequence).tokens.size() == before) {
            growing.ended = true;
            return;
        }
    }
    growing.ended = most == 0 || !known(tokens.subspan(held(sequence).tokens.size()));
}

std::vector<std::vector<Token>> LlamaDraftModel::draft(std::span<const Request> requests) {
    const std::size_t share = llama_n_batch(context_.get()) / std::max<std::size_t>(requests.size(), 1);
    std::vector<Growing> all;
    for (const Request& request : requests) {
        all.push_back({.request = &request, .tokens = {}});
        read(all.back(), share);
    }
    const auto more = [](const Growing& each) { return !each.ended; };
    while (std::ranges::any_of(all, more)) {
        batch_.n_tokens = 0;
        for (Growing& each : all) {
            if (each.ended) {
                continue;
            }
            const auto& [sequence, tokens, most] = *each.request;
            const auto begin = held(sequence).tokens.size();
            const auto length = tokens.size() + each.tokens.size();
            if (length - begin > share) {
                each.ended = true;  // forgotten to make room for another one
                continue;
            }
            for (auto position = begin; position < length; ++position) {
                const Token token = position < tokens.size() ? tokens[position] : each.tokens[position - tokens.size()];
                add(token, sequence, position, position + 1 == length);
            }
            each.output = batch_.n_tokens - 1;
        }
        if (batch_.n_tokens == 0 || !evaluate()) {
            break;
        }
        for (Growing& each : all) {
            if (!each.ended) {
                guess(each);
            }
        }
    }
    std::vector<std::vector<Token>> drafts;
    for (Growing& each : all) {
        drafts.push_back(std::move(each.tokens));
    }
    return drafts;
}

void LlamaDraftModel::guess(Growing& growing) {
    const float* logits = llama_get_logits_ith(context_.get(), growing.output);
    candidates_.look_at({logits, vocabulary_}, nullptr);
    if (candidates_.empty() || 1 / candidates_.exponential_sum() < least_sure) {
        growing.ended = true;
        return;
    }
    growing.tokens.push_back(candidates_.likeliest());
    growing.ended = growing.tokens.size() >= growing.request->most;
}

}  // namespace worker::engine::llama
