#include "http/multipart.hpp"

#include <gmock/gmock.h>

#include <random>

namespace http {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view type = "multipart/form-data; boundary=XYZ";

/// A body of these pieces, each the head and content of a part, between boundaries.
std::string form(std::initializer_list<std::string> parts) {
    std::string body;
    for (const std::string& part : parts)
        body += "--XYZ\r\n" + part + "\r\n";
    return body + "--XYZ--\r\n";
}

std::string field(const std::string& name, const std::string& content, const std::string& more = {}) {
    return "Content-Disposition: form-data; name=\"" + name + "\"" + more + "\r\n\r\n" + content;
}

/// What is wrong, or what the first part says.
std::string outcome(const std::string& body, std::string_view content_type = type) {
    const auto parts = parse_multipart(content_type, body);
    if (!parts)
        return "error: " + parts.error().message;
    return parts->empty() ? "nothing" : std::string(parts->front().content);
}

TEST(Multipart, GivesThePartsInTheirOrder) {
    const std::string picture("\x89PNG\r\n\x1a\n\0--XYZ\r\n--XY", 21);
    const std::string body = form(
        {field("prompt", "a boat"),
         field("image[]", picture, "; filename=\"a \\\"b\\\".png\"\r\nContent-Type: Image/PNG; a=b"), field("n", "")});
    const auto parts = parse_multipart(type, body).value();
    ASSERT_EQ(parts.size(), 3U);
    EXPECT_EQ(parts[0].name, "prompt");
    EXPECT_EQ(parts[0].content, "a boat");
    EXPECT_FALSE(parts[0].is_file);
    EXPECT_EQ(parts[1].name, "image[]");
    EXPECT_EQ(parts[1].content, picture);
    EXPECT_EQ(parts[1].media_type, "image/png");
    EXPECT_TRUE(parts[1].is_file);
    EXPECT_EQ(parts[2].content, "");
}

TEST(Multipart, TakesWhatClientsSend) {
    EXPECT_EQ(outcome(form({field("a", "x")}), "Multipart/Form-Data; charset=utf-8; boundary=\"XYZ\""), "x");
    EXPECT_EQ(outcome("\r\n" + form({field("a", "x")})), "x");
    EXPECT_EQ(outcome("--XYZ  \r\n" + field("a", "x") + "\r\n--XYZ--"), "x");
    EXPECT_EQ(outcome("--XYZ\r\ncontent-disposition:form-data;name=a\r\n\r\nx\r\n--XYZ--\r\n\r\n"), "x");
    EXPECT_EQ(outcome("--XYZ--\r\n"), "nothing");
    EXPECT_EQ(outcome("--XYZ\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n--XYZ--"), "") << "no content at all";
    EXPECT_EQ(outcome(form({field("a", "x", "\r\nContent-Type: text/plain; charset=UTF-8")})), "x");
    EXPECT_EQ(outcome(form({field("a", "x", "\r\nContent-Transfer-Encoding: binary")})), "x");
}

TEST(Multipart, KnowsAFileByItsNameOrItsType) {
    const auto is_file = [](const std::string& more) {
        return parse_multipart(type, form({field("a", "x", more)})).value().front().is_file;
    };
    EXPECT_TRUE(is_file("; filename=\"\""));
    EXPECT_TRUE(is_file("; filename*=utf-8''%e2%82%ac.png"));
    EXPECT_TRUE(is_file("\r\nContent-Type: image/png"));
    EXPECT_TRUE(is_file("\r\nContent-Type: application/octet-stream"));
    EXPECT_FALSE(is_file("\r\nContent-Type: text/plain"));
    EXPECT_FALSE(is_file(""));
}

TEST(Multipart, RefusesWhatTwoReadersCouldReadDifferently) {
    const std::pair<std::string, const char*> cases[] = {
        {"", "begin with its boundary"},
        {"preamble\r\n" + form({field("a", "x")}), "begin with its boundary"},
        {"--XYZ\r\n" + field("a", "x"), "before its last boundary"},
        {form({field("a", "x")}) + "more", "goes on after"},
        {"--XYZ\n" + field("a", "x") + "\r\n--XYZ--", "does not end its line"},
        {form({field("a", "x\r\n--XYZW")}), "does not end its line"},
        {form({"x"}), "has no head"},
        {form({"Content-Type: text/plain\r\n\r\nx"}), "Part 1 of the form must have one Content-Disposition"},
        {form({"Content-Disposition: form-data\r\n\r\nx"}), "one name"},
        {form({"Content-Disposition: form-data; name=\"\"\r\n\r\nx"}), "one name"},
        {form({field("a", "x", "; name=\"b\"")}), "one name"},
        {form({field("a", "x", "; filename=\"b\"; filename=\"c\"")}), "one name"},
        {form({field("a", "x", "\r\nContent-Disposition: form-data; name=\"b\"")}), "one Content-Disposition"},
        {form({"Content-Disposition: attachment; name=\"a\"\r\n\r\nx"}), "form-data"},
        {form({"Content-Disposition: form-data; name=\"a\r\n\r\nx"}), "form-data"},
        {form({field("a", "x", "\r\nBroken")}), "malformed header"},
        {form({field("a", "x", "\r\n Folded: y")}), "malformed header"},
        {form({field("a", "x", "\r\nContent-Type: text/plain\r\nContent-Type: image/png")}), "several types"},
        {form({field("a", "x", "\r\nContent-Type: text/plain; charset=utf-16")}), "UTF-8"},
        {form({field("a", "x", "\r\nContent-Transfer-Encoding: base64")}), "must not be encoded"},
        {form({field("\xff", "x")}), "no UTF-8"},
    };
    for (const auto& [body, complaint] : cases)
        EXPECT_THAT(outcome(body), testing::AllOf(HasSubstr("error: "), HasSubstr(complaint))) << body;
}

TEST(Multipart, NamesThePartAtFault) {
    const auto parts = parse_multipart(type, form({field("mask", "x", "\r\nContent-Transfer-Encoding: base64")}));
    ASSERT_FALSE(parts);
    EXPECT_EQ(parts.error().param, "mask");
    EXPECT_EQ(parts.error().code, base::ErrorCode::invalid);
}

TEST(Multipart, RefusesABoundaryThatIsNone) {
    const std::string body = form({field("a", "x")});
    for (const std::string& wrong :
         {std::string("application/json"), std::string("multipart/form-data"),
          std::string("multipart/form-data; boundary="), std::string("multipart/form-data; boundary=\"XYZ"),
          std::string("multipart/form-data; boundary=XYZ; boundary=A"),
          std::string("multipart/form-data; boundary=") + std::string(71, 'a'),
          std::string("multipart/form-data; boundary=\"a \""), std::string("multipart/form-data; boundary=\"a\tb\""),
          std::string()})
        EXPECT_THAT(outcome(body, wrong), HasSubstr("error: ")) << wrong;
}

TEST(Multipart, BoundsPartsAndHeads) {
    const std::string body = form({field("a", "x"), field("b", "y"), field("c", "z")});
    EXPECT_TRUE(parse_multipart(type, body, {.max_parts = 3}));
    EXPECT_THAT(parse_multipart(type, body, {.max_parts = 2}).error().message, HasSubstr("more than 2 parts"));
    const std::string large = form({field("a", "x", "\r\nX-Long: " + std::string(5000, 'a'))});
    EXPECT_THAT(parse_multipart(type, large).error().message, HasSubstr("4096 bytes"));
}

TEST(Multipart, SurvivesBodiesWithWrongBytes) {
    const std::string whole = form({field("prompt", "a boat"), field("image", "\x89PNG\r\n", "; filename=\"a\"")});
    const unsigned seed = std::random_device()();
    std::mt19937 random(seed);
    for (int round = 0; round < 5000; ++round) {
        std::string body = whole;
        for (auto changes = 1 + random() % 4; changes > 0; --changes) {
            const std::size_t at = random() % body.size();
            switch (random() % 3) {
                case 0: body[at] = static_cast<char>(random()); break;
                case 1: body.erase(at, 1 + random() % 5); break;
                default: body.insert(at, body.substr(random() % body.size(), random() % 9)); break;
            }
            if (body.empty())
                body = "-";
        }
        const auto parts = parse_multipart(type, body);
        if (!parts) {
            EXPECT_FALSE(parts.error().message.empty());
            continue;
        }
        for (const Part& part : *parts) {
            EXPECT_FALSE(part.name.empty()) << "seed " << seed;
            EXPECT_TRUE(part.content.data() >= body.data() &&
                        part.content.data() + part.content.size() <= body.data() + body.size())
                << "seed " << seed;
            EXPECT_FALSE(part.content.contains("\r\n--XYZ")) << "seed " << seed;
        }
    }
}

}  // namespace
}  // namespace http
