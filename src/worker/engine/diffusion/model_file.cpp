#include "worker/engine/diffusion/model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>

namespace worker::engine::diffusion {
namespace {

// Headers of real checkpoints are below 1 MB; the format's own reader refuses more than this.
constexpr std::uint64_t max_header_bytes = 100'000'000;

std::unexpected<base::Error> bad(const std::filesystem::path& path, std::string_view why) {
    return base::fail(base::ErrorCode::invalid, fmt::format("{}: {}", path.string(), why));
}

std::optional<ModelFile::Size> parse_resolution(std::string_view text) {
    ModelFile::Size size{};
    const char* end = text.data() + text.size();
    const auto width = std::from_chars(text.data(), end, size.width);
    if (width.ec != std::errc{} || width.ptr == end || *width.ptr != 'x') {
        return std::nullopt;
    }
    const auto height = std::from_chars(width.ptr + 1, end, size.height);
    if (height.ec != std::errc{} || height.ptr != end) {
        return std::nullopt;
    }
    return size;
}

void read_metadata(const boost::json::object& metadata, ModelFile& file) {
    if (const auto* title = metadata.if_contains("modelspec.title"); title != nullptr && title->is_string()) {
        file.title = title->get_string().c_str();
    }
    if (const auto* size = metadata.if_contains("modelspec.resolution"); size != nullptr && size->is_string()) {
        file.resolution = parse_resolution(size->get_string());
    }
}

// A tensor's entry is {"dtype": …, "shape": [...], "data_offsets": [begin, end]}; gives its `end`, or nothing when the
// entry is not like that.
std::optional<std::uint64_t> read_tensor(const boost::json::value& value, ModelFile& file) {
    boost::system::error_code odd;
    const auto* end = value.find_pointer("/data_offsets/1", odd);
    const auto* shape = value.find_pointer("/shape", odd);
    if (end == nullptr || !end->is_int64() || end->get_int64() < 0 || shape == nullptr || !shape->is_array()) {
        return std::nullopt;
    }
    std::uint64_t count = 1;
    for (const auto& side : shape->get_array()) {
        count *= side.is_int64() ? static_cast<std::uint64_t>(side.get_int64()) : 0;
    }
    file.parameters += count;
    return static_cast<std::uint64_t>(end->get_int64());
}

base::Result<ModelFile> inspect_safetensors(const std::filesystem::path& path, std::istream& in, ModelFile file,
                                            std::uint64_t header_bytes) {
    std::string header(header_bytes, '\0');
    in.read(header.data(), static_cast<std::streamsize>(header_bytes));
    boost::system::error_code broken;
    const auto json = boost::json::parse(header, broken);
    if (!in || broken || !json.is_object()) {
        return bad(path, "its header is broken; the file is not whole or not a safetensors file");
    }
    std::uint64_t data_end = 0;
    for (const auto& [name, value] : json.get_object()) {
        if (name == "__metadata__") {
            if (value.is_object()) {
                read_metadata(value.get_object(), file);
            }
            continue;
        }
        const auto end = read_tensor(value, file);
        if (!end) {
            return bad(path, fmt::format("the header's entry for tensor '{}' is broken", std::string_view(name)));
        }
        data_end = std::max(data_end, *end);
        file.has_guidance_input = file.has_guidance_input || name.contains("guidance_in.in_layer.weight");
    }
    const std::uint64_t expected = 8 + header_bytes + data_end;
    if (file.bytes < expected) {
        return bad(path, fmt::format("is cut short: {} bytes of {}", file.bytes, expected));
    }
    return file;
}

}  // namespace

base::Result<ModelFile> inspect_model_file(const std::filesystem::path& path) {
    std::error_code failure;
    const auto status = std::filesystem::status(path, failure);
    if (!std::filesystem::exists(status)) {
        return bad(path, "no such file");
    }
    if (std::filesystem::is_directory(status)) {
        return ModelFile{};
    }
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        return bad(path, fmt::format("cannot be read: {}", std::strerror(errno)));
    }
    ModelFile file{.bytes = std::filesystem::file_size(path, failure)};
    unsigned char start[8] = {};
    in.read(reinterpret_cast<char*>(start), sizeof start);
    if (failure || in.gcount() != sizeof start) {
        return bad(path, "is too short to be a model");
    }
    const std::string_view magic(reinterpret_cast<const char*>(start), 4);
    const bool checkpoint = magic.starts_with("PK\x03\x04") || (start[0] == 0x80 && start[1] <= 5);
    if (magic == "GGUF" || checkpoint) {
        return file;
    }
    std::uint64_t header_bytes = 0;
    for (int i = 7; i >= 0; --i) {
        header_bytes = header_bytes << 8 | start[i];
    }
    if (header_bytes < 2 || header_bytes > max_header_bytes) {
        return bad(path, "is not a safetensors, GGUF or PyTorch checkpoint file");
    }
    if (header_bytes > file.bytes - 8) {
        return bad(path, "is not a safetensors, GGUF or PyTorch checkpoint file, or is cut short");
    }
    return inspect_safetensors(path, in, file, header_bytes);
}

}  // namespace worker::engine::diffusion
