#include "gateway/store/owner.hpp"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <array>

namespace gateway::store {

std::string owner_of_client(std::string_view name) {
    return fmt::format("client:{}", name);
}

std::string owner_of_key(std::string_view key) {
    std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
    ::SHA256(reinterpret_cast<const unsigned char*>(key.data()), key.size(), digest.data());
    return fmt::format("key:{:02x}", fmt::join(digest, ""));
}

}  // namespace gateway::store
