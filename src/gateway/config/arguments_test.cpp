#include "gateway/config/arguments.hpp"

#include "base/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

namespace gateway::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TextModel text_model(std::string_view argument) {
    return std::get<TextModel>(parse_model_argument(argument).value());
}
ImageModel image_model(std::string_view argument) {
    return std::get<ImageModel>(parse_image_model_argument(argument).value());
}

TEST(ModelArgument, IsAPathAndTheNameComesFromIt) {
    const auto model = text_model("/m/smollm2-135m.Q4_1.gguf");
    EXPECT_EQ(model.basics.name, "smollm2-135m.Q4_1");
    EXPECT_EQ(model.path, "/m/smollm2-135m.Q4_1.gguf");
}

TEST(ModelArgument, CanNameTheModel) {
    const std::pair<std::string_view, std::pair<std::string, std::string>> cases[] = {
        {"chat=/m/a.gguf", {"chat", "/m/a.gguf"}},     {"org/chat:1b=a.gguf", {"org/chat:1b", "a.gguf"}},
        {"/m/x=y.gguf", {"x=y", "/m/x=y.gguf"}},       {"./x=y.gguf", {"x=y", "./x=y.gguf"}},
        {"chat=/m/x=y.gguf", {"chat", "/m/x=y.gguf"}}, {"chat=/m/a,b.gguf", {"chat", "/m/a,b.gguf"}}};
    for (const auto& [argument, expected] : cases) {
        if (expected.first == "x=y") {  // not a name that clients could use
            EXPECT_FALSE(parse_model_argument(argument)) << argument;
            continue;
        }
        EXPECT_EQ(text_model(argument).basics.name, expected.first) << argument;
        EXPECT_EQ(text_model(argument).path, expected.second) << argument;
    }
}

TEST(ModelArgument, TakesTheKeysOfTheFile) {
    const auto model = text_model("chat=/m/a.gguf,context=4096,kv_type=q8_0,flash_attention=on,default=true,threads=2");
    EXPECT_EQ(model.context, 4096u);
    EXPECT_EQ(model.kv_type, KvType::q8_0);
    EXPECT_EQ(model.flash_attention, FlashAttention::on);
    EXPECT_EQ(model.threads, 2u);
    EXPECT_TRUE(model.basics.is_default);
}

TEST(ModelArgument, ImageModelsHaveParts) {
    const auto model = image_model("sd=/m/sd.safetensors,taesd=/m/t.safetensors,vae=/m/1,threads=3");
    EXPECT_EQ(model.path, "/m/sd.safetensors");
    EXPECT_EQ(model.taesd, "/m/t.safetensors");
    EXPECT_EQ(model.vae, "/m/1");
    EXPECT_EQ(model.threads, 3u);
    const auto parts = image_model("flux=,diffusion_model=/m/f.gguf,clip_l=7,t5xxl=/m/t5");
    EXPECT_FALSE(parts.path);
    EXPECT_EQ(parts.diffusion_model, "/m/f.gguf");
    EXPECT_EQ(parts.clip_l, "7");
}

TEST(ModelArgument, SaysWhatIsWrong) {
    const std::pair<std::string_view, std::string> cases[] = {
        {"", "name: must have between 1 and 128 characters, not 0"},
        {"chat=", "path: is required"},
        {"a=b.gguf,contxt=5", "did you mean \"context\"?"},
        {"a=b.gguf,context=many", "context: must be an integer, not \"many\""},
        {"a=b.gguf,context=5", "context: must be between 128 and 16777216, not 5"},
        {"a=b.gguf,taesd=x", "taesd: is not known here"},
        {"a=b.gguf,name=c", "name is there twice"},
        {"a=b.gguf,slots=1,slots=2", "slots is there twice"}};
    for (const auto& [argument, expected] : cases) {
        const auto model = parse_model_argument(argument);
        ASSERT_FALSE(model) << argument;
        EXPECT_THAT(model.error().message, HasSubstr(expected)) << argument;
        EXPECT_THAT(model.error().message, testing::StartsWith("--model ")) << argument;
    }
    EXPECT_THAT(parse_image_model_argument("sd=").error().message, HasSubstr("is required, or else diffusion_model"));
}

std::vector<std::string> names(const Settings& settings) {
    std::vector<std::string> result;
    for (const Model& model : settings.models)
        result.push_back(basics(model).name);
    return result;
}

Settings with_models(std::vector<std::string> arguments) {
    return apply({.models = std::move(arguments)}, {}).value();
}

TEST(CommandLine, OverridesTheFile) {
    Settings file;
    file.server.host = "1.2.3.4";
    file.server.port = 1;
    const auto same = apply({}, file);
    EXPECT_EQ(same, file);
    const auto other = apply({.host = "::1", .port = 0, .log_level = "error", .log_format = "json"}, file).value();
    EXPECT_EQ(other.server.host, "::1");
    EXPECT_EQ(other.server.port, 0u);
    EXPECT_EQ(other.log.level, base::log::Level::error);
    EXPECT_EQ(other.log.format, base::log::Format::json);
    EXPECT_THAT(apply({.log_level = "loud"}, file).error().message, HasSubstr("--log-level: must be one of"));
}

TEST(CommandLine, AddsTheKeysOfAFile) {
    base::TemporaryFolder folder;
    Settings file;
    file.server.api_keys.emplace_back("zero");
    EXPECT_THAT(apply({.api_keys_file = folder.write("keys", "one\ntwo\n")}, file)->server.api_keys,
                ElementsAre(schema::Secret("zero"), schema::Secret("one"), schema::Secret("two")));
    EXPECT_FALSE(apply({.api_keys_file = folder.write("none", "\n")}, file));
    EXPECT_FALSE(apply({.api_keys_file = folder.path()}, file));
}

TEST(CommandLine, ItsModelsComeFirstAndReplaceThoseOfTheSameName) {
    const Settings file = with_models({"a=/old", "b=/old", "c=/old,default=true"});
    const auto settings = apply({.models = {"b=/new,default=true"}, .image_models = {"d=/new"}}, file).value();
    EXPECT_THAT(names(settings), ElementsAre("b", "d", "a", "c"));
    EXPECT_EQ(std::get<TextModel>(settings.models[0]).path, "/new");
    EXPECT_FALSE(basics(settings.models[3]).is_default);
}

TEST(CommandLine, RefusesOneNameForTwoModels) {
    EXPECT_FALSE(apply({.models = {"a=/x"}, .image_models = {"a=/y"}}, {}));
    EXPECT_FALSE(apply({.models = {"a=/x,default=true", "b=/y,default=true"}}, {}));
}

TEST(Environment, AddsKeys) {
    const std::map<std::string, const char*> variables{{"LLM_GATEWAY_API_KEY", "one"},
                                                       {"LLM_GATEWAY_API_KEYS", "two,,three,"}};
    const auto lookup = [&](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second;
    };
    Settings file;
    file.server.api_keys.emplace_back("zero");
    EXPECT_THAT(
        apply_environment(lookup, file).server.api_keys,
        ElementsAre(schema::Secret("zero"), schema::Secret("one"), schema::Secret("two"), schema::Secret("three")));
    EXPECT_EQ(apply_environment([](const char*) { return nullptr; }, file), file);
}

}  // namespace
}  // namespace gateway::config
