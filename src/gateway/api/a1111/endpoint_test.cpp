#include "gateway/api/a1111/endpoint.hpp"

#include <boost/json/parse.hpp>

#include <gmock/gmock.h>

#include "base/base64.hpp"
#include "gateway/api/a1111/answers.hpp"
#include "gateway/api/session_support.hpp"

namespace gateway::api::a1111 {
namespace {

namespace contract = llm_gateway::engine::v1;
using namespace gateway::api::test;
using testing::HasSubstr;
using testing::IsEmpty;

/// A session whose image jobs are answered with a picture.
class A1111 : public testing::Test {
protected:
    A1111() { session_.script = {queued(), started(), image_step(1, 4), image_done("PNG"), finished()}; }

    http::Response draw(const std::string& fields) {
        return session_.post("/sdapi/v1/txt2img", R"({"prompt": "a boat", "width": 64, "height": 128)" + fields + "}");
    }
    const contract::ImageJob& last_job() { return session_.jobs.back().image(); }

    Session session_;
};

TEST_F(A1111, DrawsWithEverySettingThatHasAMeaningHere) {
    const auto answer = draw(R"(, "negative_prompt": "people", "seed": 5, "sampler_name": "Euler a",
        "scheduler": "Karras", "batch_size": 1, "n_iter": 2, "steps": 4, "cfg_scale": 3, "eta": 1,
        "override_settings": {"CLIP_stop_at_last_layers": 2})");
    ASSERT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(last_job().ShortDebugString(),
              R"(prompt: "a boat" negative_prompt: "people" width: 64 height: 128 steps: 4 cfg_scale: 3 )"
              R"(sampler: "euler_a" scheduler: "karras" seed: 5 count: 2 clip_skip: 2 encoding { } eta: 1)");
}

TEST_F(A1111, AnswersWithPicturesAndTheirSettings) {
    const auto answer = draw(R"(, "steps": 4, "sampler_name": "Euler a")");
    ASSERT_EQ(answer.status, 200) << answer.body;
    const auto body = json_of(answer);
    EXPECT_THAT(schema::validate<ImagesAnswer>(body), IsEmpty());
    EXPECT_EQ(body.at_pointer("/images/0"), base::encode_base64("PNG").c_str());
    EXPECT_EQ(body.at_pointer("/parameters/prompt"), "a boat");
    const auto info = boost::json::parse(body.at("info").as_string());
    EXPECT_EQ(info.at("seed"), 7);
    EXPECT_EQ(info.at("sampler_name"), "Euler a");
    EXPECT_EQ(info.at("sd_model_name"), "painter");
    EXPECT_THAT(json_of(draw(R"(, "send_images": false)")).at("images").as_array(), IsEmpty());
}

TEST_F(A1111, TakesWhatClientsSendWithoutMeaningIt) {
    const auto answer =
        draw(R"(, "enable_hr": false, "hr_scale": 2, "hr_upscaler": "Latent", "hr_checkpoint_name": null,
        "styles": [], "subseed": -1, "subseed_strength": 0.0, "seed_resize_from_h": 0, "restore_faces": false,
        "tiling": false, "s_churn": 0, "s_noise": 1, "script_name": null, "script_args": [], "alwayson_scripts":
        {"ControlNet": {"args": []}, "ADetailer": {"args": [false]}}, "seed": -1, "scheduler": "automatic",
        "a_new_field": 1)");
    EXPECT_EQ(answer.status, 200) << answer.body;
    const std::string ignored(answer.headers.find("x-ignored-fields").value());
    EXPECT_THAT(ignored, HasSubstr("script_args"));
    EXPECT_THAT(ignored, HasSubstr("a_new_field"));
    EXPECT_FALSE(last_job().has_seed());
    EXPECT_EQ(last_job().scheduler(), "");
}

TEST_F(A1111, RefusesByNameWhatItCannotDo) {
    const std::pair<const char*, const char*> cases[] = {
        {R"("enable_hr": true)", "enable_hr"},
        {R"("enable_hr": true, "hr_prompt": "another")", "hr_prompt"},
        {R"("enable_hr": true, "hr_resize_x": 512)", "hr_resize_y"},
        {R"("tiling": true)", "tiling"},
        {R"("restore_faces": true)", "restore_faces"},
        {R"("styles": ["ink"])", "styles"},
        {R"("script_name": "x/y/z plot")", "script_name"},
        {R"("alwayson_scripts": {"ControlNet": {"args": [{"enabled": true}]}})", "alwayson_scripts.ControlNet"},
        {R"("subseed_strength": 0.5)", "subseed_strength"},
        {R"("sampler_name": "magic")", "sampler_name"},
        {R"("scheduler": "magic")", "scheduler"},
        {R"("steps": 0)", "steps"},
        {R"("batch_size": 5, "n_iter": 5)", "batch_size"},
        {R"("override_settings": {"sd_model_checkpoint": "nobody"})", "override_settings.sd_model_checkpoint"},
    };
    for (const auto& [field, path] : cases) {
        const auto answer = draw(std::string(", ") + field);
        EXPECT_TRUE(answer.status == 400 || answer.status == 404) << field;
        EXPECT_EQ(json_of(answer).at_pointer("/error/param"), path) << answer.body;
    }
    const auto lora = session_.post("/sdapi/v1/txt2img", R"({"prompt": "a <lora:ink:1>"})");
    EXPECT_EQ(json_of(lora).at_pointer("/error/param"), "prompt");
    const auto size = session_.post("/sdapi/v1/txt2img", R"({"prompt": "a", "width": 100, "height": 64})");
    EXPECT_EQ(json_of(size).at_pointer("/error/param"), "width");
    const auto side = session_.post("/sdapi/v1/txt2img", R"({"prompt": "a", "width": 64})");
    EXPECT_EQ(json_of(side).at_pointer("/error/param"), "height");
}

TEST_F(A1111, DrawsInTwoPasses) {
    auto& image = *session_.catalogue().list.back().facts->mutable_image();
    image.add_hires_upscalers("latent_nearest_exact");
    EXPECT_EQ(json_of(session_.get("/sdapi/v1/latent-upscale-modes")).at_pointer("/0/name"), "Latent (nearest-exact)");
    const auto answer = draw(R"json(, "enable_hr": true, "hr_scale": 1.5, "hr_upscaler": "Latent (nearest-exact)",
        "hr_second_pass_steps": 3, "hr_resize_x": 0, "hr_resize_y": 0, "denoising_strength": 0.5, "hr_prompt": "a boat",
        "hr_sampler_name": "Use same sampler")json");
    ASSERT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(last_job().hires().ShortDebugString(),
              R"(scale: 1.5 upscaler: "latent_nearest_exact" steps: 3 strength: 0.5)");
    ASSERT_EQ(draw(R"(, "enable_hr": true, "hr_scale": 2, "hr_resize_x": 128, "hr_resize_y": 256)").status, 200);
    EXPECT_EQ(last_job().hires().ShortDebugString(), "width: 128 height: 256");
    ASSERT_EQ(draw(R"(, "enable_hr": false, "hr_scale": 2)").status, 200);
    EXPECT_FALSE(last_job().has_hires());
}

TEST_F(A1111, DrawsFromAPicture) {
    const auto answer =
        session_.post("/sdapi/v1/img2img",
                      R"({"prompt": "a boat", "init_images": ["data:image/png;base64,Zm9v"], "mask": "Zm9v",
                                          "denoising_strength": 0.5, "resize_mode": 0, "inpainting_mask_invert": 0})");
    ASSERT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(last_job().init_image(), "foo");
    EXPECT_EQ(last_job().mask(), "foo");
    EXPECT_EQ(last_job().strength(), 0.5F);
    EXPECT_EQ(boost::json::parse(json_of(answer).at("info").as_string()).at("denoising_strength"), 0.5);
    const auto none = session_.post("/sdapi/v1/img2img", R"({"prompt": "a boat", "init_images": []})");
    EXPECT_EQ(json_of(none).at_pointer("/error/param"), "init_images");
    const auto broken = session_.post("/sdapi/v1/img2img", R"({"prompt": "a boat", "init_images": ["!!"]})");
    EXPECT_EQ(json_of(broken).at_pointer("/error/param"), "init_images[0]");
}

TEST_F(A1111, BlamesTheFieldThatTheWorkerMeans) {
    session_.script = {queued(), failed(contract::INVALID, "It is 3x3.", "init_image")};
    const auto answer = session_.post("/sdapi/v1/img2img", R"({"prompt": "a", "init_images": ["Zm9v"]})");
    EXPECT_EQ(answer.status, 400);
    EXPECT_EQ(json_of(answer).at_pointer("/error/param"), "init_images[0]");
}

TEST_F(A1111, AnInterruptedRequestHasWhatThereIs) {
    session_.script = {image_done("first", 0, 7), preview("half", 4), failed(contract::CANCELLED, "x")};
    const auto answer = draw(R"(, "batch_size": 2)");
    ASSERT_EQ(answer.status, 200) << answer.body;
    const auto body = json_of(answer);
    EXPECT_EQ(body.at_pointer("/images/0"), base::encode_base64("first").c_str());
    EXPECT_EQ(body.at_pointer("/images/1"), base::encode_base64("half").c_str());
    EXPECT_EQ(boost::json::parse(body.at("info").as_string()).at_pointer("/all_seeds/1"), 8);
}

struct Waiting final : backends::EventSink {
    void on_event(Event event) override { last = std::move(event); }
    Event last;
    std::unique_ptr<backends::Submission> submission;
};

TEST_F(A1111, ShowsProgressAndStopsForTheOwnerAlone) {
    session_.script = {queued(), started(), image_step(2, 8), preview("half", 2), image_done("PNG"), finished()};
    session_.at_once = 4;
    Waiting waiting;
    Job job;
    job.set_id("img-1");
    job.set_tenant("anna");
    job.mutable_image()->set_steps(8);
    waiting.submission = session_.image_jobs().submit(backends::ModelName("painter"), std::move(job), waiting);
    session_.settle();
    const auto body = json_of(session_.get("/sdapi/v1/progress", "anna"));
    EXPECT_THAT(schema::validate<Progress>(body), IsEmpty());
    EXPECT_EQ(body.at("progress"), 0.25);
    EXPECT_EQ(body.at_pointer("/state/sampling_step"), 2);
    EXPECT_EQ(body.at("current_image"), base::encode_base64("half").c_str());
    EXPECT_TRUE(
        json_of(session_.get("/sdapi/v1/progress?skip_current_image=true", "anna")).at("current_image").is_null());
    EXPECT_EQ(json_of(session_.get("/sdapi/v1/progress", "berta")).at_pointer("/state/job_count"), 0);
    EXPECT_EQ(session_.post("/sdapi/v1/interrupt", "", "berta").status, 200);
    EXPECT_EQ(session_.cancelled, 0);
    EXPECT_EQ(session_.post("/sdapi/v1/skip", "", "anna").status, 200);
    EXPECT_EQ(session_.cancelled, 1);
    EXPECT_EQ(waiting.last.failed().code(), contract::CANCELLED);
}

TEST_F(A1111, RemembersTheModelOfEachClient) {
    EXPECT_EQ(json_of(session_.get("/sdapi/v1/options")).at("sd_model_checkpoint"), "painter");
    EXPECT_EQ(session_.post("/sdapi/v1/options", R"({"sd_model_checkpoint": "nobody"})").status, 404);
    EXPECT_EQ(session_.post("/sdapi/v1/options", R"({"sd_model_checkpoint": "talker"})").status, 400);
    const auto changed =
        session_.post("/sdapi/v1/options",
                      R"({"sd_model_checkpoint": "painter [abc]", "CLIP_stop_at_last_layers": 2, "x": 1})", "anna");
    EXPECT_EQ(changed.status, 200);
    EXPECT_EQ(changed.headers.find("x-ignored-fields"), "x");
    EXPECT_EQ(json_of(session_.get("/sdapi/v1/options", "anna")).at("CLIP_stop_at_last_layers"), 2);
    EXPECT_EQ(json_of(session_.get("/sdapi/v1/options", "berta")).at("CLIP_stop_at_last_layers"), 1);
    session_.post("/sdapi/v1/txt2img", R"({"prompt": "a"})", "anna");
    EXPECT_EQ(last_job().clip_skip(), 2);
}

TEST_F(A1111, ListsWhatThereIs) {
    EXPECT_EQ(json_of(session_.get("/sdapi/v1/samplers")).at_pointer("/0/name"), "Euler a");
    EXPECT_EQ(json_of(session_.get("/sdapi/v1/schedulers")).at_pointer("/1/label"), "Karras");
    const auto models = json_of(session_.get("/sdapi/v1/sd-models"));
    EXPECT_EQ(models.as_array().size(), 1U) << "chat models draw nothing";
    EXPECT_EQ(models.at_pointer("/0/title"), "painter");
    EXPECT_EQ(json_of(session_.get("/sdapi/v1/upscalers")).at_pointer("/0/name"), "None");
    for (const char* none : {"loras", "sd-vae", "prompt-styles", "hypernetworks", "face-restorers"})
        EXPECT_THAT(json_of(session_.get(std::string("/sdapi/v1/") + none)).as_array(), IsEmpty()) << none;
    EXPECT_EQ(json_of(session_.get("/sdapi/v1/scripts")).as_object().size(), 2U);
}

TEST_F(A1111, ReadsTheSettingsOfAPng) {
    const std::string file = std::string("\x89PNG\r\n\x1a\n") + std::string("\0\0\0\x1a", 4) + "tEXtparameters" +
                             std::string(1, '\0') + "a boat\nSteps: 4" + "sum.";
    const auto body =
        json_of(session_.post("/sdapi/v1/png-info", R"({"image": ")" + base::encode_base64(file) + "\"}"));
    EXPECT_EQ(body.at("info"), "a boat\nSteps: 4");
    EXPECT_EQ(body.at_pointer("/parameters/Steps"), "4");
    EXPECT_EQ(session_.post("/sdapi/v1/png-info", R"({"image": "!!"})").status, 400);
}

TEST_F(A1111, EnlargesWithTheModelsThatCan) {
    const auto answer = session_.post("/sdapi/v1/extra-single-image", R"({"image": "Zm9v"})");
    EXPECT_EQ(answer.status, 400);
    EXPECT_EQ(json_of(answer).at_pointer("/error/param"), "upscaler_1") << "no model here can";
}

}  // namespace
}  // namespace gateway::api::a1111
