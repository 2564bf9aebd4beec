#include "worker/engine/scripted/scripted_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <stdexcept>

#include "worker/engine/media_tokens.hpp"

namespace worker::engine::scripted {
namespace {

std::uint64_t mixed(std::uint64_t value) {
    value ^= value >> 30;
    value *= 0xbf58476d1ce4e5b9ULL;
    value ^= value >> 27;
    value *= 0x94d049bb133111ebULL;
    return value ^ (value >> 31);
}

std::uint64_t hash_of(std::span<const Token> tokens) {
    std::uint64_t hash = 0x9e3779b97f4a7c15ULL;
    for (const Token token : tokens) {
        hash = mixed(hash + static_cast<std::uint64_t>(token) + 1);
    }
    return hash;
}

// Letters, so that answers can be read.
Token letter(std::uint64_t random) {
    return 'a' + static_cast<Token>(random % 26);
}

constexpr std::size_t repeated_distance = 7;

Token choose(std::span<const Token> before, std::uint32_t seed, const Settings& script, bool may_end) {
    const auto random = mixed(hash_of(before) ^ (static_cast<std::uint64_t>(seed) << 32));
    if (may_end && script.end_every != 0 && random % script.end_every == 0) {
        return end_token;
    }
    if ((random >> 40) % 8 < script.repeats_of_8 && before.size() >= repeated_distance) {
        return before[before.size() - repeated_distance];
    }
    return letter(random / 1024);
}

// The tokens that will follow, but of 8 only `right_of_8`; of the others some are wrong and some end the guess.
std::vector<Token> guesses(std::vector<Token> before, std::uint32_t seed, const Settings& script, unsigned right_of_8,
                           std::size_t most) {
    std::vector<Token> guessed;
    for (std::size_t count = 0; count < most; ++count) {
        Token next = choose(before, seed, script, true);
        before.push_back(next);
        const auto random = mixed(hash_of(before) + 1);
        if (random % 8 >= right_of_8) {
            if (random % 16 < 8) {
                break;
            }
            next = letter(random / 64);
        }
        guessed.push_back(next);
    }
    return guessed;
}

}  // namespace

std::vector<Token> expected_answer(const std::vector<Token>& prompt, std::uint32_t seed, std::size_t most,
                                   unsigned end_every, unsigned repeats_of_8, std::size_t min_tokens) {
    const Settings script{.end_every = end_every, .repeats_of_8 = repeats_of_8};
    std::vector<Token> tokens = prompt;
    while (tokens.size() - prompt.size() < most) {
        const Token next = choose(tokens, seed, script, tokens.size() - prompt.size() >= min_tokens);
        if (next == end_token) {
            break;
        }
        tokens.push_back(next);
    }
    return {tokens.begin() + static_cast<std::ptrdiff_t>(prompt.size()), tokens.end()};
}

std::string adapter_key(const std::string& name, float scale) {
    return fmt::format("{}*{}", name, scale);
}

std::uint32_t seed_with(const std::string& adapters_key, std::uint32_t seed) {
    const std::vector<Token> letters(adapters_key.begin(), adapters_key.end());
    return adapters_key.empty() ? seed : seed ^ static_cast<std::uint32_t>(hash_of(letters));
}

struct ScriptedMedia final : Media {
    explicit ScriptedMedia(const std::string& file) {
        MediaDigest digest{};
        std::uint64_t hash = file.size();
        for (std::size_t place = 0; place < digest.size(); ++place) {
            hash = mixed(hash + static_cast<unsigned char>(file[place % file.size()]));
            digest[place] = static_cast<std::uint8_t>(hash);
        }
        tokens = media_tokens(digest, file.size());
    }
    std::vector<Token> tokens;
};

class ScriptedAnswer final : public Answer {
public:
    ScriptedAnswer(ScriptedEngine& engine, std::vector<Token> prompt, std::uint32_t seed)
        : engine_(engine), text_(std::move(prompt)), seed_(seed) {}

    Token sample(std::size_t batch_index, bool may_end) override {
        const auto found = engine_.outputs_.find(batch_index);
        if (found == engine_.outputs_.end()) {
            throw std::logic_error("sampled where no output was asked for");
        }
        if (found->second != text_) {
            throw std::logic_error("sampled after other tokens than the answer's");
        }
        text_.push_back(choose(text_, seed_with(engine_.adapters_, seed_), engine_.settings_, may_end));
        return text_.back();
    }

