#include "gateway/api/images/types.hpp"

namespace gateway::api::images {
namespace {

using schema::FaultKind;
using schema::Reading;

void check_init_image(const Request& request, const Reading& reading) {
    if (request.init_image)
        return;
    if (request.mask)
        reading.at("mask").fault(FaultKind::rule, "needs init_image");
    if (request.strength)
        reading.at("strength").fault(FaultKind::rule, "needs init_image");
}

void check_links(const Request& request, const Reading& reading) {
    if (request.streaming.stream.value_or(false) && request.options.delivery.response_format == ResponseFormat::url)
        reading.at("response_format").fault(FaultKind::rule, "cannot be \"url\" when stream is true");
}

}  // namespace

const schema::Object<Request>& describe(schema::Type<Request>) {
    using R = Request;
    static const auto table =
        schema::Object<R>("CreateImageRequest", "What to draw, and how.")
            .field("prompt", &R::prompt,
                   {.doc = "What to draw.",
                    .required = true,
                    .min_length = 1,
                    .max_length = 32000,
                    .example = "a lighthouse in a storm, oil painting"})
            .include(&R::options)
            .include(&R::streaming)
            .field("init_image", &R::init_image,
                   {.doc = extension("Start from this picture: base64 or a `data:` URL. It is scaled to the size asked "
                                     "for, and what is beside that size cut off evenly."),
                    .min_length = 1})
            .field("mask", &R::mask,
                   {.doc = extension("What is white here, or transparent, is drawn anew; like `init_image`, and of the "
                                     "same size."),
                    .min_length = 1})
            .field("strength", &R::strength,
                   {.doc = extension("0 keeps `init_image`, 1 ignores it."), .minimum = 0, .maximum = 1})
            .ignored<Quality>("quality", {.doc = "Accepted without effect: use `steps`."})
            .ignored<Style>("style", {.doc = "Accepted without effect: say it in the prompt."})
            .ignored<Moderation>("moderation", {.doc = "Accepted without effect: nothing is judged."})
            .ignored<std::string>("user", {.doc = "Accepted without effect."})
            .check(check_init_image)
            .check(check_links);
    return table;
}

}  // namespace gateway::api::images
