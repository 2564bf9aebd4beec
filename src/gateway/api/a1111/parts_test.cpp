#include <gmock/gmock.h>

#include "gateway/api/a1111/names.hpp"
#include "gateway/api/a1111/png_text.hpp"
#include "gateway/api/a1111/prompt.hpp"
#include "gateway/api/a1111/to_request.hpp"

namespace gateway::api::a1111 {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(A1111Names, AreTheUsualOnesAndTheEngines) {
    EXPECT_EQ(engine_names("Euler a", "Karras").sampler, "euler_a");
    EXPECT_EQ(engine_names("euler A", "karras").scheduler, "karras");
    EXPECT_EQ(engine_names("dpm++2m", "Automatic").sampler, "dpm++2m");
    EXPECT_EQ(engine_names("Euler", "automatic").scheduler, "");
    EXPECT_EQ(engine_names("magic", "").sampler, "magic") << "the job says that there is no such sampler";
    EXPECT_EQ(engine_names("", "").sampler, "");
    EXPECT_EQ(sampler_label("dpm++2s_a"), "DPM++ 2S a");
    EXPECT_EQ(sampler_label("new_one"), "new_one");
    EXPECT_EQ(scheduler_label("sgm_uniform"), "SGM Uniform");
}

TEST(A1111Names, OfSamplersMayEndWithTheScheduler) {
    EXPECT_EQ(engine_names("DPM++ 2M Karras", "").sampler, "dpm++2m");
    EXPECT_EQ(engine_names("DPM++ 2M Karras", "").scheduler, "karras");
    EXPECT_EQ(engine_names("DPM++ 2M Karras", "Exponential").scheduler, "exponential");
    EXPECT_EQ(engine_names("Karras", "").sampler, "Karras");
}

TEST(A1111Names, OfUpscalersBetweenTwoPasses) {
    for (const char* name : {"latent", "latent_nearest_exact", "lanczos", "model"})
        EXPECT_EQ(hires_upscaler_name(hires_upscaler_label(name)), name);
    EXPECT_EQ(hires_upscaler_name("Latent (bicubic antialiased)"), "latent_bicubic_antialiased");
}

TEST(A1111Prompt, GivesUpItsAdapters) {
    const auto prompt = take_loras("a <lora:ink:0.5>boat<lora:style>").value();
    EXPECT_EQ(prompt.text, "a boat");
    ASSERT_EQ(prompt.loras.size(), 2U);
    EXPECT_EQ(prompt.loras[0].name, "ink");
    EXPECT_EQ(prompt.loras[0].scale, 0.5);
    EXPECT_EQ(prompt.loras[1].scale, 1);
    EXPECT_EQ(take_loras("a < b")->text, "a < b");
    for (const char* wrong : {"<lora:ink", "<lora:ink:much>", "<lora::1>", "<lora:ink:nan>", "<lora:ink:1:2>"})
        EXPECT_FALSE(take_loras(wrong)) << wrong;
}

TEST(A1111Model, IsNamedWithOrWithoutItsHash) {
    EXPECT_EQ(model_of_title("sd [6ce0161689]"), "sd");
    EXPECT_EQ(model_of_title("sd"), "sd");
    EXPECT_EQ(model_of_title("[x]"), "[x]");
}

std::string chunk(std::string kind, std::string data) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8)
        bytes += static_cast<char>(data.size() >> shift & 0xff);
    return bytes + kind + data + "sum.";
}

const std::string signature = "\x89PNG\r\n\x1a\n";

std::string bytes(std::string_view with_zeros) {
    std::string text(with_zeros);
    std::ranges::replace(text, '|', '\0');
    return text;
}

TEST(PngTexts, AreReadInBothForms) {
    const std::string file = signature + chunk("IHDR", "0123456789012") + chunk("tEXt", bytes("parameters|a caf\xe9")) +
                             chunk("iTXt", bytes("title|||en||\xc3\xbc")) + chunk("IEND", "");
    EXPECT_THAT(png_texts(file), ElementsAre(Pair("parameters", "a caf\xc3\xa9"), Pair("title", "\xc3\xbc")));
}

TEST(PngTexts, OfBrokenFilesAreThoseBeforeTheBreak) {
    const std::string file = signature + chunk("tEXt", bytes("a|1")) + chunk("tEXt", bytes("b|2"));
    for (std::size_t length = 0; length < file.size(); ++length)
        EXPECT_LE(png_texts(file.substr(0, length)).size(), 1U) << length;
    EXPECT_EQ(png_texts(file).size(), 2U);
    EXPECT_THAT(png_texts(signature + "\xff\xff\xff\xfftEXtx"), IsEmpty());
    EXPECT_THAT(png_texts(signature + chunk("tEXt", "no zero") + chunk("iTXt", bytes("a|"))), IsEmpty());
    EXPECT_THAT(png_texts("GIF89a"), IsEmpty());
}

TEST(Parameters, AreTakenApart) {
    EXPECT_THAT(
        parse_parameters("a boat,\nat sea\nNegative prompt: people\nSteps: 20, Sampler: Euler a, Lora: \"a, b\", "
                         "Size: 64x64"),
        ElementsAre(Pair("Lora", "a, b"), Pair("Negative prompt", "people"), Pair("Prompt", "a boat,\nat sea"),
                    Pair("Sampler", "Euler a"), Pair("Size", "64x64"), Pair("Steps", "20")));
    EXPECT_THAT(parse_parameters("just words"), ElementsAre(Pair("Prompt", "just words")));
    EXPECT_THAT(parse_parameters("Steps: 1"), ElementsAre(Pair("Prompt", ""), Pair("Steps", "1")));
    EXPECT_THAT(parse_parameters(" \n"), IsEmpty());
    EXPECT_THAT(parse_parameters("x\nSteps: \"unended"), ElementsAre(Pair("Prompt", "x"), Pair("Steps", "unended")));
}

}  // namespace
}  // namespace gateway::api::a1111
