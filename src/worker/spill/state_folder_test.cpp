#include "worker/spill/state_folder.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <fstream>

#include "base/temporary_folder.hpp"
#include "worker/spill/model_key.hpp"

namespace worker::spill {
namespace {

std::shared_ptr<const engine::SavedState> state_of(const std::string& text) {
    engine::SavedState state{.bytes = std::make_unique<std::byte[]>(text.size()), .size = text.size()};
    std::memcpy(state.bytes.get(), text.data(), text.size());
    return std::make_shared<const engine::SavedState>(std::move(state));
}

std::string text_of(const engine::SavedState& state) {
    return {reinterpret_cast<const char*>(state.bytes.get()), state.size};
}

class StateFolderTest : public testing::Test {
protected:
    std::unique_ptr<StateFolder> open(std::string_view key = "key") const {
        auto opened = StateFolder::open(folder, digest_of(key));
        EXPECT_TRUE(opened);
        return std::move(*opened);
    }

    /// Written, and closed again.
    std::string with_one_state(const std::string& text = "the bytes of a state") const {
        const auto files = open();
        return files->write({.salt = digest_of("a secret salt"), .tokens = {1, 2, 3}, .from = 1}, state_of(text));
    }

    std::string contents(const std::string& name) const {
        std::ifstream file(folder / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    base::TemporaryFolder root;
    std::filesystem::path folder = root / "states";
};

TEST_F(StateFolderTest, FindsWhatWasWrittenBefore) {
    const auto name = with_one_state();
    const auto files = open();
    const auto found = files->take_found();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].name, name);
    EXPECT_EQ(found[0].state.description.tokens, (std::vector<engine::Token>{1, 2, 3}));
    EXPECT_EQ(found[0].state.description.from, 1U);
    EXPECT_EQ(found[0].state.description.salt, digest_of("a secret salt"));
    EXPECT_EQ(found[0].state.state_bytes, 20U);
    const auto state = files->read(name);
    ASSERT_TRUE(state);
    EXPECT_EQ(text_of(**state), "the bytes of a state");
}

TEST_F(StateFolderTest, WhatIsNotWrittenYetCanBeReadAndRemoved) {
    const auto files = open();
    const auto name = files->write({.tokens = {1}}, state_of("new"));
    EXPECT_EQ(text_of(**files->read(name)), "new");
    files->remove(name);
    EXPECT_FALSE(files->read(name));
}

TEST_F(StateFolderTest, IsClosedToOthersAndHoldsNoSalt) {
    const auto name = with_one_state();
    struct stat status = {};
    ASSERT_EQ(::stat(folder.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700U);
    ASSERT_EQ(::stat((folder / name).c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600U);
    EXPECT_EQ(contents(name).find("a secret salt"), std::string::npos);
    std::filesystem::permissions(folder, std::filesystem::perms::all);
    EXPECT_FALSE(StateFolder::open(folder, digest_of("key")));
}

TEST_F(StateFolderTest, RemovesWhatIsOfAnotherModel) {
    const auto name = with_one_state();
    EXPECT_TRUE(open("another key")->take_found().empty());
    EXPECT_FALSE(std::filesystem::exists(folder / name));
}

TEST_F(StateFolderTest, RefusesADamagedFileWhereverTheDamageIs) {
    const auto name = with_one_state();
    const std::string whole = contents(name);
    for (std::size_t position = 0; position < whole.size(); ++position) {
        std::string damaged = whole;
        damaged[position] = static_cast<char>(damaged[position] ^ 1);
        std::ofstream(folder / name, std::ios::binary) << damaged;
        const auto files = open();
        ASSERT_FALSE(files->read(name)) << position;
        std::ofstream(folder / name, std::ios::binary) << whole;
    }
}

TEST_F(StateFolderTest, RemovesWhatIsCutShortOrUnfinished) {
    const auto name = with_one_state();
    const std::string whole = contents(name);
    std::ofstream(folder / name, std::ios::binary) << whole.substr(0, whole.size() - 1);
    std::ofstream(folder / "7.state.part", std::ios::binary) << whole;
    std::ofstream(folder / "notes.txt") << "not ours";
    EXPECT_TRUE(open()->take_found().empty());
    EXPECT_FALSE(std::filesystem::exists(folder / name));
    EXPECT_FALSE(std::filesystem::exists(folder / "7.state.part"));
    EXPECT_TRUE(std::filesystem::exists(folder / "notes.txt"));
}

TEST_F(StateFolderTest, ANewNameNeverMeetsAnOldOne) {
    const auto first = with_one_state("one");
    const auto second = with_one_state("two");
    EXPECT_NE(first, second);
    EXPECT_EQ(open()->take_found().size(), 2U);
}

TEST_F(StateFolderTest, AModelsKeyTellsFilesVersionsAndSettingsApart) {
    std::ofstream(root / "one") << std::string(3 << 20, 'a') << "1";
    std::ofstream(root / "two") << std::string(3 << 20, 'a') << "2";
    const auto key = model_key(root / "one", "v1", "f16");
    EXPECT_EQ(key, model_key(root / "one", "v1", "f16"));
    EXPECT_NE(key, model_key(root / "two", "v1", "f16"));
    EXPECT_NE(key, model_key(root / "one", "v2", "f16"));
    EXPECT_NE(key, model_key(root / "one", "v1", "q8_0"));
}

}  // namespace
}  // namespace worker::spill
