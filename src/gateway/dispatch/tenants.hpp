#pragma once

/// The clients that share the workers: what each may have, and what runs for it now.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace gateway::dispatch {

/// A client with a key; the API layer names it in Job::tenant.
struct Tenant {
    static constexpr std::size_t no_limit = SIZE_MAX;

    /// Its share, in proportion to the others'.
    double weight = 1;
    /// Added to that of its jobs.
    std::int32_t priority = 0;
    /// Its jobs that run at the same time, of all models.
    std::size_t max_running = no_limit;
};

class Tenants {
public:
    /// Those that are not like Tenant{}.
    explicit Tenants(std::map<std::string, Tenant> known) : known_(std::move(known)) {}

    Tenant of(const std::string& name) const {
        const auto found = known_.find(name);
        return found == known_.end() ? Tenant{} : found->second;
    }
    bool may_run_one_more(const std::string& name) const {
        const auto running = running_.find(name);
        return (running == running_.end() ? 0 : running->second) < of(name).max_running;
    }
    void begins(const std::string& name) { ++running_[name]; }
    void ends(const std::string& name) {
        if (const auto running = running_.find(name); --running->second == 0) {
            running_.erase(running);
        }
    }

private:
    const std::map<std::string, Tenant> known_;
    std::map<std::string, std::size_t> running_;  // no zeros
};

}  // namespace gateway::dispatch
