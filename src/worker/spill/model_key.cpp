#include "worker/spill/model_key.hpp"

#include <algorithm>
#include <fstream>
#include <string>

namespace worker::spill {
namespace {

constexpr std::size_t looked_at = 1 << 20;

std::string part_of(std::ifstream& file, std::size_t offset) {
    std::string part(looked_at, '\0');
    file.clear();
    file.seekg(static_cast<std::streamoff>(offset));
    file.read(part.data(), static_cast<std::streamsize>(part.size()));
    part.resize(static_cast<std::size_t>(file.gcount()));
    return part;
}

}  // namespace

Digest model_key(const std::filesystem::path& model, std::string_view engine_version, std::string_view settings) {
    std::error_code unknown;
    const std::size_t size = std::filesystem::file_size(model, unknown);
    std::ifstream file(model, std::ios::binary);
    std::string identity = std::to_string(size) + part_of(file, 0) + part_of(file, size - std::min(size, looked_at));
    identity.append(1, '\0').append(engine_version).append(1, '\0').append(settings);
    return digest_of(identity);
}

}  // namespace worker::spill
