#include "gateway/worker_specs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway {
namespace {

using testing::ElementsAre;

config::Settings two_models() {
    config::Settings settings;
    settings.models.emplace_back(
        config::TextModel{.basics = {.name = "tiny", .is_default = true}, .path = "/m/tiny.gguf"});
    settings.models.emplace_back(config::ImageModel{.basics = {.name = "pictures"}, .path = "/m/p.safetensors"});
    return settings;
}

TEST(WorkerSpecs, HasAProgramForEachKindBesideTheGateway) {
    const auto specs = worker_specs(two_models(), "/opt/bin");
    ASSERT_EQ(specs.size(), 2);
    EXPECT_EQ(specs[0].kind, backends::ModelKind::text);
    EXPECT_EQ(specs[0].command.program, "/opt/bin/llm-gateway-text-worker");
    EXPECT_TRUE(specs[0].is_default);
    EXPECT_EQ(specs[1].kind, backends::ModelKind::image);
    EXPECT_EQ(specs[1].command.program, "/opt/bin/llm-gateway-image-worker");
    EXPECT_THAT(specs[1].files, ElementsAre("/m/p.safetensors"));
}

TEST(WorkerSpecs, NamesTheAdapters) {
    auto settings = two_models();
    std::get<config::TextModel>(settings.models[0]).adapters = {{.name = "sql", .path = "/m/sql.gguf", .scale = 0.5}};
    const auto specs = worker_specs(settings, "/opt/bin");
    ASSERT_EQ(specs[0].adapters.size(), 1);
    EXPECT_EQ(specs[0].adapters[0].name, "sql");
    EXPECT_EQ(specs[0].adapters[0].file, "/m/sql.gguf");
    EXPECT_EQ(specs[0].adapters[0].scale, 0.5F);
    EXPECT_THAT(specs[0].files, ElementsAre("/m/tiny.gguf"));  // the model does without it
}

TEST(WorkerSpecs, TheFolderOfWorkersCanBeAnother) {
    auto settings = two_models();
    settings.workers.folder = "/elsewhere";
    EXPECT_EQ(worker_specs(settings, "/opt/bin")[0].command.program, "/elsewhere/llm-gateway-text-worker");
}

TEST(WorkerSpecs, WorkersLogLikeTheGatewayAndDoNotSeeItsKeys) {
    auto settings = two_models();
    settings.log.format = base::log::Format::json;
    settings.log.level = base::log::Level::debug;
    settings.server.api_keys.emplace_back("secret-key");
    const auto command = worker_specs(settings, "/opt/bin")[0].command;
    EXPECT_THAT(command.arguments, ElementsAre("--name", "tiny", "--model", "/m/tiny.gguf", "--log-level", "debug",
                                               "--log-format", "json"));
    EXPECT_THAT(command.hidden_environment, ElementsAre("LLM_GATEWAY_API_KEY", "LLM_GATEWAY_API_KEYS"));
}

}  // namespace
}  // namespace gateway
