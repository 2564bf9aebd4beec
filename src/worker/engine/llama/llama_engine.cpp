#include "worker/engine/llama/llama_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

#include "base/utf8.hpp"
#include "worker/engine/llama/chat.hpp"
#include "worker/engine/llama/embedding_engine.hpp"
#include "worker/engine/llama/llama_answer.hpp"
#include "worker/engine/llama/media/media_batch.hpp"
#include "worker/engine/llama/model_facts.hpp"
#include "worker/engine/llama/output_format.hpp"
#include "worker/engine/llama/prompt_bound.hpp"
#include "worker/engine/llama/sampling.hpp"
#include "worker/engine/llama/unmarked_calls.hpp"
#include "worker/engine/llama/vocabulary_text.hpp"

namespace worker::engine::llama {

using base::ErrorCode;
using base::fail;

namespace {

constexpr std::uint32_t most_choices = 128;

// Of engines/patches/llama-kv-blocks.patch. Caches with a sliding window have none.
constexpr std::size_t block_of_cells = 64;

common_grammar grammar_of(const contract::OutputFormat& format, const std::string& from_chat, SchemaGrammars& schemas) {
    if (!format.grammar().empty()) {
        return {COMMON_GRAMMAR_TYPE_USER, format.grammar()};
    }
    if (!from_chat.empty()) {
        return {COMMON_GRAMMAR_TYPE_TOOL_CALLS, from_chat};
    }
    const std::string schema = schema_of(format);
    if (!schema.empty()) {  // checked before
        if (const auto grammar = schemas.of(schema, {}, schema::Unenforceable::refused)) {
            return {COMMON_GRAMMAR_TYPE_OUTPUT_FORMAT, **grammar};
        }
    }
    return {};
}

// Tags and triggers that are one token of the vocabulary are matched as tokens, the others as text.
void apply_chat(const RenderedChat& chat, const llama_vocab* vocab, common_params_sampling& params,
                AnswerFormat& format) {
    for (const std::string& text : chat.preserved_tokens) {
        const auto ids = common_tokenize(vocab, text, false, true);
        if (ids.size() == 1) {
            params.preserved_tokens.insert(ids.front());
        }
    }
    params.grammar_lazy = chat.grammar_lazy;
    for (common_grammar_trigger trigger : chat.grammar_triggers) {
        if (trigger.type == COMMON_GRAMMAR_TRIGGER_TYPE_WORD) {
            const auto ids = common_tokenize(vocab, trigger.value, false, true);
            if (ids.size() == 1 && params.preserved_tokens.contains(ids.front())) {
                trigger.type = COMMON_GRAMMAR_TRIGGER_TYPE_TOKEN;
                trigger.token = ids.front();
            }
        }
        params.grammar_triggers.push_back(std::move(trigger));
    }
    params.generation_prompt = chat.generation_prompt;
    if (!chat.thinking_end_tags.empty()) {
        params.reasoning_budget_start = common_tokenize(vocab, chat.thinking_start_tag, false, true);
        for (const std::string& tag : chat.thinking_end_tags) {
            params.reasoning_budget_end.push_back(common_tokenize(vocab, tag, false, true));
        }
        params.reasoning_budget_forced = params.reasoning_budget_end.front();
    }
    format.parser = common_chat_parser_params(chat);
    if (chat.answer_parser != nullptr) {
        format.parser.parser = *chat.answer_parser;
    }
    format.visible_tokens = params.preserved_tokens;
}

// The marker of this process is nobody else's business.
std::string with_plain_markers(std::string prompt, const std::string& marker) {
    if (!marker.empty()) {
        string_replace_all(prompt, marker, mtmd_default_marker());
    }
    return prompt;
}

Decoded decoded(int status) {
    switch (status) {
        case 0: return Decoded::done;
        case 1: return Decoded::no_room;
        case 2: return Decoded::aborted;
        default: return Decoded::failed;
    }
}

}  // namespace

LlamaEngine::LlamaEngine(llama_model_ptr model, llama_context_ptr context, std::unique_ptr<Threads> threads,
                         std::unique_ptr<LlamaEmbedder> embedder, std::unique_ptr<LlamaDraftModel> draft_model,
                         std::unique_ptr<Projector> projector, std::shared_ptr<const Adapters> adapters,
                         const Options& options, const Kernels& kernels)
    : model_(std::move(model)),
      vocab_(llama_model_get_vocab(model_.get())),
      threads_(std::move(threads)),
      context_(std::move(context)),
      embedder_(std::move(embedder)),
      draft_model_(std::move(draft_model)),
      projector_(std::move(projector)),
      adapters_(std::move(adapters)),
      states_(context_.get(), static_cast<Sequence>(llama_n_seq_max(context_.get()) - 1),
              static_cast<std::size_t>(llama_model_n_swa(model_.get()))),
      positions_(llama_n_seq_max(context_.get())),
      templates_(common_chat_templates_init(model_.get(), "")),
      chat_formats_(templates_.get()),
      grammars_(vocab_) {
    limits_ = {.context_tokens = llama_n_ctx_seq(context_.get()),
               .cells = llama_n_ctx(context_.get()),
               .sequences = llama_n_seq_max(context_.get()),
               .slots = options.slots,
               .batch_tokens = llama_n_batch(context_.get()),
               .outputs = outputs_for(options.slots)};
    can_go_back_ = !llama_model_is_recurrent(model_.get()) && !llama_model_is_hybrid(model_.get());
    limits_.shares_prefixes = can_go_back_;
    limits_.saving = can_go_back_ ? Saving::stretches : Saving::whole;
    if (can_go_back_) {
        limits_.restore_cells = states_.piece_tokens();
        limits_.shared_block = llama_model_n_swa(model_.get()) == 0 ? block_of_cells : 1;
        --limits_.sequences;  // the last one is for saving and restoring
    }
    if (projector_ != nullptr && projector_->has_flat_positions()) {
        // Stretches are saved, and parts of blocks copied, by positions: tokens of a picture have the same.
        limits_.saving = Saving::none;
        limits_.shared_block = 1;
    }
    for (Token token = 0; token < llama_vocab_n_tokens(vocab_); ++token) {
        if (llama_vocab_is_eog(vocab_, token)) {
            ends_.push_back(token);
        }
    }
    longest_token_bytes_ = longest_token_bytes(vocab_);
    batch_ = llama_batch_init(static_cast<std::int32_t>(limits_.batch_tokens), 0, 1);
    threads_->attach(context_.get());
    llama_set_abort_callback(
        context_.get(),
        [](void* self) {
            const auto* abort = static_cast<LlamaEngine*>(self)->abort_;
            return abort != nullptr && abort->load(std::memory_order_relaxed);
        },
        this);
    facts_ = describe(options, kernels);
}

LlamaEngine::~LlamaEngine() {
    llama_detach_threadpool(context_.get());
    llama_batch_free(batch_);
}

contract::ModelFacts LlamaEngine::describe(const Options& options, const Kernels& kernels) const {
    contract::ModelFacts facts = facts_of(model_.get(), options, kernels);
    auto& text = *facts.mutable_text();
    text.set_context_tokens(static_cast<std::uint32_t>(limits_.context_tokens));
    text.set_fill_in(can_fill_in(vocab_));
    adapters_->describe(text);
    if (embedder_ != nullptr) {
        add_embedding_facts(*embedder_, text);
    }
    text.set_chat_template(common_chat_templates_was_explicit(templates_.get()));
    text.set_tools(true);  // templates that know none are helped
    try {
        text.set_reasoning(common_chat_templates_support_enable_thinking(templates_.get()));
    } catch (const std::exception&) {
        text.set_reasoning(false);  // a template that does not even take one user message
    }
    text.set_slots(static_cast<std::uint32_t>(limits_.slots));
    text.set_images(projector_ != nullptr && projector_->sees());
    text.set_audio(projector_ != nullptr && projector_->hears());
    return facts;
}

// ---- preparing

base::Result<std::vector<Token>> LlamaEngine::tokenised(const std::string& text) const {
    if (longest_token_bytes_) {
        if (auto fits = check_could_fit(text.size(), *longest_token_bytes_, limits_.context_tokens); !fits) {
            return std::unexpected(fits.error());
        }
    }
    return common_tokenize(vocab_, text, true, true);
}

base::Result<MediaPrompt> LlamaEngine::tokenised(const std::string& prompt, const contract::Chat& chat) const {
    if (const auto files = media_of(chat); !files.empty()) {
        return projector_->read(prompt, files, limits_.context_tokens);
    }
    auto tokens = tokenised(prompt);
    if (!tokens) {
        return std::unexpected(tokens.error());
    }
    return MediaPrompt{.tokens = std::move(*tokens), .pieces = {}};
}

MediaKinds LlamaEngine::media_kinds() const {
    return projector_ == nullptr
               ? MediaKinds{}
               : MediaKinds{
                     .marker = projector_->marker(), .images = projector_->sees(), .sounds = projector_->hears()};
}

base::Result<std::vector<Token>> LlamaEngine::ends_of(const contract::TextJob& job) const {
    std::vector<Token> ends = ends_;
    for (int index = 0; index < job.stop_tokens_size(); ++index) {
        const Token token = job.stop_tokens(index);
        if (token < 0 || token >= llama_vocab_n_tokens(vocab_)) {
            return fail(ErrorCode::invalid, fmt::format("There is no token {} in this model.", token),
                        fmt::format("stop_tokens[{}]", index));
        }
        ends.push_back(token);
    }
    return ends;
}

base::Result<std::vector<Token>> LlamaEngine::plain_prompt(const contract::TextJob& job) const {
    if (job.has_tokens()) {
        return checked_tokens(vocab_, job.tokens(), "tokens");
    }
    if (!job.has_fill_in()) {
        return tokenised(job.text());
    }
    if (!can_fill_in(vocab_)) {
        return fail(ErrorCode::unsupported, "This model has no tokens for filling in what is missing before a suffix.",
                    "fill_in.after");
    }
    if (longest_token_bytes_) {
        const std::size_t bytes = job.fill_in().before().size() + job.fill_in().after().size();
        if (auto fits = check_could_fit(bytes, *longest_token_bytes_, limits_.context_tokens); !fits) {
            return std::unexpected(fits.error());
        }
    }
    return fill_in_prompt(vocab_, job.fill_in());
}

base::Result<TokenTexts> LlamaEngine::tokens_of(const contract::TokensJob& job) {
    if (!job.has_chat()) {
        return plain_tokens_of(vocab_, job);
    }
    contract::TextJob text;
    *text.mutable_chat() = job.chat();
    auto chat = render(chat_formats_, schemas_, text, media_kinds());
    if (!chat) {
        return std::unexpected(chat.error());
    }
    TokenTexts texts{.text = base::valid_utf8(with_plain_markers(chat->prompt, media_kinds().marker))};
    auto prompt = tokenised(chat->prompt, job.chat());
    if (!prompt) {
        return std::unexpected(prompt.error());
    }
    texts.tokens = std::move(prompt->tokens);
    std::ranges::replace_if(texts.tokens, is_media, LLAMA_TOKEN_NULL);
    texts.pieces = pieces_of(vocab_, texts.tokens);
    return texts;
}

base::Result<Prepared> LlamaEngine::prepare(const contract::TextJob& job) {
    if (job.choices() > most_choices) {
        return fail(ErrorCode::invalid, fmt::format("At most {} answers.", most_choices), "choices");
    }
    if (job.output_format().has_regex()) {
        auto by_grammar = with_grammar(job);
        return by_grammar ? prepare(*by_grammar) : std::unexpected(by_grammar.error());
    }
    if (auto usable = check_format(job.output_format(), schemas_); !usable) {
        return std::unexpected(usable.error());
    }
    auto params = sampling_of(job.sampling(), vocab_, limits_.context_tokens);
    if (!params) {
        return std::unexpected(params.error());
    }
    auto ends = ends_of(job);
    if (!ends) {
        return std::unexpected(ends.error());
    }
    Prepared prepared;
    prepared.stop = {job.stop().begin(), job.stop().end()};
    AnswerFormat format;
    format.all_visible = job.show_special_tokens();
    std::string chat_grammar;
    if (job.has_chat()) {
        auto chat = render(chat_formats_, schemas_, job, media_kinds());
        if (!chat) {
            return std::unexpected(chat.error());
        }
        auto prompt = tokenised(chat->prompt, job.chat());
        if (!prompt) {
            return std::unexpected(prompt.error());
        }
        prepared.prompt = std::move(prompt->tokens);
        prepared.media = std::move(prompt->pieces);
        prepared.stop.insert(prepared.stop.end(), chat->additional_stops.begin(), chat->additional_stops.end());
        apply_chat(*chat, vocab_, *params, format);
        format.continues = job.chat().continue_final_message();
        format.unmarked_tools = unmarked_tools_of(*chat, job.chat());
        // With a schema the model may put its JSON into a code fence, which the parser takes off.
        const bool nothing_to_parse =
            job.chat().tools().empty() && schema_of(job.output_format()).empty() && !chat->supports_thinking;
        format.json = job.chat().tools().empty() && !schema_of(job.output_format()).empty() &&
                      !chat->supports_thinking && job.output_format().grammar().empty();
        format.plain = nothing_to_parse || chat->format == COMMON_CHAT_FORMAT_CONTENT_ONLY;
        chat_grammar = chat->grammar;
    } else {
        auto prompt = plain_prompt(job);
        if (!prompt) {
            return std::unexpected(prompt.error());
        }
        prepared.prompt = std::move(*prompt);
    }
    if (prepared.prompt.empty()) {
        // A model without a start token cannot begin from nothing.
        const Token start = llama_vocab_bos(vocab_) >= 0 ? llama_vocab_bos(vocab_) : llama_vocab_eos(vocab_);
        if (start < 0) {
            return fail(ErrorCode::invalid, "The prompt is empty.", "text");
        }
        prepared.prompt.push_back(start);
    }
    if (job.echo() && !prepared.media.empty()) {
        return fail(ErrorCode::unsupported, "A prompt with images or sounds cannot be echoed.", "echo");
    }
    if (job.echo()) {
        prepared.echo = echo_of(vocab_, prepared.prompt, job);
    }
    if (!job.prediction().empty()) {
        // No longer than an answer can be; a text that is too long for that is no help.
        auto prediction = common_tokenize(vocab_, job.prediction(), false, false);
        prediction.resize(std::min(prediction.size(), limits_.context_tokens));
        prepared.prediction = std::move(prediction);
    }
    prepared.seed = job.sampling().has_seed() ? job.sampling().seed() : std::random_device{}();
    const char* format_param = !job.output_format().grammar().empty()    ? "output_format.grammar"
                               : !schema_of(job.output_format()).empty() ? "output_format.json_schema"
                                                                         : "sampling";
    try {
        params->grammar = grammar_of(job.output_format(), chat_grammar, schemas_);
        if (params->grammar.empty()) {
            params->grammar_lazy = false;
            params->reasoning_budget_start.clear();
        } else if (params->grammar.type == COMMON_GRAMMAR_TYPE_USER) {
            params->grammar_lazy = false;
            params->grammar_triggers.clear();
        }
        std::shared_ptr<grammar::Grammar> grammar;
        if (!params->grammar.empty()) {
            auto cached = grammars_.get(common_grammar_value(params->grammar));
            if (!cached) {
                return fail(ErrorCode::invalid, cached.error().message, format_param);
            }
            grammar = std::move(*cached);
        }
        for (std::uint32_t choice = 0; choice < std::max(job.choices(), 1U); ++choice) {
            params->seed = seed_of_choice(prepared.seed, choice);
            auto constraint = grammar == nullptr ? nullptr : std::make_unique<Constraint>(vocab_, grammar, *params);
            prepared.answers.push_back(
                std::make_unique<LlamaAnswer>(vocab_, rows_, *ends, *params, std::move(constraint), format));
        }
    } catch (const std::exception& problem) {
        return fail(ErrorCode::invalid, fmt::format("The engine does not take this: {}", problem.what()), format_param);
    }
    return prepared;
}

void LlamaEngine::report(contract::StatisticsReply& reply) const {
    grammars_.report(reply);
    schemas_.report(reply);
    chat_formats_.report(reply);
    reply.set_draft_kv_cells(draft_model_ == nullptr ? 0 : draft_model_->cells());
}

// ---- memory and decoding

Decoded LlamaEngine::decode(std::span<const BatchToken> batch, const std::atomic<bool>& abort) {
    batch_.n_tokens = static_cast<std::int32_t>(batch.size());
    for (std::size_t index = 0; index < batch.size(); ++index) {
        batch_.token[index] = batch[index].token;
        batch_.pos[index] = positions_.of(batch[index].sequence, static_cast<std::size_t>(batch[index].position));
        batch_.n_seq_id[index] = 1;
        batch_.seq_id[index][0] = batch[index].sequence;
        batch_.logits[index] = batch[index].output ? 1 : 0;
    }
    abort_ = &abort;
    const int status = llama_decode(context_.get(), batch_);
    abort_ = nullptr;
    rows_.assign(batch.size(), nullptr);
    for (std::size_t index = 0; status == 0 && index < batch.size(); ++index) {
        if (batch[index].output) {
            rows_[index] = llama_get_logits_ith(context_.get(), static_cast<std::int32_t>(index));
        }
    }
    return decoded(status);
}

Encoded LlamaEngine::encode(const std::shared_ptr<const Media>& media, std::string_view salt, base::Duration time,
                            const std::atomic<bool>& abort) {
    return projector_->encoder().encode(std::static_pointer_cast<const LlamaMedia>(media), salt, time, abort);
}

Decoded LlamaEngine::decode_media(const MediaPiece& piece, Sequence sequence, std::size_t position, bool output,
                                  const std::atomic<bool>& abort) {
    const auto& media = static_cast<const LlamaMedia&>(*piece.media);
    const MediaBatch batch(*projector_, media, positions_.of(sequence, position), sequence);
    const SeenAtOnce seen_at_once(context_.get(), projector_->is_seen_at_once(media));
    abort_ = &abort;
    int status = 0;
    for (std::size_t begin = 0; status == 0 && begin < piece.tokens; begin += limits_.batch_tokens) {
        const auto count = std::min(limits_.batch_tokens, piece.tokens - begin);
        const bool last = begin + count == piece.tokens;
        status = llama_decode(context_.get(), batch.part(begin, count, output && last, batch_));
        rows_.assign(1, nullptr);
        if (status == 0 && output && last) {
            rows_[0] = llama_get_logits_ith(context_.get(), static_cast<std::int32_t>(count) - 1);
        }
    }
    abort_ = nullptr;
    if (status == 0) {
        positions_.add(sequence, position + piece.tokens, batch.end());
    }
    return decoded(status);
}

std::size_t LlamaEngine::reusable(Sequence sequence, std::size_t tokens) const {
    auto* memory = llama_get_memory(context_.get());
    const auto length = positions_.tokens(sequence, llama_memory_seq_pos_max(memory, sequence));
    // With the full-size cache a sliding window keeps everything; a first position above 0 means something is gone.
    const bool whole = llama_memory_seq_pos_min(memory, sequence) == 0;
    if (tokens == length && (whole || !can_go_back_)) {
        return tokens;
    }
    return can_go_back_ && whole && tokens < length ? tokens : 0;
}

void LlamaEngine::copy(Sequence from, Sequence to, std::size_t tokens) {
    auto* memory = llama_get_memory(context_.get());
    positions_.copy(from, to, tokens);
    if (!can_go_back_) {
        llama_memory_seq_cp(memory, from, to, -1, -1);  // whole; `reusable` has seen to it that this is what is wanted
        return;
    }
    // A sequence that went on in other cells than those next to its last one would have its blocks divided otherwise,
    // and attention adds up blocks: its answers would differ in their last bits from those of a sequence never copied.
    const std::size_t shared = tokens - tokens % limits_.shared_block;
    llama_memory_seq_cp(memory, from, to, 0, positions_.of(from, shared));
    if (shared < tokens) {
        const auto rest = states_.save(from, shared, tokens);
        if (!rest || !states_.restore(to, shared, tokens, rest->view(), shared)) {
            llama_memory_seq_cp(memory, from, to, -1, static_cast<llama_pos>(tokens));
        }
    }
}

bool LlamaEngine::trim(Sequence sequence, std::size_t tokens) {
    auto* memory = llama_get_memory(context_.get());
    if (positions_.tokens(sequence, llama_memory_seq_pos_max(memory, sequence)) <= tokens) {
        return true;
    }
    const auto position = positions_.of(sequence, tokens);
    positions_.trim(sequence, tokens);
    if (tokens > 0 && llama_memory_seq_rm(memory, sequence, position, -1)) {
        return true;
    }
    positions_.trim(sequence, 0);
    llama_memory_seq_rm(memory, sequence, -1, -1);
    return tokens == 0;
}

void LlamaEngine::clear(Sequence sequence) {
    positions_.trim(sequence, 0);
    llama_memory_seq_rm(llama_get_memory(context_.get()), sequence, -1, -1);
}

base::Result<SavedState> LlamaEngine::save(Sequence sequence, std::size_t from, std::size_t to) {
    return can_go_back_ ? states_.save(sequence, from, to) : save_whole(context_.get(), sequence);
}

bool LlamaEngine::restore(Sequence sequence, std::size_t from, std::size_t to, std::span<const std::byte> state,
                          std::size_t begins) {
    return can_go_back_ ? states_.restore(sequence, from, to, state, begins)
                        : restore_whole(context_.get(), sequence, state);
}

}  // namespace worker::engine::llama
