#pragma once

/// Pictures at an address: `response_format: "url"`, and `GET /v1/images/files/{file}`. Who has the address gets the
/// file, without a key, until its time is over: the address has that time in it and a signature. The key of the
/// signature is kept with the file, so an address is good for as long as its file is there.

#include <cstdint>
#include <string>

#include "gateway/api/endpoints.hpp"
#include "http/exchange.hpp"
#include "schema/object.hpp"

namespace gateway::api::images {

struct FileQuery {
    /// Unix time in seconds.
    std::int64_t expires = 0;
    std::string signature;
};

/// Keeps the file and says where it is, as the client of `request` can reach it. `extension` is that of the file's
/// name, "png". There must be a store. Errors: those of its Shelf::put, busy.
http::asio::awaitable<base::Result<std::string>> keep_file(const PictureFiles& files, const http::Request& request,
                                                           std::string bytes, std::string media_type,
                                                           std::string extension);

http::asio::awaitable<void> send_file(http::Exchange& exchange, const Services& services);

const schema::Object<FileQuery>& describe(schema::Type<FileQuery>);

}  // namespace gateway::api::images
