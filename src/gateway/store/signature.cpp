#include "gateway/store/signature.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/crypto.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#include <array>
#include <stdexcept>

namespace gateway::store {

std::string new_secret() {
    std::array<unsigned char, 32> bytes{};
    if (::RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
        throw std::runtime_error("no random bytes");
    return {bytes.begin(), bytes.end()};
}

std::string signature(std::string_view secret, std::string_view text) {
    std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
    ::HMAC(::EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
           reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), nullptr);
    return fmt::format("{:02x}", fmt::join(digest, ""));
}

bool is_signature(std::string_view secret, std::string_view text, std::string_view given) {
    const std::string right = signature(secret, text);
    return right.size() == given.size() && ::CRYPTO_memcmp(right.data(), given.data(), right.size()) == 0;
}

}  // namespace gateway::store
