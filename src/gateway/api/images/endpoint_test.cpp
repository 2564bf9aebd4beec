#include <gmock/gmock.h>

#include "base/base64.hpp"
#include "gateway/api/images/types.hpp"
#include "gateway/api/test_support.hpp"
#include "schema/schema.hpp"

namespace gateway::api::images {
namespace {

namespace contract = llm_gateway::engine::v1;
using namespace gateway::api::test;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Images, AnswersWithBase64InTheOrderOfTheSeeds) {
    const auto asked =
        ask_images(R"({"prompt": "a boat", "n": 2, "seed": 7, "size": "64x128"})",
                   {queued(), image_step(1, 1), image_done("second", 1, 8), image_done("first", 0, 7), finished()});
    EXPECT_EQ(asked.answer.status, 200);
    const auto body = parsed(asked.answer.body);
    EXPECT_THAT(schema::validate<Response>(body), IsEmpty());
    EXPECT_EQ(text_at(body, "/data/0/b64_json"), base::encode_base64("first"));
    EXPECT_EQ(text_at(body, "/data/1/b64_json"), base::encode_base64("second"));
    EXPECT_EQ(text_at(body, "/data/1/seed"), "8");
    EXPECT_EQ(text_at(body, "/size"), "64x128");
    EXPECT_EQ(text_at(body, "/output_format"), "png");
    const auto& job = asked.jobs.at(0).image();
    EXPECT_EQ(job.prompt(), "a boat");
    EXPECT_EQ(job.width(), 64);
    EXPECT_EQ(job.height(), 128);
    EXPECT_EQ(job.count(), 2);
    EXPECT_EQ(job.seed(), 7);
    EXPECT_THAT(asked.observed, testing::Contains("image painter").Times(2));
}

TEST(Images, StreamsPartialAndCompletedEvents) {
    const auto asked = ask_images(
        R"({"prompt": "a boat", "stream": true, "partial_images": 2, "steps": 9, "return_progress": true})",
        {image_step(1, 9), preview("p0", 3), preview("p1", 6), preview("p2", 9), image_done("PNG"), finished()});
    EXPECT_EQ(asked.jobs.at(0).image().preview_interval(), 3);
    EXPECT_TRUE(asked.complete);
    EXPECT_EQ(differs_from_golden("image_stream.txt", stable(asked.answer.body)), "");
    for (const auto& event : events_of(asked.answer.body)) {
        const auto body = parsed(event);
        const auto faults = text_at(body, "/type") == "image_generation.queued"     ? schema::validate<Queued>(body)
                            : text_at(body, "/type") == "image_generation.progress" ? schema::validate<Progress>(body)
                            : text_at(body, "/type") == "image_generation.partial_image"
                                ? schema::validate<PartialImage>(body)
                                : schema::validate<Completed>(body);
        EXPECT_THAT(faults, IsEmpty()) << event;
    }
}

TEST(Images, GivesExactlyTheSizeOrNamesTheLimits) {
    for (const char* size :
         {"640", "0x0", "99999x8", "100x64", "64x4096", "-64x64", "64x64x64", "64X64", "", "99999999999999999999x64"}) {
        const auto asked = ask_images(std::string(R"({"prompt": "a boat", "size": ")") + size + "\"}");
        EXPECT_EQ(asked.answer.status, 400) << size;
        EXPECT_EQ(text_at(parsed(asked.answer.body), "/error/param"), "size");
        EXPECT_THAT(asked.answer.body, HasSubstr("from 64x64 to 1024x2048")) << size;
    }
    for (const char* size : {"64x64", "1024x2048", "auto"})
        EXPECT_EQ(ask_images(std::string(R"({"prompt": "a boat", "size": ")") + size + "\"}").answer.status, 200)
            << size;
}

TEST(Images, RefusesByNameWhatItCannotDo) {
    const std::pair<const char*, const char*> cases[] = {
        {R"("response_format": "url")", "response_format"},
        {R"("response_format": "foo")", "response_format"},
        {R"("background": "transparent")", "background"},
        {R"("output_compression": 50)", "output_compression"},
        {R"("partial_images": 2)", "partial_images"},
        {R"("return_progress": true)", "return_progress"},
        {R"("n": 11)", "n"},
        {R"("sampler": "magic")", "sampler"},
        {R"("scheduler": "magic")", "scheduler"},
        {R"("loras": [{"name": "style"}])", "loras[0].name"},
        {R"("mask": "Zm9v")", "mask"},
        {R"("init_image": "!!")", "init_image"},
    };
    for (const auto& [field, path] : cases) {
        const auto asked = ask_images(std::string(R"({"prompt": "a boat", )") + field + "}");
        EXPECT_EQ(asked.answer.status, 400) << field;
        EXPECT_EQ(text_at(parsed(asked.answer.body), "/error/param"), path) << asked.answer.body;
    }
    EXPECT_EQ(ask_images(R"({"prompt": "a boat", "model": "talker"})").answer.status, 400);
    EXPECT_EQ(ask_images(R"({"prompt": "a boat", "model": "nobody"})").answer.status, 404);
}

TEST(Images, PassesOnEverySetting) {
    const auto asked = ask_images(
        R"({"prompt": "a", "negative_prompt": "b", "steps": 3, "cfg_scale": 2, "guidance": 4, "sampler": "lcm",
            "scheduler": "karras", "clip_skip": 1, "init_image": "data:image/png;base64,Zm9v", "mask": "Zm9v", "strength": 0.5,
            "eta": 0.5, "flow_shift": 3, "tile_decode": true, "output_format": "webp", "output_compression": 40})");
    ASSERT_EQ(asked.answer.status, 200) << asked.answer.body;
    EXPECT_EQ(asked.jobs.at(0).image().ShortDebugString(),
              R"(prompt: "a" negative_prompt: "b" steps: 3 cfg_scale: 2 distilled_guidance: 4 sampler: "lcm" )"
              R"(scheduler: "karras" count: 1 clip_skip: 1 init_image: "foo" mask: "foo" strength: 0.5 )"
              R"(encoding { format: WEBP quality: 40 } eta: 0.5 tile_decode: true flow_shift: 3)");
    EXPECT_EQ(text_at(parsed(asked.answer.body), "/output_format"), "webp");
}

