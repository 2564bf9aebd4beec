#include "worker/engine/diffusion/model_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/temporary_folder.hpp"

namespace worker::engine::diffusion {
namespace {

using testing::HasSubstr;

class ModelFileTest : public testing::Test {
protected:
    static std::string safetensors(std::string_view header, std::size_t data_bytes) {
        std::string bytes(8, '\0');
        bytes[0] = static_cast<char>(header.size() & 0xff);
        bytes[1] = static_cast<char>(header.size() >> 8);
        return bytes + std::string(header) + std::string(data_bytes, 'x');
    }

    std::string error_of(std::string_view content) {
        const auto result = inspect_model_file(folder_.write("model", content));
        return result ? "accepted" : result.error().message;
    }

    base::TemporaryFolder folder_;
};

constexpr std::string_view header =
    R"({"__metadata__":{"modelspec.title":"Dream","modelspec.resolution":"768x512"},)"
    R"("a":{"dtype":"F16","shape":[2,3],"data_offsets":[0,12]},"guidance_in.in_layer.weight":{"dtype":"F32","shape":[4],"data_offsets":[12,28]}})";

TEST_F(ModelFileTest, ReadsWhatASafetensorsFileSaysOfItself) {
    const auto found = inspect_model_file(folder_.write("model", safetensors(header, 28))).value();
    EXPECT_EQ(found.parameters, 10U);
    EXPECT_EQ(found.title, "Dream");
    EXPECT_TRUE(found.has_guidance_input);
    ASSERT_TRUE(found.resolution);
    EXPECT_EQ(found.resolution->width, 768U);
    EXPECT_EQ(found.resolution->height, 512U);
    EXPECT_EQ(found.bytes, 8 + header.size() + 28);
}

TEST_F(ModelFileTest, SaysThatAFileIsCutShort) {
    EXPECT_THAT(error_of(safetensors(header, 27)), HasSubstr("cut short"));
    EXPECT_THAT(error_of(safetensors(header, 28).substr(0, 60)), HasSubstr("cut short"));
}

TEST_F(ModelFileTest, RefusesWhatIsNoModel) {
    EXPECT_THAT(error_of(""), HasSubstr("too short"));
    EXPECT_THAT(error_of("#!/bin/sh\necho hello\n"), HasSubstr("is not a safetensors, GGUF or PyTorch"));
    EXPECT_THAT(error_of(safetensors("[1, 2, 3]", 4)), HasSubstr("header is broken"));
    EXPECT_THAT(error_of(safetensors(R"({"a":{"dtype":"F16"}})", 4)), HasSubstr("tensor 'a'"));
    EXPECT_THAT(error_of(safetensors(R"({"a":{"shape":[1],"data_offsets":[0,-4]}})", 4)), HasSubstr("tensor 'a'"));
}

TEST_F(ModelFileTest, NamesTheFileThatIsMissing) {
    const auto result = inspect_model_file(folder_ / "nowhere.safetensors");
    ASSERT_FALSE(result);
    EXPECT_THAT(result.error().message, HasSubstr("nowhere.safetensors: no such file"));
}

TEST_F(ModelFileTest, LeavesGgufCheckpointsAndFoldersToTheEngine) {
    EXPECT_TRUE(inspect_model_file(folder_.write("model", std::string_view("GGUF\3\0\0\0....", 12))));
    EXPECT_TRUE(inspect_model_file(folder_.write("model", std::string_view("PK\x03\x04........", 12))));
    EXPECT_TRUE(inspect_model_file(folder_.path()));
}

}  // namespace
}  // namespace worker::engine::diffusion
