#pragma once

/// What the step loop asks of a language model engine, in the loop's words. engine/llama is the real one,
/// engine/scripted a deterministic one for tests. No C library is visible from here.
///
/// Memory: the engine keeps what it has evaluated as numbered sequences of tokens, at positions 0, 1, 2, …. Sequences
/// share one pool of cells; a copy of a prefix shares the cells of its source, in whole blocks, and costs none. No copy
/// ends inside a piece of media, and no sequence is continued there.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "engine.pb.h"

namespace worker::engine {

namespace contract = llm_gateway::engine::v1;

using Token = std::int32_t;
using Sequence = std::int32_t;

/// What of a sequence can be saved and put back later.
enum class Saving {
    none,
    stretches,  ///< any stretch of it
    whole,      ///< all of it only, to go on from exactly there: models whose memory is a running state
};

struct Limits {
    /// Most tokens of one answer, prompt included.
    std::size_t context_tokens = 0;
    /// Size of the pool all sequences share.
    std::size_t cells = 0;
    /// Sequences 0 … sequences-1 exist. More than `slots`: the others keep prefixes for later.
    std::size_t sequences = 0;
    /// Answers generated side by side.
    std::size_t slots = 0;
    /// Most tokens of one `decode`.
    std::size_t batch_tokens = 0;
    /// Most of them with an output; at least `slots`.
    std::size_t outputs = 0;
    /// Whether a part of a sequence can be copied. False for models whose memory is a running state: a prompt cannot
    /// use what another one with the same beginning has evaluated.
    bool shares_prefixes = true;
    Saving saving = Saving::none;
    /// Free cells a `restore` needs for itself, for a moment.
    std::size_t restore_cells = 0;
    /// Copies share cells in whole blocks of so many tokens: what is beyond the last one gets cells of its own.
    std::size_t shared_block = 1;
};

/// Bytes of the engine's own making.
struct SavedState {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size = 0;

    std::span<const std::byte> view() const { return {bytes.get(), size}; }
};

/// LoRA adapters that tokens are evaluated with. What was evaluated with one set is of no use to another.
struct AdapterSet {
    struct Use {
        /// Which of the engine's adapters.
        std::size_t adapter = 0;
        float scale = 1;
        bool operator==(const Use&) const = default;
    };
    /// In the order of the engine's adapters; none has scale 0.
    std::vector<Use> uses;
    /// What the adapters are, by the contents of their files, and how strong; empty for none. Has no line break.
    std::string key;

    bool operator==(const AdapterSet& other) const { return key == other.key; }
};

using AdapterUses = google::protobuf::RepeatedPtrField<contract::LoraUse>;

struct BatchToken {
    Token token = 0;
    Sequence sequence = 0;
    std::int32_t position = 0;
    /// Whether the distribution after this token is wanted.
    bool output = false;
};

enum class Encoded {
    done,
    under_way,  ///< not in this time
    aborted,
    failed,
};

enum class Decoded {
    done,
    no_room,  ///< the pool has no cells left; memory is as before
    aborted,  ///< part of the batch may be in memory: `trim` its sequences
    failed,   ///< as `aborted`
};

struct ContentPart {
    std::string text;
};
struct ReasoningPart {
    std::string text;
};
/// `arguments` continues what earlier parts of the same index brought; id and name come once.
struct ToolCallPart {
    std::uint32_t index = 0;
    std::string id;
    std::string name;
    std::string arguments;
};
using Part = std::variant<ContentPart, ReasoningPart, ToolCallPart>;

struct Forced {
    std::vector<Token> tokens;
    /// Of the first ones so many follow from the format alone; the others depend on a guess of where space is put.
    std::size_t certain = 0;
};

/// Thrown by an answer that cannot go on: its output format leaves no token.
struct FormatDeadEnd : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// One answer under way: its sampler, its grammar and its parser. Used by one thread at a time; different answers may be
/// used side by side, but beside nothing else of the engine. May throw what the engine throws; that costs the answer, not
/// the worker.
class Answer {
public:
    virtual ~Answer() = default;

    /// Chooses the next token from the distribution at `batch_index` of the last `decode`, and remembers it.
    /// `may_end` false: no end-of-generation token is chosen, as far as a grammar leaves a choice.
    virtual Token sample(std::size_t batch_index, bool may_end) = 0;

    /// Id, bytes and log-probability of `token`, and of the `top` likeliest ones, before temperature and filters.
    virtual contract::TokenInfo describe(std::size_t batch_index, Token token, std::uint32_t top) = 0;