    contract::TokenInfo describe(std::size_t batch_index, Token token, std::uint32_t top) override {
        const auto found = engine_.outputs_.find(batch_index);
        if (found == engine_.outputs_.end()) {
            throw std::logic_error("described where no output was asked for");
        }
        contract::TokenInfo info;
        info.set_id(token);
        info.set_bytes(piece(token));
        info.set_logprob(-static_cast<float>(found->second.size()));
        for (std::uint32_t rank = 0; rank < top; ++rank) {
            info.add_top()->set_id(static_cast<Token>(rank));
        }
        return info;
    }

    Forced forced(std::size_t most) override {
        const auto& script = engine_.settings_;
        if (script.forced_right_of_8 == 0) {
            return {};
        }
        auto tokens = guesses(text_, seed_, script, script.forced_right_of_8, most);
        const auto certain = tokens.size() / 2;
        return {.tokens = std::move(tokens), .certain = certain};
    }

    bool is_end(Token token) const override { return token == end_token; }
    std::string piece(Token token) const override {
        return token == end_token ? "" : std::string(1, static_cast<char>(token));
    }
    std::vector<Part> read(std::string_view text) override { return {ContentPart{std::string(text)}}; }
    std::vector<Part> finish() override { return {}; }

private:
    ScriptedEngine& engine_;
    /// The prompt and what was chosen.
    std::vector<Token> text_;
    std::uint32_t seed_;
};

ScriptedEngine::ScriptedEngine(Settings settings)
    : settings_(std::move(settings)), memory_(settings_.limits.sequences) {
    settings_.limits.shares_prefixes = settings_.can_go_back;
    settings_.limits.saving = settings_.can_go_back ? Saving::stretches : Saving::whole;
    if (settings_.limits.outputs == 0) {
        settings_.limits.outputs = settings_.limits.batch_tokens;
    }
}

contract::ModelFacts ScriptedEngine::facts() const {
    contract::ModelFacts facts;
    facts.set_architecture("scripted");
    facts.mutable_text()->set_context_tokens(static_cast<std::uint32_t>(settings_.limits.context_tokens));
    return facts;
}

base::Result<Prepared> ScriptedEngine::prepare(const contract::TextJob& job) {
    std::string prompt = job.text();
    std::vector<MediaPiece> media;
    std::vector<Token> tokens(prompt.begin(), prompt.end());
    for (const auto& message : job.chat().messages()) {
        for (const auto& part : message.content()) {
            prompt += part.text();
            tokens.insert(tokens.end(), part.text().begin(), part.text().end());
            if (part.has_image()) {
                auto shown = std::make_shared<ScriptedMedia>(part.image().data());
                media.push_back({.begin = tokens.size(), .tokens = shown->tokens.size(), .media = shown});
                tokens.insert(tokens.end(), shown->tokens.begin(), shown->tokens.end());
            }
        }
    }
    if (prompt == "throw") {
        throw std::runtime_error("the script throws at this prompt");
    }
    if (prompt == "fail" || tokens.empty()) {
        return base::fail(base::ErrorCode::invalid, "The script refuses this prompt.", "text");
    }
    Prepared prepared;
    prepared.prompt = std::move(tokens);
    prepared.media = std::move(media);
    prepared.stop = {job.stop().begin(), job.stop().end()};
    prepared.prediction.assign(job.prediction().begin(), job.prediction().end());
    prepared.seed = job.sampling().seed();
    if (job.echo()) {
        prepared.echo = Echo{.text = prompt};
    }
    for (std::uint32_t choice = 0; choice < std::max(job.choices(), 1U); ++choice) {
        prepared.answers.push_back(std::make_unique<ScriptedAnswer>(*this, prepared.prompt, prepared.seed + choice));
    }
    return prepared;
}

std::size_t ScriptedEngine::used_cells() const {
    std::set<std::size_t> cells;
    for (const Held& held : memory_) {
        cells.insert(held.cells.begin(), held.cells.end());
    }
    return cells.size();
}

Decoded ScriptedEngine::decode(std::span<const BatchToken> batch, const std::atomic<bool>& abort) {
    ++decodes_;
    if (batch.empty() || batch.size() > settings_.limits.batch_tokens) {
        complaint_ = fmt::format("a batch of {} tokens", batch.size());
    }
    if (std::ranges::count_if(batch, &BatchToken::output) > static_cast<std::ptrdiff_t>(settings_.limits.outputs)) {
        complaint_ = "more outputs than there may be";
    }
    if (std::ranges::any_of(batch, [](const BatchToken& each) { return is_media(each.token); })) {
        complaint_ = "media evaluated as text";
    }
    if (used_cells() + batch.size() > settings_.limits.cells) {
        return Decoded::no_room;
    }
    const auto decoded = settings_.intervene ? settings_.intervene(batch) : Decoded::done;
    outputs_.clear();
    if (abort || decoded == Decoded::failed) {
        evaluate(batch.first(batch.size() / 2));
        outputs_.clear();
        return abort ? Decoded::aborted : decoded;
    }
    if (decoded == Decoded::done) {
        evaluate(batch);
    }
    return decoded;
}

Encoded ScriptedEngine::encode(const std::shared_ptr<const Media>& media, std::string_view salt,
                               base::Duration /*time*/, const std::atomic<bool>& abort) {
    last_encoded_ = nullptr;
    if (abort) {
        return Encoded::aborted;
    }
    const auto& tokens = dynamic_cast<const ScriptedMedia&>(*media).tokens;
    std::size_t& calls = encoded_[{std::string(salt), tokens}];
    calls = std::min(calls + 1, settings_.encode_calls);
    if (calls < settings_.encode_calls) {
        return Encoded::under_way;
    }
    last_encoded_ = media.get();
    return Encoded::done;
}

Decoded ScriptedEngine::decode_media(const MediaPiece& piece, Sequence sequence, std::size_t position, bool output,
                                     const std::atomic<bool>& abort) {
    if (piece.media.get() != last_encoded_) {
        complaint_ = "media evaluated that was not encoded";
    }
    const auto& tokens = dynamic_cast<const ScriptedMedia&>(*piece.media).tokens;
    std::vector<BatchToken> batch;
    for (const Token token : tokens) {
        batch.push_back(
            {.token = token, .sequence = sequence, .position = static_cast<std::int32_t>(position + batch.size())});
    }
    if (used_cells() + batch.size() > settings_.limits.cells) {
        return Decoded::no_room;
    }
    outputs_.clear();
    if (abort) {
        evaluate(std::span(batch).first(batch.size() / 2));
        return Decoded::aborted;
    }
    ++evaluated_media_;
    evaluate(batch);
    if (output) {
        outputs_[0] = held(sequence).tokens;
    }
    return Decoded::done;
}

void ScriptedEngine::evaluate(std::span<const BatchToken> batch) {
    for (std::size_t index = 0; index < batch.size(); ++index) {
        const BatchToken& each = batch[index];
        Held& sequence = held(each.sequence);
        if (static_cast<std::size_t>(each.position) != sequence.tokens.size()) {
            complaint_ = fmt::format("position {} in a sequence of {} tokens", each.position, sequence.tokens.size());
        }
        sequence.tokens.push_back(each.token);
        sequence.cells.push_back(next_cell_++);
        sequence.with.push_back(number_of_adapters());
        if (sequence.with.back() != sequence.with.front()) {
            complaint_ = "a sequence that was evaluated with different adapters";
        }
        ++evaluated_tokens_;
        if (each.output) {
            outputs_[index] = sequence.tokens;
        }
    }
}

std::size_t ScriptedEngine::number_of_adapters() {
    const auto found = std::ranges::find(known_adapters_, adapters_);
    if (found != known_adapters_.end()) {
        return static_cast<std::size_t>(found - known_adapters_.begin());
    }
    known_adapters_.push_back(adapters_);
    return known_adapters_.size() - 1;
}

base::Result<AdapterSet> ScriptedEngine::adapters_of(const AdapterUses& named) const {
    AdapterSet set;
    for (int index = 0; index < named.size(); ++index) {
        const auto found = std::ranges::find(settings_.adapters, named[index].name());
        if (found == settings_.adapters.end()) {
            return base::fail(base::ErrorCode::not_found, "The script has no such adapter.",
                              fmt::format("adapters[{}]", index));
        }
        set.uses.push_back(
            {.adapter = static_cast<std::size_t>(found - settings_.adapters.begin()), .scale = named[index].scale()});
        set.key += adapter_key(*found, named[index].scale());
    }
    return set;
}

std::size_t ScriptedEngine::missing(Sequence sequence, std::span<const Token> tokens) const {
    const auto found = read_.find(sequence);
    const auto read = found == read_.end() ? std::span<const Token>() : std::span(found->second);
    const auto common = static_cast<std::size_t>(std::ranges::mismatch(read, tokens).in2 - tokens.begin());
    return std::max<std::size_t>(tokens.size() - common, 1);
}

void ScriptedEngine::catch_up(Sequence sequence, std::span<const Token> tokens, std::size_t most) {
    const std::size_t had = tokens.size() - missing(sequence, tokens);
    const std::size_t has = std::min(had + most, tokens.size());
    read_[sequence].assign(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(has));
    read_tokens_ += has - had;
}

std::vector<std::vector<Token>> ScriptedEngine::draft(std::span<const Request> requests) {
    std::vector<std::vector<Token>> drafts;
    std::set<Sequence> sequences;
    for (const auto& [sequence, tokens, most] : requests) {
        if (!sequences.insert(sequence).second || tokens.empty()) {
            complaint_ = "a request for a draft that cannot be";
        }
        ++drafted_for_;
        catch_up(sequence, tokens, tokens.size());
        drafts.push_back(guesses({tokens.begin(), tokens.end()}, 0, settings_, settings_.draft_right_of_8, most));
    }
    return drafts;
}

std::size_t ScriptedEngine::reusable(Sequence sequence, std::size_t tokens) const {
    const auto length = memory(sequence).size();
    return tokens == length || (settings_.can_go_back && tokens < length) ? tokens : 0;
}

void ScriptedEngine::copy(Sequence from, Sequence to, std::size_t tokens) {
    if (!held(to).tokens.empty() || reusable(from, tokens) != tokens ||
        without_part_of_media(held(from).tokens, tokens) != tokens) {
        complaint_ = "a copy that cannot be";
    }
    held(to) = held(from);
    held(to).tokens.resize(tokens);
    held(to).with.resize(tokens);
    held(to).cells.resize(tokens - tokens % settings_.limits.shared_block);
    while (held(to).cells.size() < tokens) {
        held(to).cells.push_back(next_cell_++);
    }
    if (used_cells() > settings_.limits.cells) {
        complaint_ = "no room to copy";
    }
}

bool ScriptedEngine::trim(Sequence sequence, std::size_t tokens) {
    if (held(sequence).tokens.size() <= tokens) {
        return true;
    }
    const std::size_t left = settings_.can_go_back ? tokens : 0;
    held(sequence).tokens.resize(left);
    held(sequence).with.resize(left);
    held(sequence).cells.resize(left);
    return left == tokens;
}

void ScriptedEngine::clear(Sequence sequence) {
    held(sequence) = {};
}

// A state is its tokens, those of text with the number of their adapters above them.
constexpr unsigned token_bits = 16;

base::Result<SavedState> ScriptedEngine::save(Sequence sequence, std::size_t from, std::size_t to) {
    const auto& tokens = held(sequence).tokens;
    if (from >= to || to > tokens.size() || (!settings_.can_go_back && (from > 0 || to < tokens.size()))) {
        complaint_ = fmt::format("saving {} to {} of {} tokens", from, to, tokens.size());
        return base::fail(base::ErrorCode::internal, complaint_);
    }
    SavedState state{.bytes = std::make_unique<std::byte[]>((to - from) * sizeof(Token)),
                     .size = (to - from) * sizeof(Token)};
    for (std::size_t position = from; position < to; ++position) {
        const Token token = tokens[position];
        const auto with = static_cast<Token>(held(sequence).with[position] << token_bits);
        const Token saved = is_media(token) ? token : token | with;
        std::memcpy(&state.bytes[(position - from) * sizeof(Token)], &saved, sizeof saved);
    }
    return state;
}

bool ScriptedEngine::restore(Sequence sequence, std::size_t from, std::size_t to, std::span<const std::byte> state,
                             std::size_t begins) {
    Held& target = held(sequence);
    const std::size_t ends = begins + state.size() / sizeof(Token);
    if (target.tokens.size() != from || begins > from || from >= to || to > ends ||
        (!settings_.can_go_back && to < ends)) {
        complaint_ =
            fmt::format("restoring {} to {} of {} to {} after {} tokens", from, to, begins, ends, target.tokens.size());
        return false;
    }
    if (used_cells() + (to - from) + settings_.limits.restore_cells > settings_.limits.cells) {
        complaint_ = "no room to restore";
        return false;
    }
    for (std::size_t position = from; position < to; ++position) {
        Token token = 0;
        std::memcpy(&token, &state[(position - begins) * sizeof(Token)], sizeof token);
        const std::size_t before = target.with.empty() ? 0 : target.with.back();
        target.tokens.push_back(is_media(token) ? token : token & ((1 << token_bits) - 1));
        target.with.push_back(is_media(token) ? before : static_cast<std::size_t>(token >> token_bits));
        target.cells.push_back(next_cell_++);
    }
    restored_tokens_ += to - from;
    return true;
}

base::Result<TokenTexts> ScriptedEngine::tokens_of(const contract::TokensJob& job) {
    std::string text = job.text();
    for (const auto& message : job.chat().messages()) {
        for (const auto& part : message.content()) {
            text += part.text();
        }
    }
    for (const Token token : job.tokens().ids()) {
        text += static_cast<char>(token);
    }
    TokenTexts texts{.tokens = {text.begin(), text.end()}, .pieces = {}, .text = text};
    for (const char byte : text) {
        texts.pieces.emplace_back(1, byte);
    }
    return texts;
}

}  // namespace worker::engine::scripted
