#include "gateway/welcome.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway {
namespace {

using testing::HasSubstr;
using testing::Not;

config::Settings settings_with(const std::string& host) {
    config::Settings settings;
    settings.server.host = host;
    settings.models.emplace_back(config::TextModel{.basics = {.name = "tiny"}, .path = "tiny.gguf"});
    return settings;
}

TEST(Welcome, SaysWhereWhatAndHowToTry) {
    const auto text = welcome(settings_with("127.0.0.1"), 8123);
    EXPECT_THAT(text, HasSubstr("listens at http://127.0.0.1:8123\n"));
    EXPECT_THAT(text, HasSubstr("http://127.0.0.1:8123/docs"));
    EXPECT_THAT(text, HasSubstr("tiny (chat)"));
    EXPECT_THAT(text, HasSubstr("curl http://127.0.0.1:8123/v1/chat/completions"));
    EXPECT_THAT(text, Not(HasSubstr("WARNING")));
}

TEST(Welcome, AnImageServerIsTriedWithAnImage) {
    config::Settings settings;
    settings.models.emplace_back(config::ImageModel{.basics = {.name = "pictures"}, .path = "p.safetensors"});
    EXPECT_THAT(welcome(settings, 80), HasSubstr("/v1/images/generations"));
}

TEST(Welcome, WarnsLoudlyWhenEverybodyMayUseTheModels) {
    auto settings = settings_with("0.0.0.0");
    EXPECT_TRUE(is_open_to_everybody(settings.server));
    EXPECT_THAT(welcome(settings, 80), HasSubstr("WARNING"));
    settings.server.api_keys.emplace_back("secret-key");
    EXPECT_FALSE(is_open_to_everybody(settings.server));
    EXPECT_THAT(welcome(settings, 80), Not(HasSubstr("WARNING")));
    EXPECT_THAT(welcome(settings, 80), Not(HasSubstr("secret-key")));
}

TEST(Welcome, WritesVersionSixAddressesInBrackets) {
    EXPECT_THAT(welcome(settings_with("::1"), 80), HasSubstr("http://[::1]:80/docs"));
    EXPECT_FALSE(is_open_to_everybody(settings_with("::1").server));
    EXPECT_TRUE(is_open_to_everybody(settings_with("::").server));
}

}  // namespace
}  // namespace gateway
