#pragma once

/// A grammar made ready for one vocabulary, shared by all answers that follow it, and the place of one answer in it.
/// What is found out for one answer (states, and which tokens they allow) is there for all later ones.

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "worker/engine/llama/grammar/automaton.hpp"
#include "worker/engine/llama/grammar/spacing.hpp"
#include "worker/engine/llama/grammar/token_mask.hpp"
#include "worker/engine/llama/grammar/vocabulary.hpp"

namespace worker::engine::llama::grammar {

/// Safe from any thread.
class Grammar {
public:
    Grammar(Rules rules, std::shared_ptr<const Vocabulary> vocabulary);

    /// About how much memory it uses.
    std::size_t bytes() const;

private:
    friend class Matcher;

    using Position = std::pair<Automaton::State, PartOfCharacter>;
    using Mask = std::shared_ptr<const TokenMask>;

    /// States and masks, until they take too much memory: then a new one begins, and the answers move over.
    struct Memory {
        explicit Memory(std::shared_ptr<const Rules> rules) : automaton(std::move(rules)) {}
        std::size_t bytes() const { return automaton.bytes() + mask_bytes; }

        std::mutex mutex;  // the rest; answers that sample side by side meet here
        Automaton automaton;
        std::map<Position, Mask> masks;
        std::size_t mask_bytes = 0;
    };

    std::shared_ptr<Memory> memory() const;
    /// What to use instead of `full`.
    std::shared_ptr<Memory> memory_after(const std::shared_ptr<Memory>& full);

    std::shared_ptr<const Rules> rules_;
    std::shared_ptr<const Vocabulary> vocabulary_;
    mutable std::mutex mutex_;  // both below
    std::shared_ptr<Memory> memory_;
    Spacing habits_;  // of the last answer
};

struct ForcedText {
    std::string text;
    /// The bytes before the first space that is a guess.
    std::size_t certain = 0;
    /// A letter, digit or mark that may follow the text, one of many perhaps; empty where the answer may end instead.
    /// Nothing when neither is known.
    std::optional<std::string> next;
};

/// How far the text of one answer has come in a grammar. For one thread at a time. What it is asked may throw TooComplex.
class Matcher {
public:
    explicit Matcher(std::shared_ptr<Grammar> grammar);
    Matcher(const Matcher&) = default;
    Matcher& operator=(const Matcher&) = default;
    ~Matcher();

    /// Whether the token may come next; for ends of generation whether the text may end here.
    bool allows(Token token);
    /// All tokens that may come next.
    std::shared_ptr<const TokenMask> allowed();
    /// Goes on. False when the grammar does not allow the token: then nothing has changed. An end of generation changes
    /// nothing.
    bool accept(Token token);
    /// The same for a part of the token's text.
    bool accept(Token token, std::string_view piece);
    /// The text that must come next, as far as there is only one, at most about `most_bytes` of it. Where only space is
    /// left to choice it is guessed from the text before.
    ForcedText forced(std::size_t most_bytes);

private:
    /// Calls `look` with the memory locked; once more with a new one when it was full.
    template <typename Look>
    auto with_memory(Look look);
    void renew();
    // With the memory locked.
    bool may_end() const;
    Grammar::Position after(Token token, std::string_view piece);
    TokenMask find_allowed();
    ForcedText find_forced(std::size_t most_bytes);
    std::optional<std::string> example_of_next(Automaton::State state);

    std::shared_ptr<Grammar> grammar_;
    std::shared_ptr<Grammar::Memory> memory_;
    Grammar::Position position_;
    Spacing spacing_;
};

/// The grammars used last, by their text. Safe from any thread. Whenever one is asked for, all together are made to fit
/// into `most_bytes`, but for that one; what running answers hold is not counted.
class GrammarCache {
public:
    explicit GrammarCache(const llama_vocab* vocab, std::size_t most_bytes = std::size_t{128} << 20U)
        : vocab_(vocab), most_bytes_(most_bytes) {}

    /// `invalid` as `parse_rules`.
    base::Result<std::shared_ptr<Grammar>> get(const std::string& text);
    /// Adds its cache statistics.
    void report(contract::StatisticsReply& reply) const;

private:
    struct Entry {
        std::shared_ptr<Grammar> grammar;
        std::uint64_t used = 0;
    };

    std::shared_ptr<const Vocabulary> vocabulary();
    std::size_t bytes() const;
    void make_room();

    const llama_vocab* vocab_;
    const std::size_t most_bytes_;
    mutable std::mutex mutex_;  // all below
    std::shared_ptr<const Vocabulary> vocabulary_;
    std::map<std::string, Entry, std::less<>> entries_;
    std::uint64_t uses_ = 0;
    std::uint64_t hits_ = 0;
    std::uint64_t misses_ = 0;
};

}  // namespace worker::engine::llama::grammar