    /// The next tokens, at most `most`, as far as the output format leaves no choice about the text. Only a draft: another
    /// split of the same text into tokens may be what the model says.
    virtual Forced forced(std::size_t /*most*/) { return {}; }

    virtual bool is_end(Token token) const = 0;
    /// The bytes of a token as the reader sees them; may be part of a character, or empty.
    virtual std::string piece(Token token) const = 0;

    /// Splits text into content, reasoning and tool calls, as far as it is clear what it is.
    virtual std::vector<Part> read(std::string_view text) = 0;
    /// The rest, when no more text comes.
    virtual std::vector<Part> finish() = 0;
};

/// The prompt as it is echoed.
struct Echo {
    std::string text;
    /// How many tokens at the start of the prompt the text does not have: a start token that was added.
    std::size_t hidden_tokens = 0;
};

/// A picture or some sound as an engine has read it, or a part of one. Nobody changes it.
class Media {
public:
    virtual ~Media() = default;
};

/// Where it stands in a prompt: a run of tokens that no text has (media_tokens.hpp). It is evaluated as a whole.
struct MediaPiece {
    std::size_t begin = 0;
    std::size_t tokens = 0;
    std::shared_ptr<const Media> media;
};

/// A text job ready to run: never empty of prompt tokens or answers.
struct Prepared {
    std::vector<Token> prompt;
    /// In the order of the prompt.
    std::vector<MediaPiece> media;
    /// The job's stop texts and those of the chat template.
    std::vector<std::string> stop;
    std::vector<std::unique_ptr<Answer>> answers;
    /// What the job expects to be answered; may be empty.
    std::vector<Token> prediction;
    std::uint32_t seed = 0;
    /// Where the job wants it.
    std::optional<Echo> echo;
};

/// What a TokensJob asks for.
struct TokenTexts {
    std::vector<Token> tokens;
    /// The bytes of each token.
    std::vector<std::string> pieces;
    /// Of the tokens of the job, or the rendered chat; valid UTF-8.
    std::string text;
};

/// Turns inputs into vectors. An input under way is a sequence of its own, apart from those of the TextEngine. For the
/// loop's thread only, but for `limits` and `prepare`.
class Embedder {
public:
    struct Limits {
        /// Most tokens of one input.
        std::size_t input_tokens = 0;
        /// Most tokens of one `evaluate`; at least one whole input where inputs cannot be divided.
        std::size_t batch_tokens = 0;
        /// Sequences 0 … sequences-1 exist.
        std::size_t sequences = 0;
        /// Most tokens of all sequences together.
        std::size_t cells = 0;
        /// Whether an input may be spread over several calls.
        bool divisible = false;
    };

    virtual ~Embedder() = default;

    virtual const Limits& limits() const = 0;

    /// The tokens of an input, at least one and no more than `input_tokens`, those included that the model wants around
    /// it. Safe from any thread. Errors: `context_length`, `invalid`, `unsupported` for a pair where the model does not
    /// rank, and for anything else where it does.
    virtual base::Result<std::vector<Token>> prepare(const contract::EmbeddingInput& input) const = 0;

    /// As `TextEngine::use`, for `evaluate`.
    virtual void use(const AdapterSet& /*adapters*/) {}
    /// As `TextEngine::decode`, without outputs. After anything but `done` the batch's sequences have to be cleared.
    virtual Decoded evaluate(std::span<const BatchToken> batch, const std::atomic<bool>& abort) = 0;
    /// The vector of a sequence of which all tokens are evaluated, the last one by the last `evaluate`. Not normalised;
    /// of a pair its relevance, 0 to 1.
    virtual std::vector<float> vector_of(Sequence sequence) = 0;
    virtual void clear(Sequence sequence) = 0;
};

/// A smaller model of the same vocabulary that guesses what the engine's would say. For the loop's thread only. What it
/// has evaluated of a text it keeps, as far as its own memory reaches, and uses again for every text that begins the same:
/// a sequence that went back, or became another text, needs no word about it.
class DraftModel {
public:
    struct Request {
        /// A number of the engine's sequences; each at most once in a call.
        Sequence sequence = 0;
        /// Prompt and answer so far.
        std::span<const Token> tokens;
        std::size_t most = 0;
    };

    virtual ~DraftModel() = default;

