#pragma once

/// A deterministic engine for tests. A token is a byte, 256 ends an answer. The next token depends on every token in
/// memory and its position, so an answer is right only if the loop evaluated exactly the right tokens in the right
/// sequence: a lost, doubled or leaked one changes it. It refuses what a real engine refuses (no room, gaps in
/// positions) and says so. A decode that ends early leaves a part of its batch in memory. An answer throws when it is
/// to choose a token after others than its prompt and those it chose. Adapters change every choice, and it complains about
/// a sequence of which parts were evaluated with different ones. The log-probability of a token is minus the number
/// of those before it.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "worker/engine/engine.hpp"

namespace worker::engine::scripted {

inline constexpr Token end_token = 256;

struct Settings {
    /// Without `outputs`: as many as `batch_tokens`.
    Limits limits = {.context_tokens = 256, .cells = 256, .sequences = 8, .slots = 4, .batch_tokens = 32};
    /// False: sequences are kept or forgotten whole, as with models that have a running state.
    bool can_go_back = true;
    /// On average one of so many tokens ends an answer; 0: none.
    unsigned end_every = 24;
    /// Of 8 tokens so many are the one that stood seven places before: texts that can be guessed.
    unsigned repeats_of_8 = 0;
    /// Of 8 tokens so many are right in what `forced` and the draft model say; 0: they say nothing.
    unsigned forced_right_of_8 = 0;
    unsigned draft_right_of_8 = 0;
    /// How many calls of `encode` a piece of media takes.
    std::size_t encode_calls = 1;
    /// Called with each batch before it is evaluated; what it returns other than `done` is the result of `decode`.
    std::function<Decoded(std::span<const BatchToken>)> intervene;
    /// Without sequences: the engine does not embed.
    Embedder::Limits embedding = {
        .input_tokens = 64, .batch_tokens = 32, .sequences = 4, .cells = 128, .divisible = true};
    /// As `intervene`, for `evaluate` of the embedder.
    std::function<Decoded(std::span<const BatchToken>)> intervene_embedding = {};
    /// Names.
    std::vector<std::string> adapters = {};
};

/// The key of one adapter.
std::string adapter_key(const std::string& name, float scale);
/// The seed with which a model alone chooses what one with adapters chooses with `seed`.
std::uint32_t seed_with(const std::string& adapters_key, std::uint32_t seed);

/// Three numbers: how many tokens there are (and more with adapters), their sum, and the sum of each times its place from 1.
class ScriptedEmbedder final : public Embedder {
public:
    explicit ScriptedEmbedder(const Settings& settings)
        : limits_(settings.embedding), intervene_(settings.intervene_embedding), held_(settings.embedding.sequences) {}

    const Limits& limits() const override { return limits_; }
    /// The bytes of a text, or of query and document; "fail" is refused.
    base::Result<std::vector<Token>> prepare(const contract::EmbeddingInput& input) const override;
    void use(const AdapterSet& adapters) override { adapters_ = adapters.key; }
    Decoded evaluate(std::span<const BatchToken> batch, const std::atomic<bool>& abort) override;
    std::vector<float> vector_of(Sequence sequence) override;
    void clear(Sequence sequence) override { held_[static_cast<std::size_t>(sequence)].clear(); }

    static std::vector<float> vector_of(std::span<const Token> tokens, const std::string& adapters = {});
    const std::string& complaint() const { return complaint_; }
    std::size_t largest_batch() const { return largest_batch_; }
    std::size_t evaluations() const { return evaluations_; }

private:
    Limits limits_;
    std::function<Decoded(std::span<const BatchToken>)> intervene_;
    std::vector<std::vector<Token>> held_;
    std::string adapters_;
    /// Of each sequence, with what it is evaluated.
    std::vector<std::string> held_with_{held_.size()};
    std::string complaint_;
    std::size_t largest_batch_ = 0;
    std::size_t evaluations_ = 0;
};

/// The answer to a prompt: at most `most` tokens, without the end token. What an undisturbed engine would say. No end
/// token is among the first `min_tokens`.
std::vector<Token> expected_answer(const std::vector<Token>& prompt, std::uint32_t seed, std::size_t most,
                                   unsigned end_every, unsigned repeats_of_8 = 0, std::size_t min_tokens = 0);

class ScriptedEngine final : public TextEngine, DraftModel {
public:
    explicit ScriptedEngine(Settings settings);

