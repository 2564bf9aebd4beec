#include <gmock/gmock.h>

#include "base/base64.hpp"
#include "gateway/api/form_body.hpp"
#include "gateway/api/images/types.hpp"
#include "gateway/api/test_support.hpp"
#include "schema/schema.hpp"

namespace gateway::api::images {
namespace {

namespace contract = llm_gateway::engine::v1;
using namespace gateway::api::test;
using testing::HasSubstr;
using testing::IsEmpty;

/// The form that `fields`, an example as the documentation has it, stands for.
Asked ask_form(
    std::string path, const char* fields, std::vector<Event> script = {image_done("PNG"), finished()},
    const std::function<void(contract::ImageFacts&)>& facts = [](auto&) {}) {
    FixedCatalogue catalogue;
    facts(*catalogue.list.at(1).facts->mutable_image());
    return ask({.path = std::move(path),
                .body = example_form(parsed(fields)),
                .headers = {{"Content-Type", "multipart/form-data; boundary=example"}},
                .script = std::move(script),
                .catalogue = std::move(catalogue)});
}

Asked ask_edit(
    const char* fields, std::vector<Event> script = {image_done("PNG"), finished()},
    const std::function<void(contract::ImageFacts&)>& facts = [](auto&) {}) {
    return ask_form("/v1/images/edits", fields, std::move(script), facts);
}

Asked ask_edit_json(std::string body) {
    return ask({.path = "/v1/images/edits",
                .body = std::move(body),
                .headers = {{"Content-Type", "application/json"}},
                .script = {image_done("PNG"), finished()}});
}

void references(contract::ImageFacts& facts) {
    facts.set_max_reference_images(3);
}

std::string blamed(const Asked& asked) {
    return asked.answer.status == 400 ? text_at(parsed(asked.answer.body), "/error/param") : asked.answer.body;
}

TEST(Edits, GoOnFromThePicture) {
    const auto asked = ask_edit(
        R"({"prompt": "a boat", "image": "<one>", "mask": "<two>", "n": 1, "size": "64x128", "strength": 0.5, "seed": 7})");
    ASSERT_EQ(asked.answer.status, 200) << asked.answer.body;
    const auto body = parsed(asked.answer.body);
    EXPECT_THAT(schema::validate<Response>(body), IsEmpty());
    EXPECT_EQ(text_at(body, "/data/0/b64_json"), base::encode_base64("PNG"));
    EXPECT_EQ(asked.jobs.at(0).image().ShortDebugString(),
              R"(prompt: "a boat" width: 64 height: 128 seed: 7 count: 1 init_image: "<one>" mask: "<two>" )"
              R"(strength: 0.5 encoding { })");
}

TEST(Edits, InJsonAreTheSame) {
    const auto asked = ask_edit_json(
        R"({"prompt": "a boat", "images": [{"image_url": "data:image/png;base64,Zm9v"}],
            "mask": {"image_url": "data:image/png;base64,YmFy"}, "quality": "high", "input_fidelity": "low",
            "moderation": "auto", "user": "me", "background": "opaque", "stream": false})");
    ASSERT_EQ(asked.answer.status, 200) << asked.answer.body;
    EXPECT_EQ(asked.jobs.at(0).image().init_image(), "foo");
    EXPECT_EQ(asked.jobs.at(0).image().mask(), "bar");
    EXPECT_EQ(asked.answer.headers.find("x-ignored-fields"), "quality, input_fidelity, moderation, user");
}

TEST(Edits, OfAModelWithReferencesTakeAllPicturesSo) {
    const char* several = R"({"prompt": "a boat", "image": ["<one>", "<two>"]})";
    const auto asked = ask_edit(several, {image_done("PNG"), finished()}, references);
    ASSERT_EQ(asked.answer.status, 200) << asked.answer.body;
    EXPECT_EQ(asked.jobs.at(0).image().reference_images_size(), 2);
    EXPECT_EQ(asked.jobs.at(0).image().init_image(), "");
    const auto masked = ask_edit(R"({"prompt": "a boat", "image": "<one>", "mask": "<two>", "strength": 1})",
                                 {image_done("PNG"), finished()}, references);
    ASSERT_EQ(masked.answer.status, 200) << masked.answer.body;
    EXPECT_EQ(masked.jobs.at(0).image().reference_images(0), "<one>");
    EXPECT_EQ(masked.jobs.at(0).image().init_image(), "<one>");
    EXPECT_EQ(blamed(ask_edit(several)), "image") << "another model takes one";
    EXPECT_EQ(blamed(ask_edit(R"({"prompt": "a", "image": "<one>", "strength": 1})", {finished()}, references)),
              "strength");
}

TEST(Edits, StreamTheirOwnEvents) {
    const auto asked = ask_edit(
        R"({"prompt": "a boat", "image": "<one>", "stream": true, "partial_images": 1, "return_progress": true})",
        {image_step(1, 9), preview("p0", 3), image_done("PNG"), finished()});
    std::vector<std::string> types;
    for (const auto& event : events_of(asked.answer.body)) {
        const auto body = parsed(event);
        types.push_back(text_at(body, "/type"));
        const auto faults = types.back() == "image_edit.queued"          ? schema::validate<EditQueued>(body)
                            : types.back() == "image_edit.progress"      ? schema::validate<EditProgress>(body)
                            : types.back() == "image_edit.partial_image" ? schema::validate<EditPartialImage>(body)
                                                                         : schema::validate<EditCompleted>(body);
        EXPECT_THAT(faults, IsEmpty()) << event;
    }
    EXPECT_THAT(types, testing::ElementsAre("image_edit.queued", "image_edit.progress", "image_edit.partial_image",
                                            "image_edit.completed"));
    EXPECT_TRUE(asked.complete);
}

TEST(Edits, RefuseByNameWhatTheyCannotDo) {
    for (const auto& [fields, param] : {
             std::pair{R"({"image": "<one>"})", "prompt"},
             {R"({"prompt": "a"})", "image"},
             {R"({"prompt": "a", "image": "one"})", "image[0]"},
             {R"({"prompt": "a", "image": "<one>", "mask": "two"})", "mask"},
             {R"({"prompt": "a", "image": "<one>", "size": "100x100"})", "size"},
             {R"({"prompt": "a", "image": "<one>", "n": 0})", "n"},
             {R"({"prompt": "a", "image": "<one>", "strength": "nan"})", "strength"},
             {R"({"prompt": "a", "image": "<one>", "background": "transparent"})", "background"},
             {R"({"prompt": "a", "image": "<one>", "quality": "best"})", "quality"},
             {R"({"prompt": "a", "image": "<one>", "input_fidelity": "best"})", "input_fidelity"},
             {R"({"prompt": "a", "image": "<one>", "response_format": "foo"})", "response_format"},
             {R"({"prompt": "a", "image": "<one>", "response_format": "url"})", "response_format"},
             {R"({"prompt": "a", "image": "<one>", "partial_images": 1})", "partial_images"},
             {R"({"prompt": "a", "image": "<one>", "step_cache": "easy"})", "step_cache"},
             {R"({"prompt": "a", "image": "<one>", "hires": {"scale": 2}})", "hires"},
         })
        EXPECT_EQ(blamed(ask_edit(fields)), param) << fields;
    EXPECT_EQ(blamed(ask_edit_json(R"({"prompt": "a", "images": [{"file_id": "file-1"}]})")), "images[0].file_id");
    EXPECT_EQ(blamed(ask_edit_json(R"({"prompt": "a", "images": []})")), "images");
    EXPECT_EQ(blamed(ask_edit_json(R"({"prompt": "a", "images": [{}]})")), "images[0].image_url");
    EXPECT_EQ(blamed(ask_edit_json(R"({"prompt": "a", "images": [{"image_url": "https://example.org/a.png"}]})")),
              "images[0].image_url");
}

TEST(Edits, TellAWorkersComplaintInTheWordsOfTheRequest) {
    const auto complaint = failed(contract::INVALID, "init_image is a broken PNG file", "init_image");
    const auto asked = ask_edit(R"({"prompt": "a boat", "image": "<one>"})", {complaint});
    EXPECT_EQ(blamed(asked), "image");
    EXPECT_THAT(asked.answer.body, HasSubstr("image is a broken PNG file"));
    EXPECT_THAT(asked.answer.body, testing::Not(HasSubstr("init_image")));
}

TEST(Variations, GoOnFromThePictureWithoutAPrompt) {
    const auto asked = ask_form("/v1/images/variations", R"({"image": "<one>", "n": 2, "user": "me", "strength": 0.5})",
                                {image_done("a", 0), image_done("b", 1), finished()});
    ASSERT_EQ(asked.answer.status, 200) << asked.answer.body;
    EXPECT_EQ(parsed(asked.answer.body).at("data").as_array().size(), 2U);
    EXPECT_EQ(asked.jobs.at(0).image().ShortDebugString(),
              R"(count: 2 init_image: "<one>" strength: 0.5 encoding { } preview_interval: 2)");
    EXPECT_EQ(blamed(ask_form("/v1/images/variations", R"({"n": 2})")), "image");
    EXPECT_EQ(blamed(ask_form("/v1/images/variations", R"({"image": "<one>", "stream": true})")), "stream");
}

TEST(Upscale, EnlargesWithTheFirstModelThatCan) {
    const auto can = [](contract::ImageFacts& facts) {
        facts.set_upscaling(true);
        facts.set_upscale_factor(4);
    };
    const std::vector<Event> script{image_done("WEBP"), finished()};
    const auto asked =
        ask_form("/v1/images/upscale", R"({"image": "<one>", "factor": 4, "output_format": "webp"})", script, can);
    ASSERT_EQ(asked.answer.status, 200) << asked.answer.body;
    EXPECT_EQ(asked.jobs.at(0).upscale().ShortDebugString(), R"(image: "<one>" factor: 4 encoding { format: WEBP })");
    EXPECT_FALSE(parsed(asked.answer.body).at_pointer("/data/0").as_object().contains("seed"));
    EXPECT_EQ(blamed(ask_form("/v1/images/upscale", R"({"image": "<one>", "factor": 3})", script, can)), "factor");
    EXPECT_EQ(blamed(ask_form("/v1/images/upscale", R"({"image": "<one>"})", script)), "model");
    EXPECT_EQ(blamed(ask({.path = "/v1/images/upscale", .body = R"({"image": "!"})", .script = script})), "image");
}

TEST(Forms, ThatAreNoneAreRefused) {
    const auto asked = ask({.path = "/v1/images/variations", .body = "{}"});
    EXPECT_EQ(asked.answer.status, 400);
    EXPECT_THAT(asked.answer.body, HasSubstr("multipart/form-data"));
}

}  // namespace
}  // namespace gateway::api::images
