#include "worker/spill/state_reader.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <semaphore>

#include "base/temporary_folder.hpp"

namespace worker::spill {
namespace {

class StateReaderTest : public testing::Test {
protected:
    std::string write(const std::string& text) {
        engine::SavedState state{.bytes = std::make_unique<std::byte[]>(text.size()), .size = text.size()};
        std::memcpy(state.bytes.get(), text.data(), text.size());
        return folder->write({.salt = {}, .tokens = {1, 2, 3}, .from = 0},
                             std::make_shared<const engine::SavedState>(std::move(state)));
    }

    static std::string text_of(const engine::SavedState& state) {
        return {reinterpret_cast<const char*>(state.bytes.get()), state.size};
    }

    base::TemporaryFolder root;
    // Ends first: what it still writes must not meet the removal.
    std::shared_ptr<StateFolder> folder = *StateFolder::open(root / "states", digest_of("key"));
    std::counting_semaphore<> reads{0};
};

TEST_F(StateReaderTest, TellsWhenAStateIsThereAndGivesItOnce) {
    const auto name = write("the bytes of a state");
    StateReader reader(folder, [this] { reads.release(); });
    EXPECT_FALSE(reader.take(name));
    reader.request(name);
    reads.acquire();
    const auto state = reader.take(name);
    ASSERT_TRUE(state && *state);
    EXPECT_EQ(text_of(***state), "the bytes of a state");
    EXPECT_FALSE(reader.take(name));
}

TEST_F(StateReaderTest, TellsOfAFileThatIsNotThere) {
    StateReader reader(folder, [this] { reads.release(); });
    reader.request("1234.state");
    reads.acquire();
    const auto state = reader.take("1234.state");
    ASSERT_TRUE(state);
    EXPECT_FALSE(*state);
}

TEST_F(StateReaderTest, WhatIsForgottenIsNotGiven) {
    const auto one = write("one");
    const auto two = write("two");
    std::binary_semaphore first_read(0);
    std::binary_semaphore go_on(0);
    {
        StateReader reader(folder, [&] {
            first_read.release();
            go_on.acquire();
        });
        reader.request(one);
        first_read.acquire();
        reader.request(two);  // while the reader is held up
        reader.forget(two);
        reader.forget(one);
        go_on.release();
        EXPECT_FALSE(reader.take(one));
        EXPECT_FALSE(reader.take(two));
    }
    EXPECT_FALSE(first_read.try_acquire()) << "nobody wanted it, so it was not read";
}

TEST_F(StateReaderTest, EndsWithReadsLeftOver) {
    std::vector<std::string> names;
    for (int number = 0; number < 50; ++number) {
        names.push_back(write(std::to_string(number)));
    }
    StateReader reader(folder, nullptr);
    for (const std::string& name : names) {
        reader.request(name);
    }
}

}  // namespace
}  // namespace worker::spill
