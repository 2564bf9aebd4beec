#include "worker/image/request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>

#include "base/temporary_folder.hpp"

namespace worker::image {
namespace {

using contract::ImageJob;
using testing::ElementsAre;
using testing::HasSubstr;

PictureModel small_model() {
    return {.family = "SD 1.x",
            .default_width = 512,
            .default_height = 512,
            .min_side = 64,
            .max_side = 2048,
            .size_multiple = 64,
            .default_steps = 20,
            .default_cfg_scale = 7,
            .default_sampler = "euler_a",
            .default_scheduler = "discrete",
            .samplers = {"euler", "euler_a"},
            .schedulers = {"discrete", "karras"},
            .has_taesd = false,
            .step_caches = {"ucache", "spectrum"},
            .second_pass_upscalers = {"latent", "lanczos"}};
}

std::string png(std::uint32_t width, std::uint32_t height) {
    const Picture picture{.width = width,
                          .height = height,
                          .channels = 3,
                          .pixels = std::vector<std::uint8_t>(std::size_t{width} * height * 3, 200)};
    return codec::encode(picture, {}).value();
}

ImageJob job(const std::function<void(ImageJob&)>& change = [](ImageJob&) {}) {
    ImageJob result;
    result.set_prompt("a cat");
    change(result);
    return result;
}

base::Error error_of(const ImageJob& job, const PictureModel& model = small_model()) {
    const auto plan = plan_drawing(job, model, 7);
    return plan ? base::Error{.code = {}, .message = "was accepted", .param = "was accepted"} : plan.error();
}

struct LoraFolder : base::TemporaryFolder {
    explicit LoraFolder(std::initializer_list<const char*> files) {
        std::ranges::for_each(files, [this](const char* file) { write(file, "x"); });
    }
};

TEST(PlanDrawing, FillsInTheModelsDefaults) {
    const auto plan = plan_drawing(job(), small_model(), 7).value();
    EXPECT_EQ(plan.first.width, 512U);
    EXPECT_EQ(plan.first.height, 512U);
    EXPECT_EQ(plan.first.steps, 20U);
    EXPECT_EQ(plan.first.cfg_scale, 7.0F);
    EXPECT_EQ(plan.first.sampler, "euler_a");
    EXPECT_EQ(plan.first.scheduler, "discrete");
    EXPECT_EQ(plan.first.seed, 7) << "the drawn seed";
    EXPECT_EQ(plan.count, 1U);
    EXPECT_TRUE(plan.with_metadata);
}

TEST(PlanDrawing, KeepsWhatTheJobAsks) {
    const auto plan = plan_drawing(job([](ImageJob& j) {
                                       j.set_width(640);
                                       j.set_height(384);
                                       j.set_steps(4);
                                       j.set_seed(0);
                                       j.set_count(3);
                                       j.set_sampler("euler");
                                       j.set_cfg_scale(0);
                                       j.mutable_encoding()->set_format(contract::ImageEncoding::WEBP);
                                       j.mutable_encoding()->set_quality(50);
                                       j.mutable_encoding()->set_omit_metadata(true);
                                   }),
                                   small_model(), 7)
                          .value();
    EXPECT_EQ(plan.first.width, 640U);
    EXPECT_EQ(plan.first.height, 384U);
    EXPECT_EQ(plan.first.seed, 0) << "zero is a seed like any other";
    EXPECT_EQ(plan.first.cfg_scale, 0.0F);
    EXPECT_EQ(plan.count, 3U);
    EXPECT_EQ(plan.encoding.format, codec::FileFormat::webp);
    EXPECT_EQ(plan.encoding.quality, 50);
    EXPECT_FALSE(plan.with_metadata);
}

struct BadValue {
    const char* param;
    std::function<void(ImageJob&)> change;
    const char* message;
};

class PlanDrawingRefuses : public testing::TestWithParam<BadValue> {};

TEST_P(PlanDrawingRefuses, NamingTheField) {
    const auto error = error_of(job(GetParam().change));
    EXPECT_EQ(error.code, base::ErrorCode::invalid);
    EXPECT_EQ(error.param, GetParam().param) << error.message;
    EXPECT_THAT(error.message, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Values, PlanDrawingRefuses,
    testing::Values(
        BadValue{"width", [](ImageJob& j) { j.set_width(65); }, "multiple of 64 from 64 to 2048"},
        BadValue{"width", [](ImageJob& j) { j.set_width(1); }, "multiple of 64"},
        BadValue{"height", [](ImageJob& j) { j.set_height(8192); }, "height is 8192"},
        BadValue{"width", [](ImageJob& j) { j.set_width(4294967232U); }, "from 64 to 2048"},
        BadValue{"steps", [](ImageJob& j) { j.set_steps(0); }, "from 1 to 200"},
        BadValue{"steps", [](ImageJob& j) { j.set_steps(4294967295U); }, "from 1 to 200"},
        BadValue{"cfg_scale", [](ImageJob& j) { j.set_cfg_scale(NAN); }, "from 0 to 100"},
        BadValue{"cfg_scale", [](ImageJob& j) { j.set_cfg_scale(-1); }, "from 0 to 100"},
        BadValue{"distilled_guidance", [](ImageJob& j) { j.set_distilled_guidance(INFINITY); }, "from 0 to 100"},
        BadValue{"eta", [](ImageJob& j) { j.set_eta(2); }, "from 0 to 1"},
        BadValue{"flow_shift", [](ImageJob& j) { j.set_flow_shift(0); }, "0.01"},
        BadValue{"clip_skip", [](ImageJob& j) { j.set_clip_skip(0); }, "from 1 to 12"},
        BadValue{"clip_skip", [](ImageJob& j) { j.set_clip_skip(13); }, "from 1 to 12"},
        BadValue{"sampler", [](ImageJob& j) { j.set_sampler("k_lms"); }, "euler, euler_a"},
        BadValue{"scheduler", [](ImageJob& j) { j.set_scheduler("x"); }, "discrete, karras"},
        BadValue{"scheduler",
                 [](ImageJob& j) {
                     j.set_scheduler("karras");
                     j.set_steps(1);
                 },
                 "at least 2 steps"},
        BadValue{"seed", [](ImageJob& j) { j.set_seed(-1); }, "from 0"},
        BadValue{"seed", [](ImageJob& j) { j.set_seed(std::numeric_limits<std::int64_t>::max()); }, "2^63"},
        BadValue{"count", [](ImageJob& j) { j.set_count(17); }, "from 1 to 16"},
        BadValue{"prompt", [](ImageJob& j) { j.set_prompt(std::string(16'001, 'a')); }, "16001 bytes"},
        BadValue{"negative_prompt", [](ImageJob& j) { j.set_negative_prompt(std::string(20'000, 'a')); }, "limit"},
        BadValue{"init_image", [](ImageJob& j) { j.set_init_image("not a picture"); }, "not a PNG"},
        BadValue{"init_image", [](ImageJob& j) { j.set_init_image(png(5000, 8)); }, "limit is 4096x4096"},
        BadValue{"init_image", [](ImageJob& j) { j.set_init_image(png(512, 512).substr(0, 60)); }, "broken PNG"},
        BadValue{"mask", [](ImageJob& j) { j.set_mask(png(512, 512)); }, "needs init_image"},
        BadValue{"mask",
                 [](ImageJob& j) {
                     j.set_init_image(png(512, 512));
                     j.set_mask(png(256, 256));
                 },
                 "must be the same"},
        BadValue{"strength", [](ImageJob& j) { j.set_strength(0.5F); }, "needs init_image"},
        BadValue{"strength",
                 [](ImageJob& j) {
                     j.set_init_image(png(512, 512));
                     j.set_strength(1.5F);
                 },
                 "from 0 to 1"},
        BadValue{"hires.scale", [](ImageJob& j) { j.mutable_hires()->set_scale(NAN); }, "from 1 to 8"},
        BadValue{"hires.scale", [](ImageJob& j) { j.mutable_hires()->set_scale(8); }, "hires.scale is 4096"},
        BadValue{"hires.scale",
                 [](ImageJob& j) {
                     j.mutable_hires()->set_scale(2);
                     j.mutable_hires()->set_width(1024);
                     j.mutable_hires()->set_height(1024);
                 },
                 "either scale or width and height"},
        BadValue{"hires.height", [](ImageJob& j) { j.mutable_hires()->set_width(1024); }, "hires.height is 0"},
        BadValue{"hires.width",
                 [](ImageJob& j) {
                     j.mutable_hires()->set_width(1000);
                     j.mutable_hires()->set_height(1024);
                 },
                 "multiple of 64"},
        BadValue{"hires.upscaler", [](ImageJob& j) { j.mutable_hires()->set_upscaler("model"); }, "latent, lanczos"},
        BadValue{"hires.steps", [](ImageJob& j) { j.mutable_hires()->set_steps(201); }, "from 1 to 200"},
        BadValue{"hires.strength", [](ImageJob& j) { j.mutable_hires()->set_strength(0); }, "from 0.05 to 1"},
        BadValue{"step_cache", [](ImageJob& j) { j.set_step_cache("easycache"); }, "ucache, spectrum"},
        BadValue{"step_cache_threshold", [](ImageJob& j) { j.set_step_cache_threshold(1); }, "needs step_cache"},
        BadValue{"step_cache_threshold",
                 [](ImageJob& j) {
                     j.set_step_cache("spectrum");
                     j.set_step_cache_threshold(1);
                 },
                 "by a plan"},
        BadValue{"step_cache_threshold",
                 [](ImageJob& j) {
                     j.set_step_cache("ucache");
                     j.set_step_cache_threshold(NAN);
                 },
                 "from 0 to 100"},
        BadValue{"encoding.quality", [](ImageJob& j) { j.mutable_encoding()->set_quality(101); }, "1 to 100"},
        BadValue{"encoding.format",
                 [](ImageJob& j) { j.mutable_encoding()->set_format(static_cast<contract::ImageEncoding::Format>(9)); },
                 "PNG"},
        BadValue{"preview_kind",
                 [](ImageJob& j) {
                     j.set_preview_interval(1);
                     j.set_preview_kind(static_cast<contract::PreviewKind>(9));
                 },
                 "unknown"}));

TEST(PlanDrawing, SaysWhatThisModelCannotDo) {
    const auto unsupported = [](const char* param, const std::function<void(ImageJob&)>& change) {
        const auto error = error_of(job(change));
        EXPECT_EQ(error.code, base::ErrorCode::unsupported);
        EXPECT_EQ(error.param, param);
    };
    unsupported("control_image", [](ImageJob& j) { j.set_control_image(png(512, 512)); });
    unsupported("reference_images", [](ImageJob& j) { j.add_reference_images(png(512, 512)); });
    unsupported("image_cfg_scale", [](ImageJob& j) { j.set_image_cfg_scale(1.5F); });
    unsupported("loras[0].name", [](ImageJob& j) { j.add_loras()->set_name("x"); });
    unsupported("preview_kind", [](ImageJob& j) {
        j.set_preview_interval(1);
        j.set_preview_kind(contract::PREVIEW_TAESD);
    });
    auto without_encoder = small_model();
    without_encoder.encodes_images = false;
    const auto init = job([](ImageJob& j) { j.set_init_image(png(512, 512)); });
    auto in_one_pass = small_model();
    in_one_pass.second_pass_upscalers.clear();
    const auto hires = job([](ImageJob& j) { j.mutable_hires(); });
    EXPECT_EQ(error_of(hires, in_one_pass).param, "hires");
    EXPECT_EQ(error_of(hires, in_one_pass).code, base::ErrorCode::unsupported);
    auto without_guidance = small_model();
    without_guidance.takes_distilled_guidance = false;
    const auto guided = job([](ImageJob& j) { j.set_distilled_guidance(3); });
    EXPECT_EQ(error_of(guided, without_guidance).param, "distilled_guidance");
    EXPECT_EQ(error_of(guided, without_guidance).code, base::ErrorCode::unsupported);
    EXPECT_EQ(error_of(init, without_encoder).code, base::ErrorCode::unsupported);
    auto upscaler = small_model();
    upscaler.can_draw = false;
    EXPECT_EQ(error_of(job(), upscaler).code, base::ErrorCode::unsupported);
}

TEST(PlanDrawing, APictureToGoOnFromDecidesAboutTheSizeThatWasNotAskedFor) {
    const auto size_of = [](std::uint32_t width, std::uint32_t height) {
        const auto plan =
            plan_drawing(job([&](ImageJob& j) { j.set_init_image(png(width, height)); }), small_model(), 7);
        EXPECT_TRUE(plan) << plan.error().message;
        const auto& init = plan->first.init_image;
        EXPECT_EQ(init->width, plan->first.width);
        EXPECT_EQ(init->height, plan->first.height);
        return std::pair(plan->first.width, plan->first.height);
    };
    EXPECT_EQ(size_of(512, 256), std::pair(512U, 256U));
    EXPECT_EQ(size_of(500, 333), std::pair(512U, 320U));
    EXPECT_EQ(size_of(1, 1), std::pair(64U, 64U));
    EXPECT_EQ(size_of(4000, 1000), std::pair(2048U, 512U));
}

TEST(PlanDrawing, APictureToGoOnFromIsBroughtToTheSizeThatWasAskedFor) {
    const auto plan = plan_drawing(job([](ImageJob& j) {
                                       j.set_width(128);
                                       j.set_height(64);
                                       j.set_init_image(png(300, 300));
                                       j.set_mask(png(300, 300));
                                   }),
                                   small_model(), 7)
                          .value();
    for (const auto& given : {plan.first.init_image, plan.first.mask}) {
        EXPECT_EQ(given->width, 128U);
        EXPECT_EQ(given->height, 64U);
        EXPECT_THAT(given->pixels, testing::Each(200));
    }
}

TEST(PlanDrawing, DecodesTheImagesOfAnInpainting) {
    const auto plan = plan_drawing(job([](ImageJob& j) {
                                       j.set_init_image(png(512, 512));
                                       j.set_mask(png(512, 512));
                                       j.set_strength(0.25F);
                                   }),
                                   small_model(), 7)
                          .value();
    EXPECT_EQ(plan.first.init_image->channels, 3U);
    EXPECT_EQ(plan.first.mask->channels, 1U);
    EXPECT_EQ(plan.first.strength, 0.25F);
}

TEST(PlanDrawing, ASecondPassHasASizeThatTheModelDraws) {
    const auto pass_of = [](const std::function<void(contract::Hires&)>& change) {
        return *plan_drawing(job([&](ImageJob& j) { change(*j.mutable_hires()); }), small_model(), 7)
                    .value()
                    .first.second_pass;
    };
    const auto twice = pass_of([](contract::Hires&) {});
    EXPECT_EQ(twice.width, 1024U);
    EXPECT_EQ(twice.height, 1024U);
    EXPECT_EQ(twice.upscaler, "latent");
    EXPECT_EQ(twice.steps, 20U) << "as many as of the first pass";
    EXPECT_EQ(twice.strength, 0.7F);
    EXPECT_EQ(pass_of([](contract::Hires& h) { h.set_scale(1.3F); }).width, 640U) << "the nearest multiple";
    const auto given = pass_of([](contract::Hires& h) {
        h.set_width(576);
        h.set_height(1088);
        h.set_upscaler("lanczos");
        h.set_steps(5);
        h.set_strength(0.3F);
    });
    EXPECT_EQ(given.width, 576U);
    EXPECT_EQ(given.height, 1088U);
    EXPECT_EQ(given.upscaler, "lanczos");
    EXPECT_EQ(given.steps, 5U);
    EXPECT_EQ(given.strength, 0.3F);
}

TEST(PlanDrawing, AModelThatChangesPicturesNeedsOne) {
    auto model = small_model();
    model.max_reference_images = 1;
    model.needs_reference_image = true;
    EXPECT_EQ(error_of(job(), model).param, "reference_images");
    const auto with = [](int count) {
        return job([count](ImageJob& j) {
            j.set_image_cfg_scale(1.5F);
            for (int i = 0; i < count; ++i) {
                j.add_reference_images(png(64, 64));
            }
        });
    };
    EXPECT_EQ(plan_drawing(with(1), model, 7).value().first.image_cfg_scale, 1.5F);
    EXPECT_EQ(error_of(with(2), model).param, "reference_images");
}

TEST(PlanDrawing, FindsALoraByItsName) {
    const LoraFolder folder({"style.safetensors", "notes.txt"});
    auto model = small_model();
    model.lora_folder = folder.path();
    const auto plan = plan_drawing(job([](ImageJob& j) {
                                       j.add_loras()->set_name("style");
                                       j.mutable_loras(0)->set_scale(0.5F);
                                   }),
                                   model, 7)
                          .value();
    ASSERT_EQ(plan.first.loras.size(), 1U);
    EXPECT_EQ(plan.first.loras[0].path, folder.path() / "style.safetensors");
    EXPECT_EQ(plan.first.loras[0].scale, 0.5F);
    EXPECT_THAT(lora_names(folder.path()), ElementsAre("style"));
}

TEST(PlanDrawing, ALoraNameIsNeverAPath) {
    const LoraFolder outside({"secret.safetensors"});
    const LoraFolder folder({"style.safetensors"});
    auto model = small_model();
    model.lora_folder = folder.path();
    const std::string relative = "../" + outside.path().filename().string() + "/secret";
    for (const std::string& name : {relative, (outside.path() / "secret").string(), std::string("./style"),
                                    std::string(""), std::string("style.safetensors"), std::string("style\0x", 7)}) {
        const auto error = error_of(job([&](ImageJob& j) { j.add_loras()->set_name(name); }), model);
        EXPECT_EQ(error.code, base::ErrorCode::not_found) << name;
        EXPECT_EQ(error.param, "loras[0].name");
    }
    const auto twice = job([](ImageJob& j) {
        j.add_loras()->set_name("style");
        j.add_loras()->set_name("style");
    });
    EXPECT_EQ(error_of(twice, model).param, "loras[1].name");
}

TEST(PlanUpscale, TakesTheUpscalersOwnFactorOnly) {
    contract::UpscaleJob job;
    job.set_image(png(8, 8));
    EXPECT_EQ(plan_upscale(job, small_model()).error().code, base::ErrorCode::unsupported);
    auto model = small_model();
    model.can_upscale = true;
    model.upscale_factor = 4;
    EXPECT_EQ(plan_upscale(job, model).value().picture.width, 8U);
    job.set_factor(4);
    EXPECT_TRUE(plan_upscale(job, model));
    job.set_factor(3);
    EXPECT_EQ(plan_upscale(job, model).error().param, "factor");
    job.set_factor(0);
    job.set_image(png(2200, 2000));
    EXPECT_EQ(plan_upscale(job, model).error().param, "image") << "70 million pixels";
    job.set_image("x");
    EXPECT_EQ(plan_upscale(job, model).error().param, "image");
}

}  // namespace
}  // namespace worker::image
