#include "worker/image/repeats.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace worker::image {
namespace {

std::string with_seed(const std::string& key, std::int64_t seed) {
    return fmt::format("{} {}", seed, key);
}

}  // namespace

std::string state_of_adapters(const std::vector<Lora>& adapters) {
    std::string state;
    for (const Lora& adapter : adapters) {
        std::error_code failure;
        const auto bytes = std::filesystem::file_size(adapter.path, failure);
        const auto written = std::filesystem::last_write_time(adapter.path, failure);
        state += fmt::format("{} {} {} {}\n", adapter.path, adapter.scale, failure ? 0 : bytes,
                             failure ? 0 : written.time_since_epoch().count());
    }
    return state;
}

std::string repeat_key(const contract::Job& job, const DrawRequest& request) {
    contract::ImageJob asked = job.image();
    asked.clear_seed();
    asked.clear_count();
    asked.clear_preview_interval();
    asked.clear_preview_kind();
    const std::string adapters = state_of_adapters(request.loras);
    // The lengths keep the parts apart.
    return fmt::format("{} {} {}{}{}", job.cache_salt().size(), adapters.size(), job.cache_salt(), adapters,
                       asked.SerializeAsString());
}

bool Repeats::contains(const std::string& key, std::int64_t seed) const {
    return files_.contains(with_seed(key, seed));
}

std::shared_ptr<const DeliveredFile> Repeats::find(const std::string& key, std::int64_t seed) {
    return files_.find(with_seed(key, seed)).value_or(nullptr);
}

void Repeats::keep(const std::string& key, std::int64_t seed, std::shared_ptr<const DeliveredFile> file) {
    const std::size_t bytes = file->data.size();
    files_.keep(with_seed(key, seed), std::move(file), bytes);
}

}  // namespace worker::image
