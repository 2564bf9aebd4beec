#include "gateway/api/form_body.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <gmock/gmock.h>

#include "http/recorded_exchange.hpp"

namespace gateway::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Style {
    std::string name;
};

struct Wanted {
    std::string prompt;
    std::optional<std::int32_t> n;
    std::optional<double> scale;
    std::optional<bool> stream;
    std::vector<File> image;
    std::optional<File> mask;
    std::optional<std::vector<Style>> styles;
};

const schema::Object<Style>& describe(schema::Type<Style>) {
    static const auto table = schema::Object<Style>("", "").field("name", &Style::name, {.required = true});
    return table;
}

const schema::Object<Wanted>& describe(schema::Type<Wanted>) {
    static const auto table = schema::Object<Wanted>("", "")
                                  .field("prompt", &Wanted::prompt, {.required = true})
                                  .field("n", &Wanted::n, {.minimum = 1, .maximum = 10})
                                  .field("scale", &Wanted::scale)
                                  .field("stream", &Wanted::stream)
                                  .field("image", &Wanted::image, {.required = true, .min_items = 1, .max_items = 2})
                                  .field("mask", &Wanted::mask)
                                  .field("styles", &Wanted::styles)
                                  .ignored<std::string>("user");
    return table;
}

struct Given {
    std::string name;
    std::string content;
    bool is_file = false;
};

struct Read {
    std::optional<Wanted> wanted;
    http::Response refusal;
};

Read read(const std::vector<Given>& fields) {
    std::string body;
    for (const auto& [name, content, is_file] : fields)
        body += "--B\r\nContent-Disposition: form-data; name=\"" + name + "\"" +
                (is_file ? "; filename=\"a.png\"" : "") + "\r\n\r\n" + content + "\r\n";
    body += "--B--\r\n";
    http::asio::io_context io;
    http::RecordedExchange exchange(
        io.get_executor(), {.headers = {{"Content-Type", "multipart/form-data; boundary=B"}}, .body = std::move(body)});
    Read result;
    http::asio::co_spawn(io, read_form<Wanted>(exchange), [&](const std::exception_ptr& failure, auto wanted) {
        EXPECT_FALSE(failure);
        result.wanted = std::move(wanted);
    });
    io.run();
    result.refusal = exchange.answer();
    return result;
}

const Given prompt{.name = "prompt", .content = "a boat"};
const Given picture{.name = "image", .content = std::string("PNG\0\xff", 5), .is_file = true};

TEST(FormBody, TextBecomesWhatTheTableSays) {
    const auto [wanted, refusal] = read({prompt,
                                         picture,
                                         {.name = "n", .content = "2"},
                                         {.name = "scale", .content = "1.5"},
                                         {.name = "stream", .content = "True"},
                                         {.name = "mask", .content = "M", .is_file = true},
                                         {.name = "styles", .content = R"([{"name": "oil"}])"}});
    ASSERT_TRUE(wanted) << refusal.body;
    EXPECT_EQ(wanted->prompt, "a boat");
    EXPECT_EQ(wanted->n, 2);
    EXPECT_EQ(wanted->scale, 1.5);
    EXPECT_EQ(wanted->stream, true);
    ASSERT_EQ(wanted->image.size(), 1U);
    EXPECT_EQ(wanted->image[0].bytes, picture.content);
    EXPECT_EQ(wanted->mask->bytes, "M");
    EXPECT_EQ(wanted->styles->at(0).name, "oil");
}

TEST(FormBody, AListIsANameSeveralTimes) {
    for (const char* name : {"image", "image[]"}) {
        const auto [wanted, refusal] = read(
            {prompt, {.name = name, .content = "1", .is_file = true}, {.name = name, .content = "2", .is_file = true}});
        ASSERT_TRUE(wanted) << refusal.body;
        EXPECT_EQ(wanted->image.size(), 2U);
        EXPECT_EQ(wanted->image[1].bytes, "2");
    }
    const Given style{.name = "styles[]", .content = R"({"name": "oil"})"};
    EXPECT_EQ(read({prompt, picture, style, style}).wanted->styles->size(), 2U);
}

TEST(FormBody, ANumberInAPromptStaysText) {
    EXPECT_EQ(read({{.name = "prompt", .content = "7"}, picture}).wanted->prompt, "7");
}

TEST(FormBody, RefusesByName) {
    const struct {
        std::vector<Given> fields;
        const char* param;
        const char* message;
    } cases[] = {
        {{picture}, "prompt", "is required"},
        {{prompt}, "image", "is required"},
        {{prompt, prompt, picture}, "prompt", "given twice"},
        {{prompt, {.name = "image", .content = "text"}}, "image[0]", "must be a file, not text"},
        {{prompt, {.name = "image", .content = R"({"bytes": "x"})"}}, "image[0]", "must be a file, not text"},
        {{prompt, {.name = "image", .content = "", .is_file = true}}, "image[0]", "empty file"},
        {{prompt, picture, picture, picture}, "image", "2"},
        {{prompt, picture, {.name = "mask", .content = "text"}}, "mask", "must be a file, not text"},
        {{{.name = "prompt", .content = "x", .is_file = true}, picture}, "prompt", "must be text, not a file"},
        {{{.name = "prompt", .content = "\xff"}, picture}, "prompt", "UTF-8"},
        {{prompt, picture, {.name = "n", .content = "nan"}}, "n", "integer"},
        {{prompt, picture, {.name = "n", .content = "1e999"}}, "n", ""},
        {{prompt, picture, {.name = "n", .content = "11"}}, "n", "10"},
        {{prompt, picture, {.name = "n", .content = ""}}, "n", "integer"},
        {{prompt, picture, {.name = "n[]", .content = "1"}}, "n", "no list"},
        {{prompt, picture, {.name = "scale", .content = "NaN"}}, "scale", "number"},
        {{prompt, picture, {.name = "scale", .content = "0x10"}}, "scale", "number"},
        {{prompt, picture, {.name = "stream", .content = "yes"}}, "stream", ""},
        {{prompt, picture, {.name = "styles[][name]", .content = "oil"}}, "styles", "JSON text"},
        {{prompt, picture, {.name = "styles", .content = "[{\"name\": 1}]"}}, "styles[0].name", "string"},
    };
    for (const auto& [fields, param, message] : cases) {
        const auto [wanted, refusal] = read(fields);
        EXPECT_FALSE(wanted) << param;
        EXPECT_EQ(refusal.status, 400) << param;
        EXPECT_THAT(refusal.body, HasSubstr(std::string("\"param\":\"") + param + "\"")) << refusal.body;
        EXPECT_THAT(refusal.body, HasSubstr(message));
    }
}

TEST(FormBody, ListsEveryFault) {
    const auto body = read({{.name = "n", .content = "x"}, {.name = "mask", .content = "y"}}).refusal.body;
    for (const char* param : {"n", "mask", "prompt", "image"})
        EXPECT_THAT(body, HasSubstr(std::string("\"param\":\"") + param + "\"")) << body;
}

}  // namespace
}  // namespace gateway::api
