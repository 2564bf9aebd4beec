#include "gateway/fleet/runtime_folder.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <optional>

#include "base/temporary_folder.hpp"

namespace gateway::fleet {
namespace {

class RuntimeFolderTest : public testing::Test {
protected:
    base::TemporaryFolder parent_;
};

TEST_F(RuntimeFolderTest, IsPrivateAndEndsWithItsObject) {
    std::filesystem::path path;
    {
        const auto folder = RuntimeFolder::make(parent_.path());
        ASSERT_TRUE(folder);
        path = folder->path();
        struct stat status = {};
        ASSERT_EQ(::stat(path.c_str(), &status), 0);
        EXPECT_EQ(status.st_mode & 0777U, 0700U);
        std::ofstream(path / "worker.sock") << "x";
    }
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(RuntimeFolderTest, RemovesWhatAKilledGatewayLeftAndNothingElse) {
    const auto abandoned = parent_ / "llm-gateway-abcdef";
    std::filesystem::create_directory(abandoned);
    std::ofstream(abandoned / "lock") << "";
    const auto foreign = parent_ / "another-program";
    std::filesystem::create_directory(foreign);
    std::ofstream(foreign / "lock") << "";
    const auto living = RuntimeFolder::make(parent_.path());
    const auto next = RuntimeFolder::make(parent_.path());
    ASSERT_TRUE(living && next);
    EXPECT_FALSE(std::filesystem::exists(abandoned));
    EXPECT_TRUE(std::filesystem::exists(foreign));
    EXPECT_TRUE(std::filesystem::exists(living->path()));
}

TEST_F(RuntimeFolderTest, RefusesAParentWhoseSocketsWouldHaveTooLongPaths) {
    const auto deep = parent_ / std::string(80, 'x');
    std::filesystem::create_directory(deep);
    EXPECT_FALSE(RuntimeFolder::make(deep));
}

}  // namespace
}  // namespace gateway::fleet
