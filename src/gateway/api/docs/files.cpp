#include "gateway/api/docs/files.hpp"

#include <zlib.h>

namespace gateway::api::docs {

const File* find_file(std::string_view name) {
    for (const File& file : files())
        if (file.name == name)
            return &file;
    return nullptr;
}

std::string decompress(std::string_view gzip) {
    constexpr std::size_t piece = 65536;
    z_stream stream{};
    // 16 + the largest window: expect gzip's header rather than zlib's.
    if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK)
        return {};
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(gzip.data()));
    stream.avail_in = static_cast<uInt>(gzip.size());
    std::string content;
    for (int status = Z_OK; status == Z_OK;) {
        const std::size_t start = content.size();
        content.resize(start + piece);
        stream.next_out = reinterpret_cast<Bytef*>(content.data() + start);
        stream.avail_out = piece;
        status = inflate(&stream, Z_NO_FLUSH);
        content.resize(start + piece - stream.avail_out);
    }
    inflateEnd(&stream);
    return content;
}

}  // namespace gateway::api::docs
