#include "gateway/api/request_body.hpp"

#include <algorithm>

namespace gateway::api {

void report_ignored(http::Exchange& exchange, const std::vector<std::string>& unknown,
                    const std::vector<std::string>& ignored) {
    constexpr std::size_t longest_header = 1000;
    std::string list;
    for (const auto* paths : {&ignored, &unknown})
        for (const std::string& path : *paths) {
            if (list.size() + path.size() > longest_header) {
                list += list.empty() ? "..." : ", ...";
                exchange.add_header("x-ignored-fields", std::move(list));
                return;
            }
            list += (list.empty() ? "" : ", ");
            // A field's name comes from the client; a header takes visible ASCII only.
            std::ranges::transform(path, std::back_inserter(list), [](char character) {
                return character > ' ' && character < '\x7f' && character != ',' ? character : '?';
            });
        }
    if (!list.empty())
        exchange.add_header("x-ignored-fields", std::move(list));
}

}  // namespace gateway::api
