#include "worker/spill/digest.hpp"

#include <openssl/evp.h>

#include <memory>

namespace worker::spill {

Digest digest_of(std::initializer_list<std::span<const std::byte>> parts) {
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> hash(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    EVP_DigestInit_ex(hash.get(), EVP_sha256(), nullptr);
    for (const auto part : parts) {
        EVP_DigestUpdate(hash.get(), part.data(), part.size());
    }
    Digest digest;
    EVP_DigestFinal_ex(hash.get(), reinterpret_cast<unsigned char*>(digest.data()), nullptr);
    return digest;
}

Digest digest_of(std::string_view text) {
    return digest_of({std::as_bytes(std::span(text))});
}

}  // namespace worker::spill
