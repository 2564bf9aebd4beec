#include "worker/loop/archive.hpp"

#include <algorithm>
#include <utility>

#include "base/log.hpp"

namespace worker::loop {

using prefix::Tier;

namespace {

std::string_view text_of(const spill::Digest& digest) {
    return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace

Archive::Archive(engine::Saving saving, const Limits& limits)
    : limits_(saving == engine::Saving::none ? Limits{} : limits), states_(saving == engine::Saving::stretches) {
    if (limits_.folder != nullptr) {
        reader_ = std::make_unique<spill::StateReader>(limits_.folder, limits_.on_read);
        take_found();
    }
}

// Files know only the digest of a salt, so with files that is what tells salts apart.
std::string Archive::key_of(std::string_view salt) const {
    return std::string(limits_.folder == nullptr ? salt : text_of(spill::digest_of(salt)));
}

void Archive::take_found() {
    for (auto& [name, found] : limits_.folder->take_found()) {
        const auto& description = found.description;
        const auto id = states_.add(description.tokens, text_of(description.salt), description.from);
        states_.store(id, Tier::disk, found.state_bytes);
        files_[id] = name;
    }
    make_room(Tier::disk);
    base::log::info("saved states found", {{"states", files_.size()}, {"bytes", bytes(Tier::disk)}});
}

void Archive::keep(std::span<const engine::Token> tokens, std::string_view salt, std::size_t from,
                   engine::SavedState state) {
    const bool in_memory = state.size <= limits_.memory_bytes;
    const bool in_file = limits_.folder != nullptr && state.size <= limits_.disk_bytes;
    if (state.size == 0 || (!in_memory && !in_file)) {
        return;
    }
    const auto id = states_.add(tokens, key_of(salt), from);
    const auto bytes = std::make_shared<const engine::SavedState>(std::move(state));
    if (in_file) {
        files_[id] = limits_.folder->write(
            {.salt = spill::digest_of(salt), .tokens = {tokens.begin(), tokens.end()}, .from = from}, bytes);
        states_.store(id, Tier::disk, bytes->size);
    }
    if (in_memory) {
        in_memory_[id] = bytes;
        states_.store(id, Tier::memory, bytes->size);
    }
    for (const auto contained : states_.superseded_by(id)) {
        discard(contained);
    }
    make_room(Tier::memory);
    make_room(Tier::disk);
}

void Archive::make_room(Tier tier) {
    const auto most = tier == Tier::memory ? limits_.memory_bytes : limits_.disk_bytes;
    while (states_.bytes(tier) > most) {
        drop(*states_.next_to_go(tier), tier);
    }
}

Archive::Loaded Archive::use(Id state) {
    states_.use(state);
    if (const auto found = in_memory_.find(state); found != in_memory_.end()) {
        return {.state = found->second, .tier = Tier::memory};
    }
    Loaded loaded{.state = nullptr, .tier = Tier::disk};
    if (const auto found = fetched_.find(state); found != fetched_.end()) {
        loaded.state = std::move(found->second.state);
        forget(state);
    }
    return loaded;
}

bool Archive::fetch(std::span<const engine::Token> tokens, std::string_view salt, std::size_t have) {
    bool all = true;
    for (const Piece& piece : cover(tokens, salt, have)) {
        all = (in_memory_.contains(piece.state) || fetch(piece.state)) && all;
    }
    return all;
}

bool Archive::fetch(Id state) {
    const auto [entry, fresh] = fetched_.try_emplace(state);
    entry->second.wanted = true;
    const std::string& file = files_.at(state);
    if (fresh) {
        reader_->request(file);
    }
    if (entry->second.state == nullptr) {
        auto read = reader_->take(file);
        if (!read) {
            return false;
        }
        if (!*read) {
            base::log::warning("a saved state is removed", {{"file", file}, {"reason", read->error().message}});
            discard(state);
            return true;  // what there is without it, `cover` tells
        }
        entry->second.state = std::move(**read);
    }
    return true;
}

void Archive::forget_unwanted() {
    std::vector<Id> unwanted;
    for (auto& [state, fetched] : fetched_) {
        if (!std::exchange(fetched.wanted, false)) {
            unwanted.push_back(state);
        }
    }
    std::ranges::for_each(unwanted, [this](Id state) { forget(state); });
}

void Archive::forget(Id state) {
    if (fetched_.erase(state) > 0) {
        reader_->forget(files_.at(state));
    }
}

void Archive::drop(Id state, Tier tier) {
    if (!states_.stored(state, tier)) {
        return;
    }
    if (tier == Tier::memory) {
        in_memory_.erase(state);
    } else {
        forget(state);
        limits_.folder->remove(files_.at(state));
        files_.erase(state);
    }
    states_.drop(state, tier);
}

void Archive::discard(Id state) {
    const bool on_disk = states_.stored(state, Tier::disk);
    drop(state, Tier::memory);
    if (on_disk) {
        drop(state, Tier::disk);
    }
}

}  // namespace worker::loop
