// With the real engine and a model of random weights that the build makes (tools/make_tiny_sd.py).

#include "worker/engine/diffusion/diffusion_engine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <latch>

#include "base/clock.hpp"
#include "base/temporary_folder.hpp"
#include "worker/image/image_runner.hpp"

// The engine never frees the backend of an upscaler: some hundred bytes for each that is loaded.
extern "C" const char* __lsan_default_suppressions() {
    return "leak:ggml_backend_cpu_device_init_backend";
}

namespace worker::engine::diffusion {
namespace {

using image::Drawing;
using image::DrawRequest;
using image::Picture;
using testing::ElementsAre;
using testing::HasSubstr;

const std::filesystem::path models = TINY_MODELS;

const Kernels& kernels() {
    static const Kernels loaded = load_kernels(ENGINE_LIBRARIES).value();
    return loaded;
}

ModelPaths nano() {
    return {.model = models / "random-nano.safetensors", .taesd = models / "random-nano-tae.safetensors"};
}

base::Result<std::unique_ptr<image::PictureEngine>> load(const ModelPaths& paths) {
    // One thread: the engine's threads spin for each other, which on a machine that also does something else takes a
    // hundred times as long.
    return load_diffusion_engine({.paths = paths, .kernels = kernels(), .threads = 1});
}

std::string load_error(const ModelPaths& paths) {
    const auto engine = load(paths);
    return engine ? "loaded" : engine.error().message;
}

class Observer final : public image::DrawObserver {
public:
    bool on_step(std::uint32_t step, std::uint32_t steps, double) override {
        if (step != 0 && (seen.empty() || seen.back() != step)) {
            seen.push_back(step);
        }
        total = steps;
        return stop_at == 0 || step < stop_at;
    }
    void on_preview(std::uint32_t step, Picture) override { previews.push_back(step); }

    std::vector<std::uint32_t> seen;
    std::vector<std::uint32_t> previews;
    std::uint32_t total = 0;
    std::uint32_t stop_at = 0;
};

DrawRequest cat() {
    return {.prompt = "a cat",
            .width = 64,
            .height = 96,
            .steps = 4,
            .cfg_scale = 5,
            .sampler = "euler",
            .scheduler = "discrete",
            .seed = 1};
}

class DiffusionEngineTest : public testing::Test {
protected:
    Picture draw(const DrawRequest& request) {
        Observer observer;
        return engine_->draw(request, observer).value().picture;
    }