TEST(Images, AMissingPictureIsAFaultOfTheServer) {
    const auto asked = ask_images(R"({"prompt": "a boat", "n": 2})", {image_done("PNG", 0), finished()});
    EXPECT_EQ(asked.answer.status, 500);
    EXPECT_EQ(text_at(parsed(asked.answer.body), "/error/code"), "internal_error");
}

TEST(Images, AJobThatBreaksWhileItDrawsHasFailed) {
    EXPECT_THAT(ask_images(R"({"prompt": "a boat"})", {image_step(1, 9), failed(contract::INTERNAL, "x")}).observed,
                testing::Contains("job failed"));
    EXPECT_THAT(ask_images(R"({"prompt": "a boat"})", {failed(contract::INVALID, "x")}).observed,
                testing::Contains("job refused"));
}

TEST(Images, ASeedOfMinusOneIsDrawn) {
    const auto asked = ask_images(R"({"prompt": "a boat", "seed": -1})");
    ASSERT_EQ(asked.answer.status, 200) << asked.answer.body;
    EXPECT_FALSE(asked.jobs.at(0).image().has_seed());
}

TEST(Images, AFaultInAStreamIsOneErrorEvent) {
    const auto asked = ask_images(R"({"prompt": "a boat", "stream": true, "return_progress": true})",
                                  {image_step(1, 9), failed(contract::TOO_LARGE, "Too big.")});
    EXPECT_EQ(asked.answer.status, 200);
    EXPECT_EQ(text_at(parsed(events_of(asked.answer.body).back()), "/error/message"), "Too big.");
}

}  // namespace
}  // namespace gateway::api::images
