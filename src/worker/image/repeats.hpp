#pragma once

/// Files that were delivered, for the jobs that ask for the same again: same job, same seed, same bytes. Bounded by
/// bytes, the jobs' own included. Safe from any thread.

#include <cstdint>
#include <memory>
#include <string>

#include "base/recent.hpp"
#include "engine.pb.h"
#include "worker/image/request.hpp"

namespace worker::image {

struct DeliveredFile {
    std::string data;
    std::string media_type;
    std::uint32_t width = 0;
    std::uint32_t height = 0;
};

/// All that decides the bytes of a job's pictures except the seed: the job, its salt, and which files its adapters are
/// just now.
std::string repeat_key(const contract::Job& job, const DrawRequest& request);

class Repeats {
public:
    explicit Repeats(std::size_t most_bytes) : files_(most_bytes) {}

    /// Counts as no use.
    bool contains(const std::string& key, std::int64_t seed) const;
    std::shared_ptr<const DeliveredFile> find(const std::string& key, std::int64_t seed);
    void keep(const std::string& key, std::int64_t seed, std::shared_ptr<const DeliveredFile> file);

    void report(contract::StatisticsReply& reply) const { files_.report("picture", reply); }

private:
    base::Recent<std::shared_ptr<const DeliveredFile>> files_;
};

/// "PATH SIZE TIME" of each adapter: another text when a file is replaced. Part of every key of what depends on them.
std::string state_of_adapters(const std::vector<Lora>& adapters);

}  // namespace worker::image
