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

const schema::Object<ImageFiles>& describe(schema::Type<ImageFiles>) {
    using F = ImageFiles;
    static const auto table =
        schema::Object<F>("", "Pictures that are answered with an address (`response_format: \"url\"`).")
            .field("enabled", &F::enabled, {.doc = "Whether there are any; otherwise such requests are refused."})
            .field("folder", &F::folder,
                   {.doc = "Folder of the files, for one gateway alone and not that of `store`, readable by the "
                           "gateway's user alone. When empty, they are kept in memory and gone at the end.",
                    .example = "/var/lib/llm-gateway/images"})
            .field("lifetime", &F::lifetime,
                   {.doc = "How long an address is good; its file is deleted then.",
                    .minimum = 1,
                    .maximum = 30.0 * 24 * 3600})
            .field("max_bytes", &F::max_bytes,
                   {.doc = "The oldest files make room for new ones beyond this.",
                    .minimum = 1048576,
                    .maximum = 1099511627776.0});
    return table;
}

}  // namespace gateway::config
