#include "gateway/api/images/files.hpp"

#include <fmt/format.h>

#include "gateway/api/identity.hpp"
#include "gateway/api/query.hpp"
#include "gateway/api/store_access.hpp"
#include "gateway/store/signature.hpp"

namespace gateway::api::images {
namespace {

using http::asio::awaitable;

store::Key key_of(std::string_view file) {
    return {.kind = store::Kind::picture, .owner = {}, .id = std::string(file)};
}

std::string signed_text(std::string_view file, std::int64_t expires) {
    return fmt::format("{} {}", file, expires);
}

/// One answer for what never was, what is over and what is signed wrongly: a stranger learns nothing.
base::Error no_file() {
    return {.code = base::ErrorCode::not_found,
            .message = "There is no such file, or its time is over.",
            .param = {},
            .retry_after = {}};
}

}  // namespace

awaitable<base::Result<std::string>> keep_file(const PictureFiles& files, const http::Request& request,
                                               std::string bytes, std::string media_type, std::string extension) {
    const std::string file = fmt::format("{}.{}", new_id(""), extension);
    const std::string secret = store::new_secret();
    const std::int64_t expires = unix_time() + files.lifetime.count();
    std::string address = fmt::format("{}/v1/images/files/{}?expires={}&signature={}", request.base_url, file, expires,
                                      store::signature(secret, signed_text(file, expires)));
    store::Entry entry{.key = key_of(file),
                       .created = unix_time(),
                       .model = {},
                       .previous = {},
                       .metadata = {},
                       .body = std::move(bytes),
                       .input = std::move(media_type),
                       .events = secret};
    const auto put =
        co_await on_store(*files.store, [entry = std::move(entry)](store::Shelf& shelf) { return shelf.put(entry); });
    if (!put)
        co_return std::unexpected(put.error());
    co_return address;
}

awaitable<void> send_file(http::Exchange& exchange, const Services& services) {
    const auto query = co_await read_query<FileQuery>(exchange);
    if (!query)
        co_return;
    const std::string file(exchange.request().path_parameter("file"));
    const std::int64_t left = query->expires - unix_time();
    if (services.picture_files.store == nullptr || left <= 0) {
        co_await exchange.send_error(no_file());
        co_return;
    }
    auto found = co_await on_store(*services.picture_files.store,
                                   [key = key_of(file)](store::Shelf& shelf) { return shelf.find(key); });
    if (!found) {
        co_await exchange.send_error(found.error());
        co_return;
    }
    if (!*found || !store::is_signature((*found)->events, signed_text(file, query->expires), query->signature)) {
        co_await exchange.send_error(no_file());
        co_return;
    }
    store::Entry& entry = **found;
    co_await exchange.send({.status = 200,
                            .headers = {{"Content-Type", std::move(entry.input)},
                                        {"Cache-Control", fmt::format("private, max-age={}, immutable", left)},
                                        {"Content-Disposition", fmt::format("inline; filename=\"{}\"", file)},
                                        {"X-Content-Type-Options", "nosniff"}},
                            .body = std::move(entry.body)});
}

const schema::Object<FileQuery>& describe(schema::Type<FileQuery>) {
    static const auto table = schema::Object<FileQuery>("", "")
                                  .field("expires", &FileQuery::expires,
                                         {.doc = "Unix time in seconds, as the address has it.", .required = true})
                                  .field("signature", &FileQuery::signature,
                                         {.doc = "As the address has it.", .required = true, .max_length = 200});
    return table;
}

}  // namespace gateway::api::images
