#include "worker/image/repeats.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/temporary_folder.hpp"

namespace worker::image {
namespace {

std::shared_ptr<const DeliveredFile> file(const std::string& data) {
    return std::make_shared<const DeliveredFile>(DeliveredFile{.data = data, .media_type = "image/png"});
}

TEST(Repeats, AreTheKeysAndTheSeeds) {
    Repeats repeats(1000);
    repeats.keep("a", 1, file("one"));
    EXPECT_EQ(repeats.find("a", 1)->data, "one");
    EXPECT_EQ(repeats.find("a", 2), nullptr);
    EXPECT_EQ(repeats.find("b", 1), nullptr);
}

TEST(Repeats, StayWithinTheirBound) {
    Repeats repeats(1000);
    for (int seed = 0; seed < 50; ++seed) {
        repeats.keep("a", seed, file(std::string(200, 'x')));
        contract::StatisticsReply reply;
        repeats.report(reply);
        ASSERT_LE(reply.caches(0).bytes(), 1000U);
    }
    EXPECT_NE(repeats.find("a", 49), nullptr);
    EXPECT_EQ(repeats.find("a", 0), nullptr);
}

TEST(Repeats, WithoutMemoryNothingIsKept) {
    Repeats repeats(0);
    repeats.keep("a", 1, file("one"));
    EXPECT_EQ(repeats.find("a", 1), nullptr);
}

TEST(RepeatKey, KeepsSaltAndPromptApart) {
    const auto key = [](const std::string& salt, const std::string& prompt) {
        contract::Job job;
        job.set_cache_salt(salt);
        job.mutable_image()->set_prompt(prompt);
        return repeat_key(job, {});
    };
    EXPECT_EQ(key("a", "b"), key("a", "b"));
    EXPECT_NE(key("a", "b"), key("", "b"));
    EXPECT_NE(key("a", "b"), key("b", "b"));
}

TEST(RepeatKey, IsAnotherWhenAnAdaptersFileIsReplaced) {
    const base::TemporaryFolder folder;
    folder.write("style.safetensors", "one");
    DrawRequest request;
    request.loras = {{.path = folder / "style.safetensors", .scale = 1}};
    const contract::Job job;
    const auto before = repeat_key(job, request);
    EXPECT_EQ(repeat_key(job, request), before);
    folder.write("style.safetensors", "longer");
    EXPECT_NE(repeat_key(job, request), before);
    std::filesystem::remove(folder / "style.safetensors");
    EXPECT_NE(repeat_key(job, request), before);
}

}  // namespace
}  // namespace worker::image
