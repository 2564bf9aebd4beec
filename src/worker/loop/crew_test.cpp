#include "worker/loop/crew.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace worker::loop {
namespace {

TEST(Crew, DoesEachPartOnce) {
    for (const std::size_t helpers : {0, 1, 3}) {
        Crew crew(helpers);
        for (std::size_t count = 0; count < 40; ++count) {
            std::vector<int> times(count);
            crew.each(count, [&](std::size_t part) { ++times[part]; });
            EXPECT_EQ(std::ranges::count(times, 1), static_cast<std::ptrdiff_t>(count));
        }
    }
}

TEST(Crew, TheHelpersHelp) {
    Crew crew(1);
    std::mutex mutex;
    std::condition_variable both;
    std::set<std::thread::id> threads;
    // Each part waits for the other, which only another thread can do.
    crew.each(2, [&](std::size_t) {
        std::unique_lock lock(mutex);
        threads.insert(std::this_thread::get_id());
        both.notify_all();
        both.wait(lock, [&] { return threads.size() == 2; });
    });
    EXPECT_EQ(threads.size(), 2U);
}

TEST(Crew, EndsWithoutWork) {
    const Crew crew(3);
    EXPECT_EQ(crew.helpers(), 3U);
}

}  // namespace
}  // namespace worker::loop