    std::unique_ptr<image::PictureEngine> engine_ = load(nano()).value();
};

bool has_colours(const Picture& picture) {
    return std::ranges::adjacent_find(picture.pixels, std::ranges::not_equal_to{}) != picture.pixels.end();
}

// Mean difference between two pictures in the columns [from, to).
double difference(const Picture& a, const Picture& b, std::uint32_t from, std::uint32_t to) {
    double sum = 0;
    for (std::uint32_t y = 0; y < a.height; ++y) {
        for (std::size_t i = (std::size_t{y} * a.width + from) * 3; i < (std::size_t{y} * a.width + to) * 3; ++i) {
            sum += std::abs(a.pixels[i] - b.pixels[i]);
        }
    }
    return sum / (3.0 * a.height * (to - from));
}

TEST_F(DiffusionEngineTest, SameRequestGivesTheSamePixelsOthersDoNot) {
    const auto first = draw(cat());
    EXPECT_EQ(first.width, 64U);
    EXPECT_EQ(first.height, 96U);
    EXPECT_TRUE(has_colours(first));
    EXPECT_EQ(draw(cat()), first);
    auto other_seed = cat();
    other_seed.seed = 2;
    EXPECT_NE(draw(other_seed), first);
    auto other_prompt = cat();
    other_prompt.prompt = "a dog";
    EXPECT_NE(draw(other_prompt), first);
    EXPECT_EQ(draw(cat()), first) << "nothing of the drawings between is left";
}

TEST_F(DiffusionEngineTest, StopsWithinOneStepAndDrawsTheSameAfterwards) {
    const auto undisturbed = draw(cat());
    auto longer = cat();
    longer.steps = 20;
    Observer observer;
    observer.stop_at = 3;
    const auto stopped = engine_->draw(longer, observer);
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().code, base::ErrorCode::cancelled);
    EXPECT_THAT(observer.seen, ElementsAre(1, 2, 3));
    EXPECT_EQ(draw(cat()), undisturbed);
}

TEST_F(DiffusionEngineTest, ReportsStepsPreviewsAndTimings) {
    auto request = cat();
    request.preview_interval = 2;
    for (const auto kind : {image::PreviewKind::projection, image::PreviewKind::taesd}) {
        request.preview_kind = kind;
        Observer observer;
        const auto drawing = engine_->draw(request, observer).value();
        EXPECT_THAT(observer.seen, ElementsAre(1, 2, 3, 4));
        EXPECT_THAT(observer.previews, ElementsAre(2)) << "the last step gives the picture itself";
        EXPECT_EQ(observer.total, 4U);
        EXPECT_GT(drawing.timings.encode_seconds, 0);
        EXPECT_GT(drawing.timings.sampling_seconds, 0);
        EXPECT_GT(drawing.timings.decode_seconds, 0);
        EXPECT_EQ(drawing.picture, draw(cat())) << "previews change nothing";
    }
}

TEST_F(DiffusionEngineTest, TilesAreNoSteps) {
    auto request = cat();
    request.width = request.height = 384;
    request.steps = 1;
    request.tile_decode = true;
    Observer observer;
    EXPECT_TRUE(engine_->draw(request, observer));
    EXPECT_THAT(observer.seen, ElementsAre(1));
    EXPECT_EQ(observer.total, 1U);
}

TEST_F(DiffusionEngineTest, InpaintingKeepsWhatTheMaskLeavesOut) {
    Picture init{.width = 128, .height = 128, .channels = 3, .pixels = {}};
    Picture mask{.width = 128, .height = 128, .channels = 1, .pixels = {}};
    for (std::uint32_t i = 0; i < 128 * 128; ++i) {
        init.pixels.insert(init.pixels.end(), {40, 60, 220});
        mask.pixels.push_back(i % 128 < 64 ? 0 : 255);
    }
    auto request = cat();
    request.width = request.height = 128;
    request.init_image = init;
    request.mask = mask;
    request.strength = 0.9F;
    const auto picture = draw(request);
    EXPECT_LT(difference(init, picture, 0, 56), 12);
    EXPECT_GT(difference(init, picture, 72, 128), 25);
}

TEST_F(DiffusionEngineTest, StrengthSaysHowMuchOfTheImageStays) {
    Picture init{.width = 64, .height = 96, .channels = 3, .pixels = std::vector<std::uint8_t>(64 * 96 * 3, 60)};
    auto request = cat();
    request.init_image = init;
    request.strength = 0;
    const auto kept = difference(init, draw(request), 0, 64);
    request.strength = 1;
    EXPECT_LT(kept, difference(init, draw(request), 0, 64) / 2);
}

TEST_F(DiffusionEngineTest, EverySamplerAndSchedulerDrawsEvenInFewSteps) {
    const auto& model = engine_->model();
    EXPECT_GE(model.samplers.size(), 15U);
    const auto draws = [&](const std::string& sampler, const std::string& scheduler, std::uint32_t steps) {
        auto request = cat();
        request.height = 64;
        request.sampler = sampler;
        request.scheduler = scheduler;
        request.steps = steps;
        Observer observer;
        const auto drawing = engine_->draw(request, observer);
        EXPECT_TRUE(drawing && has_colours(drawing->picture)) << sampler << ' ' << scheduler << ' ' << steps;
    };
    for (const auto& sampler : model.samplers) {
        draws(sampler, "discrete", 1);
        draws(sampler, "discrete", 3);
    }
    for (const auto& scheduler : model.schedulers) {
        draws("euler", scheduler, 2);
        draws("euler", scheduler, 3);
    }
}

TEST_F(DiffusionEngineTest, StrangePromptsAreOnlyPrompts) {
    for (const std::string& prompt : {std::string(), std::string(16'000, 'a'), std::string(16'000, '('),
                                      std::string("((((a:9)))), [b], (c:-3.5), \\(, <lora:x:1>"),
                                      std::string("(a:99999999999999999999999999999999999999999999999999)"),
                                      std::string("\xe7\x8c\xab \xf0\x9f\x90\x88\n\t%s%n")}) {
        auto request = cat();
        request.prompt = prompt;
        request.steps = 1;
        Observer observer;
        const auto drawing = engine_->draw(request, observer);
        EXPECT_TRUE(drawing || drawing.error().code == base::ErrorCode::internal) << prompt.substr(0, 60);
    }
}

TEST_F(DiffusionEngineTest, ModelSaysWhatItIs) {
    const auto& model = engine_->model();
    EXPECT_EQ(model.family, "Ovis Image");
    EXPECT_THAT(model.description, HasSubstr("not a trained model"));
    EXPECT_EQ(model.default_width, 256U);
    EXPECT_GT(model.parameters, 6'000'000U);
    EXPECT_EQ(model.file_bytes, std::filesystem::file_size(nano().model) + std::filesystem::file_size(nano().taesd));
    EXPECT_THAT(model.default_sampler, "euler");
    EXPECT_TRUE(model.encodes_images);
    EXPECT_THAT(model.schedulers, testing::Not(testing::Contains("ays"))) << "the engine has no table for this family";
}

TEST_F(DiffusionEngineTest, ALoraThatCannotBeReadIsAnError) {
    auto request = cat();
    request.loras = {{.path = "/dev/null", .scale = 1}};
    Observer observer;
    const auto drawing = engine_->draw(request, observer);
    ASSERT_FALSE(drawing);
    EXPECT_EQ(drawing.error().param, "loras");
    EXPECT_TRUE(engine_->draw(cat(), observer));
}

// The queue over the real engine: image i of a count is the single image with seed + i, to the byte.
TEST_F(DiffusionEngineTest, ACountEqualsSingleJobsWithTheFollowingSeeds) {
    struct Files final : rpc::EventSink {
        void on_event(rpc::Event event) override {
            if (event.has_image_done()) {
                files.push_back(event.image_done().data());
            }
            if (event.has_finished() || event.has_failed()) {
                ended.count_down();
            }
        }
        std::vector<std::string> files;
        std::latch ended{1};
    };
    const base::SteadyClock clock;
    image::ImageRunner runner(std::move(engine_), clock, {.draw_seed = [] { return 0U; }});
    const auto files = [&](std::int64_t seed, std::uint32_t count) {
        rpc::Job job;
        job.set_id("a");
        auto& picture = *job.mutable_image();
        picture.set_prompt("a cat");
        picture.set_width(64);
        picture.set_height(64);
        picture.set_steps(2);
        picture.set_seed(seed);
        picture.set_count(count);
        auto sink = std::make_shared<Files>();
        runner.start(std::move(job), sink);
        sink->ended.wait();
        return sink->files;
    };
    const auto both = files(5, 2);
    ASSERT_EQ(both.size(), 2U);
    EXPECT_NE(both[0], both[1]);
    EXPECT_THAT(files(5, 1), ElementsAre(both[0]));
    EXPECT_THAT(files(6, 1), ElementsAre(both[1]));
}

TEST(LoadDiffusionEngine, AnUpscalerAloneEnlargesAndDoesNotDraw) {
    const auto engine = load({.upscaler = models / "random-esrgan.safetensors"}).value();
    EXPECT_FALSE(engine->model().can_draw);
    EXPECT_EQ(engine->model().upscale_factor, 4U);
    Observer observer;
    const Picture grey{.width = 40, .height = 24, .channels = 3, .pixels = std::vector<std::uint8_t>(40 * 24 * 3, 90)};
    const auto large = engine->upscale(grey, observer).value();
    EXPECT_EQ(large.width, 160U);
    EXPECT_EQ(large.height, 96U);
    EXPECT_NEAR(large.pixels[large.pixels.size() / 2], 90, 3);
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
    EXPECT_THAT(load_error({.upscaler = nano().taesd}), HasSubstr("is not an ESRGAN model"));
    auto with_loras = nano();
    with_loras.lora_folder = folder / "loras";
    EXPECT_THAT(load_error(with_loras), HasSubstr("no such folder"));
}

TEST(LoadDiffusionEngine, WithoutAnEncoderThereIsOnlyTextToImage) {
    auto paths = nano();
    paths.taesd = models / "decoder-only-tae.safetensors";
    const auto engine = load(paths).value();
    EXPECT_FALSE(engine->model().encodes_images);
    Observer observer;
    EXPECT_TRUE(engine->draw(cat(), observer));
}

}  // namespace
}  // namespace worker::engine::diffusion
