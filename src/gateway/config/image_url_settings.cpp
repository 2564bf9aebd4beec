#include "gateway/config/settings.hpp"

namespace gateway::config {

const schema::Object<ImageUrls>& describe(schema::Type<ImageUrls>) {
    static const auto table =
        schema::Object<ImageUrls>("", "Pictures that requests name by an https: or http: address.")
            .field("hosts", &ImageUrls::hosts,
                   {.doc = "Hosts that they are downloaded from: `host`, `host:port`, or `*.domain` for all below it. "
                           "Without a port the usual ones are meant. None by default: a client could have the gateway "
                           "ask things for it.",
                    .min_length = 1,
                    .example = {"images.example.org", "*.cdn.example.net"}})
            .field("private_addresses", &ImageUrls::private_addresses,
                   {.doc = "Whether these hosts, and those they redirect to, may be in a private network or on this "
                           "machine."})
            .field("max_bytes", &ImageUrls::max_bytes,
                   {.doc = "What is downloaded for one request may have no more bytes.",
                    .minimum = 1024,
                    .maximum = 134217728.0})
            .field(
                "timeout", &ImageUrls::timeout,
                {.doc = "Downloading all pictures of a request may take no longer.", .minimum = 0.1, .maximum = 300});
    return table;
}

}  // namespace gateway::config
