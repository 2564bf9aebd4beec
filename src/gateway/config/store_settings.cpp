#include "gateway/config/settings.hpp"

namespace gateway::config {
namespace {

constexpr double longest_age_seconds = 10.0 * 365 * 24 * 3600;

}  // namespace

const schema::Object<Store>& describe(schema::Type<Store>) {
    static const auto table =
        schema::Object<Store>("", "What is kept of answers: responses, and chat completions with `store: true`.")
            .field(
                "enabled", &Store::enabled,
                {.doc = "Whether anything is kept. Without it there is no `previous_response_id`, no `background`, and "
                        "nothing to ask for later."})
            .field(
                "folder", &Store::folder,
                {.doc = "Folder of the database, for one gateway alone. It holds what people and models say, readable "
                        "by the gateway's user alone. When empty, answers are kept in memory and gone at the end.",
                 .example = "/var/lib/llm-gateway"})
            .field("max_age", &Store::max_age,
                   {.doc = "What is older is deleted.", .minimum = 1, .maximum = longest_age_seconds})
            .field("max_bytes", &Store::max_bytes,
                   {.doc = "The oldest answers make room for new ones beyond this.",
                    .minimum = 65536,
                    .maximum = 1099511627776.0});
    return table;
}

}  // namespace gateway::config
