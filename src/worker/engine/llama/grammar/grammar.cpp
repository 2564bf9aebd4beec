#include "worker/engine/llama/grammar/grammar.hpp"

#include <algorithm>
#include <optional>
#include <vector>
#include "base/utf8.hpp"

namespace worker::engine::llama::grammar {
namespace {

// Of one grammar, before it begins anew.
constexpr std::size_t most_memory = std::size_t{16} << 20U;
constexpr std::size_t most_grammars = 64;

}  // namespace

Grammar::Grammar(Rules rules, std::shared_ptr<const Vocabulary> vocabulary)
    : rules_(std::make_shared<const Rules>(std::move(rules))),
      vocabulary_(std::move(vocabulary)),
      memory_(std::make_shared<Memory>(rules_)) {}

std::size_t Grammar::bytes() const {
    const auto memory = this->memory();
    const std::scoped_lock lock(memory->mutex);
    return rules_->bytes() + memory->bytes();
}

std::shared_ptr<Grammar::Memory> Grammar::memory() const {
    const std::scoped_lock lock(mutex_);
    return memory_;
}

std::shared_ptr<Grammar::Memory> Grammar::memory_after(const std::shared_ptr<Memory>& full) {
    const std::scoped_lock lock(mutex_);
    if (memory_ == full) {
        memory_ = std::make_shared<Memory>(rules_);
    }
    return memory_;
}

Matcher::Matcher(std::shared_ptr<Grammar> grammar)
    : grammar_(std::move(grammar)), memory_(grammar_->memory()), position_(memory_->automaton.start(), {}) {
    const std::scoped_lock lock(grammar_->mutex_);
    spacing_.begin_like(grammar_->habits_);
}

Matcher::~Matcher() {
    if (spacing_.has_habits()) {
        const std::scoped_lock lock(grammar_->mutex_);
        grammar_->habits_.begin_like(spacing_);
    }
}

template <typename Look>
auto Matcher::with_memory(Look look) {
    try {
        const std::scoped_lock lock(memory_->mutex);
        return look();
    } catch (const TooComplex&) {
        renew();  // most of what it held may have been of other answers
    }
    const std::scoped_lock lock(memory_->mutex);
    return look();
}

void Matcher::renew() {
    std::vector<Automaton::Stack> stacks;
    {
        const std::scoped_lock lock(memory_->mutex);
        stacks = memory_->automaton.stacks(position_.first);
    }
    memory_ = grammar_->memory_after(memory_);
    const std::scoped_lock lock(memory_->mutex);
    position_.first = memory_->automaton.state_of(stacks);
}

bool Matcher::allows(Token token) {
    const auto& vocabulary = *grammar_->vocabulary_;
    return with_memory([&] {
        if (vocabulary.is_end(token)) {
            return may_end();
        }
        return vocabulary.is_text(token) && after(token, vocabulary.piece(token)).first != Automaton::dead;
    });
}

std::shared_ptr<const TokenMask> Matcher::allowed() {
    return with_memory([&] {
        auto& known = memory_->masks[position_];
        if (known == nullptr) {
            known = std::make_shared<const TokenMask>(find_allowed());
            memory_->mask_bytes += known->bytes();
        }
        return known;
    });
}

bool Matcher::accept(Token token) {
    const auto& vocabulary = *grammar_->vocabulary_;
    return vocabulary.is_end(token) ? allows(token) : accept(token, vocabulary.piece(token));
}

bool Matcher::accept(Token token, std::string_view piece) {
    const auto next = with_memory([&] { return after(token, piece); });
    if (next.first == Automaton::dead) {
        return false;
    }
    std::ranges::for_each(piece, [this](char letter) { spacing_.follow(letter); });
    position_ = next;
    if (with_memory([&] { return memory_->bytes() > most_memory; })) {
        renew();
    }
    return true;
}

ForcedText Matcher::forced(std::size_t most_bytes) {
    return with_memory([&] { return find_forced(most_bytes); });
}

// Not inside a character.
bool Matcher::may_end() const {
    return position_.second.missing_bytes == 0 && memory_->automaton.may_end(position_.first);
}

Grammar::Position Matcher::after(Token token, std::string_view piece) {
    auto& automaton = memory_->automaton;
    const auto [begin, part] = position_;
    const auto characters = decode(piece, part);
    auto state = begin;
    for (const auto character : characters.whole) {
        state = automaton.next(state, character);
        if (state == Automaton::dead) {
            break;
        }
    }
    const auto& rest = characters.rest;
    if (rest.missing_bytes != 0 && (state == Automaton::dead || !automaton.could_begin(state, rest))) {
        state = Automaton::dead;
    }
    if (automaton.names_tokens(begin) && !characters.whole.empty() && rest.missing_bytes == 0) {
        state = automaton.united(state, automaton.next_by_token(begin, token));
    }
    return {state, rest};
}

TokenMask Matcher::find_allowed() {
    const auto& vocabulary = *grammar_->vocabulary_;
    auto& automaton = memory_->automaton;
    TokenMask mask(vocabulary.size());
    const auto [begin, part] = position_;
    if (may_end()) {
        std::ranges::for_each(vocabulary.ends(), [&mask](Token token) { mask.add(token); });
    }
    const auto try_one_by_one = [&](const std::vector<Token>& tokens) {
        for (const Token token : tokens) {
            if (after(token, vocabulary.piece(token)).first != Automaton::dead) {
                mask.add(token);
            }
        }
    };
    if (part.missing_bytes != 0) {
        try_one_by_one(vocabulary.split_at_begin());  // no other can continue the character
        return mask;
    }
    try_one_by_one(vocabulary.split_at_end());
    const auto nodes = vocabulary.nodes();
    std::vector<Automaton::State> states = {begin};  // after the beginnings above the node, by depth
    for (std::size_t node = 0; node + 1 < nodes.size();) {
        const auto& [character, depth, next, first_token] = nodes[node];
        const auto state = automaton.next(states[depth - 1], character);
        if (state == Automaton::dead) {
            node = next;
            continue;
        }
        states.resize(depth);
        states.push_back(state);
        std::ranges::for_each(vocabulary.tokens_at(node), [&mask](Token token) { mask.add(token); });
        ++node;
    }
    for (Token token = 0; automaton.names_tokens(begin) && token < static_cast<Token>(vocabulary.size()); ++token) {
        if (vocabulary.is_text(token) && automaton.next_by_token(begin, token) != Automaton::dead &&
            after(token, vocabulary.piece(token)).first != Automaton::dead) {
            mask.add(token);
        }
    }
    return mask;
}

ForcedText Matcher::find_forced(std::size_t most_bytes) {
    auto& automaton = memory_->automaton;
    auto [state, part] = position_;
    Spacing spacing = spacing_;
    std::string text;
    std::optional<std::size_t> certain;
    const auto forced = [&](std::optional<std::string> next) {
        const auto bytes = std::min(certain.value_or(text.size()), text.size());
        return ForcedText{.text = std::move(text), .certain = bytes, .next = std::move(next)};
    };
    while (part.missing_bytes == 0 && text.size() < most_bytes) {
        const auto [fixed, space, character] = automaton.outlook(state);
        if (!fixed || (!character && !space)) {
            break;
        }
        if (space) {
            const auto next =
                character && *character < 0x80 ? std::optional(static_cast<char>(*character)) : std::nullopt;
            const auto guess = spacing.guess(next);
            if (guess && !guess->sure && !certain) {
                certain = text.size();
            }
            if (guess && !guess->space.empty()) {
                const auto before = text.size();
                for (const char letter : guess->space) {
                    state = automaton.next(state, static_cast<unsigned char>(letter));
                    spacing.follow(letter);
                }
                if (state == Automaton::dead) {
                    text.resize(before);
                    return forced(std::nullopt);
                }
                text += guess->space;
                continue;
            }
        }
        if (!character) {
            break;
        }
        base::append_utf8(text, *character);
        state = automaton.next(state, *character);
        spacing.follow(text.back());
    }
    auto next = text.empty() ? std::nullopt : example_of_next(state);
    return forced(std::move(next));
}

std::optional<std::string> Matcher::example_of_next(Automaton::State state) {
    auto& automaton = memory_->automaton;
    if (automaton.may_end(state)) {
        return "";
    }
    // What texts mostly go on with comes first: of a string its letters, not the quote that would end it.
    constexpr std::string_view examples = "aAtfn0DFbcdeghijklmopqrsuvwxyzBCEGHIJKLMNOPQRSTUVWXYZ123456789\"{[-";
    for (const char example : examples) {
        if (automaton.next(state, static_cast<unsigned char>(example)) != Automaton::dead) {
            return std::string(1, example);
        }
    }
    return std::nullopt;
}

base::Result<std::shared_ptr<Grammar>> GrammarCache::get(const std::string& text) {
    {
        const std::scoped_lock lock(mutex_);
        const auto known = entries_.find(text);
        ++(known == entries_.end() ? misses_ : hits_);
        if (known != entries_.end()) {
            known->second.used = ++uses_;
            auto found = known->second.grammar;
            make_room();  // they grow while they are used
            return found;
        }
    }
    auto rules = parse_rules(vocab_, text);
    if (!rules) {
        return std::unexpected(rules.error());
    }
    auto grammar = std::make_shared<Grammar>(std::move(*rules), vocabulary());
    const std::scoped_lock lock(mutex_);
    auto& entry = entries_[text];
    if (entry.grammar == nullptr) {
        entry.grammar = std::move(grammar);
    }
    entry.used = ++uses_;
    auto found = entry.grammar;
    make_room();
    return found;
}

std::shared_ptr<const Vocabulary> GrammarCache::vocabulary() {
    const std::scoped_lock lock(mutex_);
    if (vocabulary_ == nullptr) {
        vocabulary_ = vocabulary_of(vocab_);
    }
    return vocabulary_;
}

std::size_t GrammarCache::bytes() const {
    std::size_t sum = 0;
    for (const auto& [text, entry] : entries_) {
        sum += text.size() + entry.grammar->bytes();
    }
    return sum;
}

void GrammarCache::make_room() {
    while (entries_.size() > 1 && (entries_.size() > most_grammars || bytes() > most_bytes_)) {
        entries_.erase(std::ranges::min_element(entries_, {}, [](const auto& entry) { return entry.second.used; }));
    }
}

void GrammarCache::report(contract::StatisticsReply& reply) const {
    const std::scoped_lock lock(mutex_);
    auto& cache = *reply.add_caches();
    cache.set_name("grammar");
    cache.set_hits(hits_);
    cache.set_misses(misses_);
    cache.set_bytes(bytes());
    cache.set_limit_bytes(most_bytes_);
}

}  // namespace worker::engine::llama::grammar
