#include "gateway/store/store.hpp"

#include <future>

#include <gmock/gmock.h>

namespace gateway::store {
namespace {

/// Runs what is posted when asked to, on the test's thread, as the gateway's loop does.
class Loop final : public backends::Executor {
public:
    void post(std::move_only_function<void()> work) override {
        const std::lock_guard lock(mutex_);
        work_.push_back(std::move(work));
        arrival_.notify_one();
    }

    void run_one() {
        std::unique_lock lock(mutex_);
        arrival_.wait(lock, [&] { return !work_.empty(); });
        auto work = std::move(work_.front());
        work_.pop_front();
        lock.unlock();
        work();
    }

private:
    std::mutex mutex_;
    std::condition_variable arrival_;
    std::deque<std::move_only_function<void()>> work_;
};

Entry entry(std::string id) {
    return {.key = {.kind = Kind::response, .owner = "me", .id = std::move(id)}, .body = "{}"};
}

TEST(Store, DoesWorkInOrderAndTellsOnTheLoop) {
    Loop loop;
    auto store = *Store::open({}, loop);
    std::vector<std::string> story;
    const auto caller = std::this_thread::get_id();
    store->run([](Shelf& shelf) { return shelf.put(entry("a")); },
               [&](base::Result<void> put) {
                   story.emplace_back(put ? "put" : "failed");
                   EXPECT_EQ(std::this_thread::get_id(), caller);
               });
    store->run(
        [](Shelf& shelf) { return shelf.find(entry("a").key); },
        [&](base::Result<std::optional<Entry>> found) { story.emplace_back(found && *found ? "found" : "lost"); });
    EXPECT_THAT(story, testing::IsEmpty());
    loop.run_one();
    loop.run_one();
    EXPECT_THAT(story, testing::ElementsAre("put", "found"));
}

TEST(Store, RefusesWhatItCannotKeepUpWith) {
    Loop loop;
    auto store = *Store::open({.max_waiting = 1}, loop);
    std::promise<void> gate;
    std::promise<void> started;
    std::vector<bool> fine;
    const auto note = [&](base::Result<void> result) { fine.push_back(result.has_value()); };
    store->run(
        [&](Shelf&) {
            started.set_value();
            gate.get_future().wait();
            return base::Result<void>();
        },
        note);
    started.get_future().wait();
    store->run([](Shelf&) { return base::Result<void>(); }, note);
    store->run([](Shelf&) { return base::Result<void>(); }, note);
    loop.run_one();
    EXPECT_THAT(fine, testing::ElementsAre(false));
    gate.set_value();
    loop.run_one();
    loop.run_one();
    EXPECT_THAT(fine, testing::ElementsAre(false, true, true));
}

TEST(Store, FinishesItsWorkBeforeItEnds) {
    Loop loop;
    int done = 0;
    {
        auto store = *Store::open({}, loop);
        for (int i = 0; i < 100; ++i)
            store->run(
                [&done](Shelf&) {
                    ++done;
                    return base::Result<void>();
                },
                [](base::Result<void>) {});
    }
    EXPECT_EQ(done, 100);
}

}  // namespace
}  // namespace gateway::store
