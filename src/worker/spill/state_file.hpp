#pragma once

/// One saved state in one file. The file says for which engine and settings it is (`key`), and what it holds is
/// checked by digests: anything else than what was written is refused. It appears under its name only when it is whole.

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/result.hpp"
#include "worker/engine/engine.hpp"
#include "worker/spill/digest.hpp"

namespace worker::spill {

struct StateDescription {
    /// Of the salt; the salt itself is not written.
    Digest salt = {};
    /// The whole sequence, of which the state holds what follows the first `from`.
    std::vector<engine::Token> tokens;
    std::size_t from = 0;
};

struct FoundState {
    StateDescription description;
    std::size_t state_bytes = 0;
};

/// Readable by this user alone.
base::Result<void> write_state(const std::filesystem::path& file, const Digest& key,
                               const StateDescription& description, std::span<const std::byte> state);
/// Reads the beginning only.
base::Result<FoundState> describe_state(const std::filesystem::path& file, const Digest& key);
base::Result<engine::SavedState> read_state(const std::filesystem::path& file, const Digest& key);

}  // namespace worker::spill
