#pragma once

/// The files behind /docs, embedded in the program so that they are there without a network and without a folder.

#include <span>
#include <string>
#include <string_view>

namespace gateway::api::docs {

struct File {
    std::string_view name;  ///< "index.html", "swagger-ui.css", …
    std::string_view content_type;
    std::string_view gzip;  ///< the content, compressed; lives as long as the program
    std::string_view etag;  ///< quoted, changes with the content
};

std::span<const File> files();

/// nullptr when there is no such file.
const File* find_file(std::string_view name);

/// The content of a file for a client that does not take gzip.
std::string decompress(std::string_view gzip);

}  // namespace gateway::api::docs
