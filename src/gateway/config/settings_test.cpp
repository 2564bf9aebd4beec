#include "gateway/config/settings.hpp"

#include "schema/schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::config {
namespace {

using testing::ElementsAre;

TEST(WorkerArguments, AreThoseOptionsThatWereGiven) {
    TextModel model{.basics = {.name = "chat", .is_default = true, .max_waiting = 3}, .path = "/m/a b.gguf"};
    EXPECT_THAT(worker_arguments(model), ElementsAre("--name", "chat", "--model", "/m/a b.gguf"));
    model.context = 4096;
    model.batch_threads = 2;
    model.kv_type = KvType::q4_0;
    model.flash_attention = FlashAttention::automatic;
    EXPECT_THAT(worker_arguments(model),
                ElementsAre("--name", "chat", "--model", "/m/a b.gguf", "--context", "4096", "--batch-threads", "2",
                            "--kv-type", "q4_0", "--flash-attention", "auto"));
    model = {.basics = {.name = "chat"}, .path = "/m", .pinned_prompts = {"You help.", "@/p.txt"}};
    EXPECT_THAT(worker_arguments(model), ElementsAre("--name", "chat", "--model", "/m", "--pinned-prompts", "You help.",
                                                     "--pinned-prompts", "@/p.txt"));
    model = {.basics = {.name = "chat"},
             .path = "/m",
             .adapters = {{.name = "sql", .path = "/a,b.gguf", .scale = 0.5},
                          {.name = "law", .path = "/l", .sha256 = std::string(64, 'a')}}};
    EXPECT_THAT(worker_arguments(model),
                ElementsAre("--name", "chat", "--model", "/m", "--adapters", "sql,0.5,,/a,b.gguf", "--adapters",
                            "law,1," + std::string(64, 'a') + ",/l"));
}

TEST(WorkerArguments, ADraftModelIsOneOfTheFiles) {
    const TextModel model{.basics = {.name = "chat"}, .path = "/m", .draft_model = "/d"};
    EXPECT_THAT(worker_arguments(model), ElementsAre("--name", "chat", "--model", "/m", "--draft-model", "/d"));
    EXPECT_THAT(files(model), ElementsAre("/m", "/d"));
}

TEST(WorkerArguments, OfImageModelsNameTheParts) {
    const ImageModel model{.basics = {.name = "sd"}, .diffusion_model = "/d", .clip_l = "/c", .lora_folder = "/l"};
    EXPECT_THAT(worker_arguments(model),
                ElementsAre("--name", "sd", "--diffusion-model", "/d", "--clip-l", "/c", "--lora-folder", "/l"));
    EXPECT_THAT(files(model), ElementsAre("/d", "/c", "/l"));
}

TEST(Settings, AreWrittenWithoutTheirSecrets) {
    Settings settings;
    settings.server.api_keys.emplace_back("hunter2");
    settings.server.clients.push_back({.name = "batch", .key = schema::Secret("hunter2")});
    const std::string text = schema::to_text(settings);
    EXPECT_EQ(text.find("hunter2"), std::string::npos);
    EXPECT_NE(text.find(R"("api_keys":["***"])"), std::string::npos);
}

TEST(Settings, DefaultsObeyTheirOwnTable) {
    EXPECT_EQ(schema::validate<Settings>(schema::to_json(Settings{})), schema::Faults{});
}

}  // namespace
}  // namespace gateway::config