    const Limits& limits() const override { return settings_.limits; }
    contract::ModelFacts facts() const override;
    /// The prompt's bytes are its tokens; a chat is its contents joined, and an image in it a piece of media with as many
    /// tokens as its file has bytes. A prompt "fail" is refused, at "throw" it throws.
    base::Result<Prepared> prepare(const contract::TextJob& job) override;
    base::Result<TokenTexts> tokens_of(const contract::TokensJob& job) override;
    base::Result<AdapterSet> adapters_of(const AdapterUses& named) const override;
    void use(const AdapterSet& adapters) override { adapters_ = adapters.key; }
    Decoded decode(std::span<const BatchToken> batch, const std::atomic<bool>& abort) override;
    Encoded encode(const std::shared_ptr<const Media>& media, std::string_view salt, base::Duration time,
                   const std::atomic<bool>& abort) override;
    Decoded decode_media(const MediaPiece& piece, Sequence sequence, std::size_t position, bool output,
                         const std::atomic<bool>& abort) override;
    std::size_t reusable(Sequence sequence, std::size_t tokens) const override;
    void copy(Sequence from, Sequence to, std::size_t tokens) override;
    bool trim(Sequence sequence, std::size_t tokens) override;
    void clear(Sequence sequence) override;
    base::Result<SavedState> save(Sequence sequence, std::size_t from, std::size_t to) override;
    bool restore(Sequence sequence, std::size_t from, std::size_t to, std::span<const std::byte> state,
                 std::size_t begins) override;
    DraftModel* draft_model() override { return settings_.draft_right_of_8 > 0 ? this : nullptr; }
    ScriptedEmbedder* embedder() override { return settings_.embedding.sequences > 0 ? &embedder_ : nullptr; }

    /// What the loop did wrong, in words; empty when nothing.
    const std::string& complaint() const { return complaint_; }
    std::size_t evaluated_tokens() const { return evaluated_tokens_; }
    std::size_t decodes() const { return decodes_; }
    /// How many pieces of media were encoded, and how many evaluated.
    std::size_t encoded_media() const { return encoded_.size(); }
    std::size_t evaluated_media() const { return evaluated_media_; }
    std::size_t used_cells() const;
    std::size_t restored_tokens() const { return restored_tokens_; }
    /// How often the draft model was asked for a draft, and how many tokens it has read.
    std::size_t drafted_for() const { return drafted_for_; }
    std::size_t read_tokens() const { return read_tokens_; }
    const std::vector<Token>& memory(Sequence sequence) const {
        return memory_[static_cast<std::size_t>(sequence)].tokens;
    }

private:
    friend class ScriptedAnswer;

    struct Held {
        std::vector<Token> tokens;
        std::vector<std::size_t> cells;  // ids; equal ids are shared
        /// Of each token, with what adapters it was evaluated: a place in `known_adapters_`.
        std::vector<std::size_t> with = {};
    };

    std::size_t number_of_adapters();
    Held& held(Sequence sequence) { return memory_[static_cast<std::size_t>(sequence)]; }
    void evaluate(std::span<const BatchToken> batch);
    std::size_t missing(Sequence sequence, std::span<const Token> tokens) const override;
    void catch_up(Sequence sequence, std::span<const Token> tokens, std::size_t most) override;
    std::vector<std::vector<Token>> draft(std::span<const Request> requests) override;

    Settings settings_;
    ScriptedEmbedder embedder_{settings_};
    std::vector<Held> memory_;
    std::size_t next_cell_ = 0;
    std::string adapters_;
    std::vector<std::string> known_adapters_{""};
    /// Of the last decode: batch index -> what precedes the next token.
    std::map<std::size_t, std::vector<Token>> outputs_;
    std::string complaint_;
    std::size_t evaluated_tokens_ = 0;
    std::size_t decodes_ = 0;
    /// Salt and tokens of the pieces, and how often each was asked for until it was done.
    std::map<std::pair<std::string, std::vector<Token>>, std::size_t> encoded_;
    const Media* last_encoded_ = nullptr;
    std::size_t evaluated_media_ = 0;
    std::size_t restored_tokens_ = 0;
    /// By sequence: what the draft model has read.
    std::map<Sequence, std::vector<Token>> read_;
    std::size_t drafted_for_ = 0;
    std::size_t read_tokens_ = 0;
};

}  // namespace worker::engine::scripted