    /// Tokens of `tokens` that it would evaluate before it could guess: at least the last one.
    virtual std::size_t missing(Sequence sequence, std::span<const Token> tokens) const = 0;
    /// Evaluates the first `most` of them.
    virtual void catch_up(Sequence sequence, std::span<const Token> tokens, std::size_t most) = 0;
    /// For each request at most `most` likely tokens to follow `tokens`; fewer, or none, when it is not sure.
    virtual std::vector<std::vector<Token>> draft(std::span<const Request> requests) = 0;
};

class TextEngine {
public:
    virtual ~TextEngine() = default;

    virtual const Limits& limits() const = 0;
    virtual contract::ModelFacts facts() const = 0;

    /// Renders the chat template, tokenises, builds grammar and samplers. Safe from any thread, beside everything else.
    /// Errors name the field of the job in `param`.
    virtual base::Result<Prepared> prepare(const contract::TextJob& job) = 0;
    /// Text to tokens and back. Safe from any thread, beside everything else.
    virtual base::Result<TokenTexts> tokens_of(const contract::TokensJob& job) = 0;
    /// Adds what the engine itself counts. Safe from any thread, beside everything else.
    virtual void report(contract::StatisticsReply& /*reply*/) const {}
    /// The adapters that a job names. Safe from any thread, beside everything else. Errors: `not_found` for one that is
    /// not loaded, `invalid` for one named twice; `param` is "adapters[i]".
    virtual base::Result<AdapterSet> adapters_of(const AdapterUses& named) const;

    // The rest is for the loop's thread only.

    /// From now on `decode` evaluates with these adapters; at first with none. To change them takes time of its own.
    virtual void use(const AdapterSet& /*adapters*/) {}
    /// Evaluates the tokens, at most `batch_tokens`. Stops early when `abort` becomes true (set by any thread).
    virtual Decoded decode(std::span<const BatchToken> batch, const std::atomic<bool>& abort) = 0;

    /// Goes on making of a piece what the model reads, for about `time`. One that was made lately under the same salt is
    /// done at once. One that was under way is given up for another. `abort` as in `decode`.
    virtual Encoded encode(const std::shared_ptr<const Media>& /*media*/, std::string_view /*salt*/,
                           base::Duration /*time*/, const std::atomic<bool>& /*abort*/) {
        return Encoded::failed;
    }
    /// Evaluates the piece that the last `encode` was done with, as the tokens of a sequence from `position` on. With
    /// `output` the distribution after its last token is wanted; it is at 0. As `decode`.
    virtual Decoded decode_media(const MediaPiece& /*piece*/, Sequence /*sequence*/, std::size_t /*position*/,
                                 bool /*output*/, const std::atomic<bool>& /*abort*/) {
        return Decoded::failed;
    }

    /// How many of the first `tokens` tokens of a sequence can be copied or kept: all, or 0. Models whose memory is a
    /// running state or a sliding window cannot always go back.
    virtual std::size_t reusable(Sequence sequence, std::size_t tokens) const = 0;
    /// `to`, which is empty, becomes the first `tokens` tokens of `from`. Needs tokens % limits().shared_block free cells.
    virtual void copy(Sequence from, Sequence to, std::size_t tokens) = 0;
    /// Forgets what follows the first `tokens` tokens. False: it cannot; the sequence is empty now.
    virtual bool trim(Sequence sequence, std::size_t tokens) = 0;
    virtual void clear(Sequence sequence) = 0;

    /// Copies what is in memory for the tokens [from, to) of a sequence; takes about as long as copying the bytes.
    virtual base::Result<SavedState> save(Sequence sequence, std::size_t from, std::size_t to) = 0;
    /// A sequence of `from` tokens gets the tokens [from, to) out of a saved state that begins at `begins` and holds them.
    /// Saving::whole: `from` and `begins` are 0. Needs `limits().restore_cells` cells more than to - from. False: the
    /// state does not fit this engine, or its cells; the sequence is then empty.
    virtual bool restore(Sequence sequence, std::size_t from, std::size_t to, std::span<const std::byte> state,
                         std::size_t begins) = 0;

    /// Nothing when there is none.
    virtual DraftModel* draft_model() { return nullptr; }
    /// Nothing when the model does not embed. Always the same; may be asked from any thread.
    virtual Embedder* embedder() { return nullptr; }
};

inline base::Result<AdapterSet> TextEngine::adapters_of(const AdapterUses& named) const {
    if (named.empty()) {
        return AdapterSet{};
    }
    return base::fail(base::ErrorCode::not_found, "This model has no adapters.", "adapters[0]");
}

}  // namespace worker::engine
