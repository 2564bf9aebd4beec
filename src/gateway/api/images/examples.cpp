#include "gateway/api/images/examples.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace gateway::api::images {
namespace {

using boost::json::array;
using boost::json::object;

constexpr const char* file = "<a PNG file>";

/// A PNG of 8x8 pixels.
constexpr const char* small_picture =
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR42mM4"
    "oaGBFTEMLQkAgl1GARdiiXUAAAAASUVORK5CYII=";

}  // namespace

Examples edit_examples() {
    return {{"data URL", object{{"prompt", "the same lighthouse in winter"},
                                {"images", array{object{{"image_url", small_picture}}}},
                                {"size", "64x64"},
                                {"steps", 4},
                                {"seed", 1}}}};
}

Examples edit_form_examples() {
    return {{"form", object{{"prompt", "the same lighthouse in winter"},
                            {"image", array{file}},
                            {"mask", "<a PNG file with transparent places>"},
                            {"size", "64x64"},
                            {"steps", 4}}}};
}

Examples edit_stream_examples() {
    return stream_example(
        {{"image_edit.partial_image",
          R"({"type":"image_edit.partial_image","b64_json":"iVBORw0KGgo=","created_at":1764500000,"size":"64x64",)"
          R"("quality":"auto","background":"opaque","output_format":"png","partial_image_index":0,"image_index":0})"},
         {"image_edit.completed",
          R"({"type":"image_edit.completed","b64_json":"iVBORw0KGgo=","created_at":1764500001,"size":"64x64",)"
          R"("quality":"auto","background":"opaque","output_format":"png","usage":{"input_tokens":0,"output_tokens":0,)"
          R"("total_tokens":0,"input_tokens_details":{"text_tokens":0,"image_tokens":0}},"image_index":0,"seed":1})"}});
}

Examples variation_examples() {
    return {{"form", object{{"image", file}, {"n", 2}, {"size", "64x64"}, {"steps", 4}}}};
}

Examples upscale_examples() {
    return {{"data URL", object{{"image", small_picture}, {"output_format", "webp"}}}};
}

Examples upscale_form_examples() {
    return {{"form", object{{"image", file}, {"output_format", "webp"}}}};
}

}  // namespace gateway::api::images
