#include "worker/spill/digest.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <fstream>
#include <memory>
#include <vector>

namespace worker::spill {
namespace {

class Sha256 {
public:
    Sha256() { EVP_DigestInit_ex(hash_.get(), EVP_sha256(), nullptr); }

    void add(const void* bytes, std::size_t count) { EVP_DigestUpdate(hash_.get(), bytes, count); }
    Digest digest() {
        Digest digest;
        EVP_DigestFinal_ex(hash_.get(), reinterpret_cast<unsigned char*>(digest.data()), nullptr);
        return digest;
    }

private:
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> hash_{EVP_MD_CTX_new(), EVP_MD_CTX_free};
};

}  // namespace

Digest digest_of(std::initializer_list<std::span<const std::byte>> parts) {
    Sha256 hash;
    for (const auto part : parts) {
        hash.add(part.data(), part.size());
    }
    return hash.digest();
}

Digest digest_of(std::string_view text) {
    return digest_of({std::as_bytes(std::span(text))});
}

base::Result<Digest> digest_of_file(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    Sha256 hash;
    std::vector<char> part(std::size_t{1} << 20);
    while (stream) {
        stream.read(part.data(), static_cast<std::streamsize>(part.size()));
        hash.add(part.data(), static_cast<std::size_t>(stream.gcount()));
    }
    if (!stream.eof()) {
        return base::fail(base::ErrorCode::not_found, fmt::format("{} cannot be read", file.string()));
    }
    return hash.digest();
}

std::string hexadecimal(const Digest& digest) {
    std::string text;
    for (const std::byte each : digest) {
        text += fmt::format("{:02x}", static_cast<unsigned>(each));
    }
    return text;
}

}  // namespace worker::spill
