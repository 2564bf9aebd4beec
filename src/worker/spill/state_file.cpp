#include "worker/spill/state_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

namespace worker::spill {
namespace {

using base::ErrorCode;
using base::fail;

// Native byte order: the files are for this machine.
struct Head {
    std::array<char, 8> magic;
    Digest key;
    Digest salt;
    std::uint64_t from;
    std::uint64_t tokens;
    std::uint64_t state_bytes;
    Digest state_digest;
    Digest tokens_digest;
    Digest head_digest;  // of all before
};
constexpr std::array<char, 8> magic = {'g', 'w', 's', 't', 'a', 't', 'e', '1'};
// No context is longer; a damaged number must not become an allocation.
constexpr std::uint64_t most_tokens = 1 << 26;

std::span<const std::byte> bytes_of(const std::vector<engine::Token>& tokens) {
    return std::as_bytes(std::span(tokens));
}

Digest digest_of_head(const Head& head) {
    return digest_of({std::as_bytes(std::span(&head, 1)).first(offsetof(Head, head_digest))});
}

class File {
public:
    explicit File(int descriptor) : descriptor_(descriptor) {}
    ~File() {
        if (descriptor_ >= 0) {
            ::close(descriptor_);
        }
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    bool open() const { return descriptor_ >= 0; }

    bool write(std::span<const std::byte> bytes) const {
        while (!bytes.empty()) {
            const auto written = ::write(descriptor_, bytes.data(), bytes.size());
            if (written < 0 && errno != EINTR) {
                return false;
            }
            bytes = bytes.subspan(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
        }
        return true;
    }

    bool read(std::span<std::byte> bytes) const {
        while (!bytes.empty()) {
            const auto got = ::read(descriptor_, bytes.data(), bytes.size());
            if (got == 0 || (got < 0 && errno != EINTR)) {
                return false;
            }
            bytes = bytes.subspan(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
        }
        return true;
    }

    bool at_end() const {
        std::byte more;
        return ::read(descriptor_, &more, 1) == 0;
    }

private:
    int descriptor_;
};

struct Beginning {
    Head head;
    FoundState found;
};

base::Result<Beginning> read_beginning(const File& file, const Digest& key) {
    Beginning result;
    if (!file.open() || !file.read(std::as_writable_bytes(std::span(&result.head, 1)))) {
        return fail(ErrorCode::invalid, "it cannot be read");
    }
    const Head& head = result.head;
    if (head.magic != magic || digest_of_head(head) != head.head_digest) {
        return fail(ErrorCode::invalid, "it is not a saved state, or damaged");
    }
    if (head.key != key) {
        return fail(ErrorCode::not_found, "it is of another model, engine or settings");
    }
    if (head.tokens > most_tokens || head.from >= head.tokens) {
        return fail(ErrorCode::invalid, "its numbers are impossible");
    }
    auto& tokens = result.found.description.tokens;
    tokens.resize(head.tokens);
    if (!file.read(std::as_writable_bytes(std::span(tokens))) || digest_of({bytes_of(tokens)}) != head.tokens_digest) {
        return fail(ErrorCode::invalid, "its tokens are damaged");
    }
    result.found.description.salt = head.salt;
    result.found.description.from = head.from;
    result.found.state_bytes = head.state_bytes;
    return result;
}

File opened(const std::filesystem::path& file) {
    return File(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
}

}  // namespace

base::Result<void> write_state(const std::filesystem::path& file, const Digest& key,
                               const StateDescription& description, std::span<const std::byte> state) {
    Head head{.magic = magic,
              .key = key,
              .salt = description.salt,
              .from = description.from,
              .tokens = description.tokens.size(),
              .state_bytes = state.size(),
              .state_digest = digest_of({state}),
              .tokens_digest = digest_of({bytes_of(description.tokens)}),
              .head_digest = {}};
    head.head_digest = digest_of_head(head);
    const auto unfinished = std::filesystem::path(file).concat(".part");
    {
        const File target(::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (!target.open() || !target.write(std::as_bytes(std::span(&head, 1))) ||
            !target.write(bytes_of(description.tokens)) || !target.write(state)) {
            const int problem = errno;
            ::unlink(unfinished.c_str());
            return fail(ErrorCode::unavailable, fmt::format("{}: {}", file.string(), std::strerror(problem)));
        }
    }
    std::error_code problem;
    std::filesystem::rename(unfinished, file, problem);
    if (problem) {
        return fail(ErrorCode::unavailable, fmt::format("{}: {}", file.string(), problem.message()));
    }
    return {};
}

base::Result<FoundState> describe_state(const std::filesystem::path& file, const Digest& key) {
    const File source = opened(file);
    auto beginning = read_beginning(source, key);
    if (!beginning) {
        return std::unexpected(beginning.error());
    }
    std::error_code problem;
    const auto expected = sizeof(Head) + beginning->head.tokens * sizeof(engine::Token) + beginning->head.state_bytes;
    if (std::filesystem::file_size(file, problem) != expected) {
        return fail(ErrorCode::invalid, "it has another length than it should");
    }
    return std::move(beginning->found);
}

base::Result<engine::SavedState> read_state(const std::filesystem::path& file, const Digest& key) {
    const File source = opened(file);
    const auto beginning = read_beginning(source, key);
    if (!beginning) {
        return std::unexpected(beginning.error());
    }
    const auto size = beginning->head.state_bytes;
    std::error_code problem;
    if (size > std::filesystem::file_size(file, problem)) {
        return fail(ErrorCode::invalid, "it has another length than it should");
    }
    engine::SavedState state{.bytes = std::make_unique_for_overwrite<std::byte[]>(size), .size = size};
    if (!source.read({state.bytes.get(), size}) || !source.at_end() ||
        digest_of({state.view()}) != beginning->head.state_digest) {
        return fail(ErrorCode::invalid, "its contents are damaged");
    }
    return state;
}

}  // namespace worker::spill
