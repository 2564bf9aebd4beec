#include "worker/adapter_argument.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "worker/spill/digest.hpp"

namespace worker {
namespace {

/// What is before the next comma, which is taken off with it.
std::string_view next_part(std::string_view& text) {
    const auto part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    return part;
}

}  // namespace

base::Result<engine::llama::AdapterFile> adapter_of(std::string_view argument) {
    std::string_view rest = argument;
    engine::llama::AdapterFile adapter{.name = std::string(next_part(rest)), .file = {}, .sha256 = {}, .problem = {}};
    const std::string_view scale = next_part(rest);
    const std::string wanted(next_part(rest));
    adapter.file = rest;
    const auto [end, error] = std::from_chars(scale.data(), scale.data() + scale.size(), adapter.scale);
    if (error != std::errc() || end != scale.data() + scale.size() || !std::isfinite(adapter.scale) ||
        adapter.name.empty() || adapter.file.empty()) {
        return base::fail(base::ErrorCode::invalid,
                          fmt::format("--adapters: '{}' is not NAME,SCALE,SHA256,FILE", argument));
    }
    const auto digest = spill::digest_of_file(adapter.file);
    if (!digest) {
        adapter.problem = digest.error().message;
        return adapter;
    }
    adapter.sha256 = spill::hexadecimal(*digest);
    if (!wanted.empty() && wanted != adapter.sha256) {
        adapter.problem = fmt::format("its SHA-256 is {}, not {}", adapter.sha256, wanted);
    }
    return adapter;
}

}  // namespace worker
