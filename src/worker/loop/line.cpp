#include "worker/loop/line.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace worker::loop {
namespace {

constexpr double cost_of_a_generated_token = 4;

auto arrival(const Line::RunPointer& run) {
    return std::tuple(run->job->order, run->choice);
}

base::Turn turn(const Run& run) {
    return {.priority = run.job->priority, .tenant = run.job->tenant, .number = run.turn, .since = {}};
}

}  // namespace

void Line::add(RunPointer run, base::TimePoint now) {
    run->turn = ++numbers_;
    auto place = turn(*run);
    place.since = now;
    line_.add(place, std::move(run));
}

void Line::give_back(RunPointer run) {
    const auto place = std::ranges::upper_bound(given_back_, arrival(run), {}, arrival);
    given_back_.insert(place, std::move(run));
}

Line::RunPointer Line::take(const Run& run) {
    const auto had_a_slot = std::ranges::find(given_back_, &run, &RunPointer::get);
    if (had_a_slot != given_back_.end()) {
        // What it evaluates again is the server's cost, not its own.
        RunPointer taken = std::move(*had_a_slot);
        given_back_.erase(had_a_slot);
        return taken;
    }
    RunPointer taken = line_.serve(turn(run));
    line_.charge(taken->job->tenant, taken->job->weight, static_cast<double>(taken->pending()));
    return taken;
}

void Line::charge_generated(const Run& run, std::size_t tokens) {
    line_.charge(run.job->tenant, run.job->weight, cost_of_a_generated_token * static_cast<double>(tokens));
}

void Line::remove_ended() {
    std::erase_if(given_back_, [](const RunPointer& run) { return run->job->ended; });
    std::vector<base::Turn> ended;
    line_.for_each([&](const base::Turn& each, const RunPointer& run) {
        if (run->job->ended) {
            ended.push_back(each);
        }
    });
    for (const base::Turn& each : ended) {
        line_.remove(each);
    }
}

}  // namespace worker::loop
