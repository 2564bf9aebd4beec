#include "gateway/config/reference.hpp"

#include "gateway/config/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace gateway::config {
namespace {

/// The committed file. With UPDATE_DOCS=1 in the environment it is written first.
std::string committed(const std::string& name, const std::string& made) {
    const std::filesystem::path file = std::filesystem::path(DOCS_FOLDER) / name;
    if (std::getenv("UPDATE_DOCS"))
        std::ofstream(file) << made;
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(Reference, IsThePageInDocs) {
    EXPECT_EQ(committed("configuration.md", reference()), reference());
}

TEST(Example, IsTheFileInDocs) {
    EXPECT_EQ(committed("llm-gateway.example.yaml", example()), example());
}

TEST(Example, IsReadAndSaysTheDefaults) {
    auto settings = load_text(example(), "/etc");
    ASSERT_TRUE(settings) << describe_faults(settings.error(), "example");
    ASSERT_EQ(settings->models.size(), 2u);
    EXPECT_EQ(std::get<TextModel>(settings->models[0]).path, "/etc/models/smollm2-135m-instruct-q4_1.gguf");
    EXPECT_EQ(std::get<ImageModel>(settings->models[1]).taesd, "/etc/models/taesd.safetensors");
    settings->models.clear();
    EXPECT_EQ(*settings, Settings{});
}

/// Every key that is only a comment has an example value that would be read.
TEST(Example, IsReadWithEveryCommentedKeyTakenIn) {
    std::string text = example();
    for (std::size_t at = 0; (at = text.find("# ", at)) != text.npos; ++at) {
        const std::string_view rest = std::string_view(text).substr(at + 2);
        const std::size_t end = rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789");
        const bool is_key = end != rest.npos && end > 0 && rest.substr(end).starts_with(": ");
        if (is_key)
            text.erase(at, 2);
    }
    const auto pos = text.find("api_keys_file:");
    ASSERT_NE(pos, text.npos);
    text.insert(pos, "# ");  // that file would be opened
    const auto settings = load_text(text, "/etc");
    ASSERT_TRUE(settings) << describe_faults(settings.error(), "example") << text;
    EXPECT_EQ(std::get<TextModel>(settings->models[0]).context, 8192u);
    EXPECT_EQ(settings->server.cors_origins.size(), 1u);
}

}  // namespace
}  // namespace gateway::config
