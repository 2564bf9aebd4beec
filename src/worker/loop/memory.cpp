#include "worker/loop/memory.hpp"

#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "worker/engine/media_tokens.hpp"

namespace worker::loop {
namespace {

// Fewer tokens are evaluated faster than they are looked after.
constexpr std::size_t worth_saving = 16;

engine::Sequence number(std::size_t sequence) {
    return static_cast<engine::Sequence>(sequence);
}

}  // namespace

Memory::Memory(engine::TextEngine& engine, const Archive::Limits& limits)
    : engine_(engine),
      store_(engine.limits().sequences, engine.limits().cells, engine.limits().shared_block),
      archive_(engine.limits().saving, limits) {}

// The last token is always evaluated: its distribution is what the answer begins with.
std::optional<prefix::Match> Memory::match(std::span<const engine::Token> tokens, std::string_view salt) const {
    auto found = store_.longest_match(
        tokens.first(tokens.size() - 1), salt,
        [this](std::size_t sequence, std::size_t count) { return engine_.reusable(number(sequence), count); });
    if (const auto whole = found ? engine::without_part_of_media(tokens, found->tokens) : 0;
        found && whole < found->tokens) {
        found->tokens = whole;
        return whole > 0 && engine_.limits().shares_prefixes ? found : std::nullopt;
    }
    return found;
}

std::size_t Memory::cached(std::span<const engine::Token> tokens, std::string_view salt) const {
    const auto found = match(tokens, salt);
    return found ? found->tokens : 0;
}

std::optional<Memory::Place> Memory::acquire(std::span<const engine::Token> tokens, std::string_view salt,
                                             std::size_t promised) {
    const auto found = match(tokens, salt);
    if (!store_.could_hold(tokens.size(), found, promised)) {
        return std::nullopt;
    }
    // An idle sequence that is all, or nearly all, of this prompt's beginning is continued. Of others a copy is made, as
    // long as there are sequences.
    const bool continues =
        found && store_.idle(found->sequence) && store_.length(found->sequence) < found->tokens + worth_saving;
    const auto target = continues ? std::optional(found->sequence)
                                  : store_.place(found ? std::optional(found->sequence) : std::nullopt, saved());
    if (!target) {
        return std::nullopt;
    }
    std::size_t in_cells = 0;
    if (found && *target == found->sequence) {
        give_up(*target, found->tokens);
        in_cells = store_.length(*target);
    } else {
        give_up(*target, 0);
        store_.take(*target, salt);
        if (found) {
            in_cells = found->tokens;
            if (!make_room(store_.taken_by_copy(in_cells), found->sequence)) {
                in_cells -= store_.taken_by_copy(in_cells);
                in_cells = engine::without_part_of_media(tokens, in_cells) == in_cells ? in_cells : 0;
            }
            if (in_cells > 0) {
                engine_.copy(number(found->sequence), number(*target), in_cells);
                store_.copy(found->sequence, *target, in_cells);
            }
        }
    }
    store_.take(*target, salt);
    const auto restored = restore(*target, tokens, salt, in_cells);
    std::size_t cached = restored.length;
    if (const auto whole = engine::without_part_of_media(tokens, cached); whole < cached) {
        cached = roll_back(number(*target), whole);
    }
    std::size_t unshareable = 0;
    if (!engine_.limits().shares_prefixes) {
        const auto everything = [](std::size_t /*sequence*/, std::size_t count) { return count; };
        const auto common = store_.longest_match(tokens.first(tokens.size() - 1), salt, everything);
        unshareable = common && common->tokens > cached ? common->tokens - cached : 0;
    }
    return Place{.sequence = number(*target),
                 .cached = cached,
                 .restored = restored.tokens,
                 .from_disk = restored.from_disk,
                 .unshareable = unshareable};
}

std::optional<Memory::Place> Memory::acquire_to_pin(std::span<const engine::Token> tokens) {
    return acquire(tokens, prefix::SequenceStore::pinned_salt, 0);
}

void Memory::pin(engine::Sequence sequence) {
    store_.pin(static_cast<std::size_t>(sequence));
}

bool Memory::takes_checkpoints() const {
    return engine_.limits().saving == engine::Saving::whole && archive_.keeps();
}

void Memory::checkpoint(engine::Sequence sequence) {
    if (takes_checkpoints()) {
        save(static_cast<std::size_t>(sequence), 0);
    }
}

bool Memory::fetch(std::span<const engine::Token> tokens, std::string_view salt) {
    const std::size_t have = cached(tokens, salt);
    const auto wanted = tokens.first(tokens.size() - 1);
    return archive_.covered(wanted, salt, have) < have + worth_saving || archive_.fetch(wanted, salt, have);
}

// Continues a sequence of `have` tokens from the archive.
Memory::Restored Memory::restore(std::size_t sequence, std::span<const engine::Token> prompt, std::string_view salt,
                                 std::size_t have) {
    Restored result{.length = have};
    auto tokens = prompt.first(prompt.size() - 1);
    const auto reach = engine::without_part_of_media(prompt, archive_.covered(tokens, salt, have));
    tokens = tokens.first(reach);
    // A state that comes back whole replaces what is there, whose cells others may hold on to.
    const bool whole = engine_.limits().saving == engine::Saving::whole;
    const auto begin = whole ? 0 : have - have % engine_.limits().shared_block;
    const auto cells = reach - begin + engine_.limits().restore_cells;
    if (reach < have + worth_saving || !make_room(cells)) {
        return result;
    }
    // Making room may have pushed some of it out of the archive: only now is it clear what there is.
    for (const auto& piece : archive_.cover(tokens, salt, have)) {
        const auto begins = archive_.from(piece.state);
        const auto loaded = archive_.use(piece.state);
        if (loaded.state == nullptr) {
            return result;
        }
        const std::size_t from = go_back(sequence, result.length, begins);
        if (!engine_.restore(number(sequence), from, piece.to, loaded.state->view(), begins)) {
            base::log::warning("a saved state could not be put back", {{"tokens", piece.to - from}});
            archive_.discard(piece.state);
            engine_.clear(number(sequence));
            store_.trim(sequence, 0);
            return {};
        }
        counters_.bytes_restored += loaded.state->size;
        counters_.checkpoints_restored += engine_.limits().saving == engine::Saving::whole ? 1 : 0;
        store_.append(sequence, tokens.subspan(from, piece.to - from));
        result.length = piece.to;
        result.tokens += piece.to - from;
        result.from_disk += loaded.tier == prefix::Tier::disk ? piece.to - from : 0;
    }
    return result;
}

// Where a sequence of `length` tokens is to be continued with a state that begins at `begins`: whole blocks of cells are
// put back, so that the tokens of each lie together as if they had been evaluated there.
std::size_t Memory::go_back(std::size_t sequence, std::size_t length, std::size_t begins) {
    const bool whole = engine_.limits().saving == engine::Saving::whole;
    const std::size_t from = whole ? 0 : std::max(begins, length - length % engine_.limits().shared_block);
    if (from < length) {
        engine_.trim(number(sequence), from);
        store_.trim(sequence, from);
    }
    return std::min(from, length);
}

void Memory::release(engine::Sequence sequence) {
    store_.release(static_cast<std::size_t>(sequence));
}

bool Memory::make_room(std::size_t cells) {
    return make_room(cells, std::nullopt);
}

bool Memory::make_room(std::size_t cells, std::optional<std::size_t> keep) {
    const bool partial = engine_.limits().shares_prefixes;
    while (store_.free_cells() < cells) {
        const auto cut = store_.cheapest_cut(cells - store_.free_cells(), partial, saved(), keep);
        if (!cut) {
            return false;
        }
        give_up(cut->sequence, cut->tokens);
    }
    return true;
}

void Memory::append(engine::Sequence sequence, std::span<const engine::Token> tokens) {
    store_.append(static_cast<std::size_t>(sequence), tokens);
}

std::size_t Memory::roll_back(engine::Sequence sequence, std::size_t tokens) {
    const std::size_t left = engine_.trim(sequence, tokens) ? tokens : 0;
    store_.trim(static_cast<std::size_t>(sequence), left);
    return left;
}

// What follows the first `tokens` tokens of a sequence, unless it is in the archive.
void Memory::save(std::size_t sequence, std::size_t tokens) {
    if (!archive_.keeps()) {
        return;
    }
    const bool whole = engine_.limits().saving == engine::Saving::whole;
    const auto all = store_.tokens(sequence);
    const auto salt = store_.salt(sequence);
    const auto from = archive_.covered(all, salt, whole ? 0 : tokens);
    if (all.size() < from + worth_saving) {
        return;
    }
    const auto begin = whole ? 0 : from - from % engine_.limits().shared_block;
    if (auto state = engine_.save(number(sequence), begin, all.size())) {
        counters_.bytes_saved += state->size;
        counters_.checkpoints_saved += whole ? 1 : 0;
        archive_.keep(all, salt, begin, std::move(*state));
    }
}

// Keeps the first `tokens` tokens of an idle sequence.
void Memory::give_up(std::size_t sequence, std::size_t tokens) {
    const auto length = store_.length(sequence);
    if (length <= tokens) {
        return;
    }
    tokens = engine::without_part_of_media(store_.tokens(sequence), tokens);
    save(sequence, std::max(tokens, store_.unshared_from(sequence)));  // others keep what they share
    counters_.tokens_evicted += length - tokens;
    if (!engine_.trim(number(sequence), tokens)) {
        tokens = 0;
    }
    store_.trim(sequence, tokens);
}

void Memory::describe(engine::contract::StatisticsReply& reply) const {
    reply.set_kv_cells(engine_.limits().cells);
    reply.set_kv_cells_used(engine_.limits().cells - store_.free_cells());
    reply.set_kv_cells_pinned(store_.pinned_cells());
    reply.set_kv_tokens_evicted(counters_.tokens_evicted);
    reply.set_saved_memory_bytes(archive_.bytes(prefix::Tier::memory));
    reply.set_saved_disk_bytes(archive_.bytes(prefix::Tier::disk));
    reply.set_saved_disk_limit_bytes(archive_.limits().disk_bytes);
    reply.set_saved_memory_limit_bytes(archive_.limits().memory_bytes);
    reply.set_saved_bytes_written(counters_.bytes_saved);
    reply.set_saved_bytes_read(counters_.bytes_restored);
    reply.set_checkpoints_saved(counters_.checkpoints_saved);
    reply.set_checkpoints_restored(counters_.checkpoints_restored);
}

void Memory::save_for_next_start() {
    if (archive_.limits().folder == nullptr) {
        return;
    }
    for (std::size_t sequence = 0; sequence < store_.sequences(); ++sequence) {
        if (store_.length(sequence) > 0) {
            save(sequence, 0);
        }
    }
}

prefix::SequenceStore::Saved Memory::saved() const {
    return [this](std::size_t sequence) {
        if (!archive_.keeps()) {
            return std::size_t{0};
        }
        return archive_.covered(store_.tokens(sequence), store_.salt(sequence), store_.unshared_from(sequence));
    };
}

}  // namespace worker::loop
