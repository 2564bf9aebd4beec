// How fast this machine's memory is read: prints bytes per second of the best of some passes over a buffer that no cache
// holds, read by as many threads as are asked for.
//
//   memory-bandwidth THREADS [MEBIBYTES=2048]

#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <thread>
#include <vector>

namespace {

// Eight sums, so that additions do not wait for one another.
std::uint64_t sum_of(std::span<const std::uint64_t> part) {
    std::uint64_t sums[8] = {};
    for (std::size_t index = 0; index + 8 <= part.size(); index += 8) {
        for (std::size_t lane = 0; lane < 8; ++lane) {
            sums[lane] += part[index + lane];
        }
    }
    std::uint64_t total = 0;
    for (const auto sum : sums) {
        total += sum;
    }
    return total;
}

}  // namespace

int main(int argument_count, char** arguments) {
    const auto threads = static_cast<std::size_t>(argument_count > 1 ? std::atoi(arguments[1]) : 1);
    const auto mebibytes = static_cast<std::size_t>(argument_count > 2 ? std::atoi(arguments[2]) : 2048);
    constexpr int passes = 6;
    using Clock = std::chrono::steady_clock;

    const std::size_t words = mebibytes * (std::size_t{1} << 20) / sizeof(std::uint64_t) / threads;
    std::vector<double> seconds(passes);
    Clock::time_point began;
    int pass = 0;
    std::barrier begin(static_cast<std::ptrdiff_t>(threads), [&]() noexcept { began = Clock::now(); });
    std::barrier end(static_cast<std::ptrdiff_t>(threads), [&]() noexcept {
        seconds[static_cast<std::size_t>(pass++)] = std::chrono::duration<double>(Clock::now() - began).count();
    });
    std::atomic<std::uint64_t> all = 0;
    {
        std::vector<std::jthread> readers;
        for (std::size_t reader = 0; reader < threads; ++reader) {
            readers.emplace_back([&, reader] {
                const std::vector<std::uint64_t> part(words, reader + 1);  // touched by the thread that reads it
                for (int each = 0; each < passes; ++each) {
                    begin.arrive_and_wait();
                    all += sum_of(part);
                    end.arrive_and_wait();
                }
            });
        }
    }
    double best = seconds[0];
    for (const double each : seconds) {
        best = each < best ? each : best;
    }
    std::printf("%.0f\n", static_cast<double>(words * threads * sizeof(std::uint64_t)) / best);
    return all == 0 ? 1 : 0;  // the sums are used, so they are not optimised away
}
