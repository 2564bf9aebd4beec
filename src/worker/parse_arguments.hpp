#pragma once

/// Reads a worker's command line. Used by the programs' mains only.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <optional>

#include "worker/rpc/serve.hpp"

namespace worker {

/// The exit status when the program is to end now: 0 after --help and --version. Arguments that are refused count as a
/// model that cannot be loaded, since the same ones would be refused at every start.
inline std::optional<int> parse_arguments(CLI::App& app, int count, char** values) {
    try {
        app.parse(count, values);
    } catch (const CLI::Success& answered) {
        return app.exit(answered);
    } catch (const CLI::ParseError& refused) {
        fmt::print(stderr, "wrong arguments: {}\n", refused.what());
        return rpc::load_failed_status;
    }
    return std::nullopt;
}

}  // namespace worker
