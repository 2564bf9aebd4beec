// Which models are refused when they are loaded, and what is said of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/temporary_folder.hpp"
#include "worker/engine/diffusion/tiny_engine.hpp"

namespace worker::engine::diffusion {
namespace {

using testing::HasSubstr;

std::string load_error(const ModelPaths& paths) {
    const auto engine = load(paths);
    return engine ? "loaded" : engine.error().message;
}

TEST(LoadDiffusionEngine, SaysInOneSentenceWhyAModelCannotBeLoaded) {
    const base::TemporaryFolder folder;
    const auto cut = folder / "cut.safetensors";
    std::filesystem::copy_file(nano().model, cut, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(cut, 1'000'000);
    EXPECT_THAT(load_error({.model = cut}), HasSubstr("is cut short: 1000000 bytes of"));
    EXPECT_THAT(load_error({.model = folder / "none"}), HasSubstr("no such file"));
    EXPECT_THAT(load_error({}), HasSubstr("no model file is given"));
    EXPECT_THAT(load_error({.model = models / "random-esrgan.safetensors"}), HasSubstr("not an image model"));
    EXPECT_THAT(load_error({.model = nano().model}), HasSubstr("cannot be loaded as Ovis Image")) << "no autoencoder";
    EXPECT_THAT(load_error({.model = models / "flux-alone.safetensors", .taesd = nano().taesd}),
                HasSubstr("a Flux model needs a text encoder, and no file that was given has one"));
    EXPECT_THAT(load_error({.upscaler = nano().taesd}), HasSubstr("is not an ESRGAN model"));
    auto with_loras = nano();
    with_loras.lora_folder = folder / "loras";
    EXPECT_THAT(load_error(with_loras), HasSubstr("no such folder"));
}

TEST(CheckParts, OnlyUnetsAreGuidedByAControlNet) {
    const ModelPaths paths{.model = "/m", .control_net = "/c.safetensors"};
    EXPECT_TRUE(check_parts("SD 1.x", paths));
    EXPECT_TRUE(check_parts("Flux", {.model = "/m"}));
    EXPECT_THAT(check_parts("Flux", paths).error().message,
                HasSubstr("/c.safetensors: a Flux model cannot be guided by a control net"));
}

}  // namespace
}  // namespace worker::engine::diffusion
