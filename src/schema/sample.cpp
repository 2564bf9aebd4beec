#include "schema/sample.hpp"

#include <array>

namespace schema::sample {

const Enum<Role>& describe(Type<Role>) {
    static const Enum<Role> table({{"system", Role::system}, {"user", Role::user}, {"assistant", Role::assistant}});
    return table;
}

const Enum<ToolMode>& describe(Type<ToolMode>) {
    static const Enum<ToolMode> table(
        {{"none", ToolMode::none}, {"auto", ToolMode::automatic}, {"required", ToolMode::required}});
    return table;
}

const Object<TextPart>& describe(Type<TextPart>) {
    static const auto table = Object<TextPart>("TextPart", "Words.")
                                  .constant("type", "text")
                                  .field("text", &TextPart::text, {.required = true});
    return table;
}

const Object<ImagePart>& describe(Type<ImagePart>) {
    static const auto table = Object<ImagePart>("ImagePart", "A picture.")
                                  .constant("type", "image_url")
                                  .field("url", &ImagePart::url, {.required = true, .format = "uri"})
                                  .field("detail", &ImagePart::detail);
    return table;
}

const Object<Message>& describe(Type<Message>) {
    static const auto table = Object<Message>("Message", "One turn.")
                                  .field("role", &Message::role, {.doc = "Who speaks.", .required = true})
                                  .field("content", &Message::content, {.required = true, .max_items = 4})
                                  .field("name", &Message::name, {.max_length = 8});
    return table;
}

const Object<NamedTool>& describe(Type<NamedTool>) {
    static const auto table = Object<NamedTool>("", "")
                                  .constant("type", "function")
                                  .field("name", &NamedTool::name, {.required = true, .min_length = 1});
    return table;
}

const Object<Sampling>& describe(Type<Sampling>) {
    static const auto table =
        Object<Sampling>("Sampling", "")
            .field("temperature", &Sampling::temperature, {.doc = "How free.", .minimum = 0, .maximum = 2})
            .field("top_p", &Sampling::top_p, {.maximum = 1, .exclusive_minimum = 0});
    return table;
}

const Object<Filter>& describe(Type<Filter>) {
    static const auto table = Object<Filter>("Filter", "A tree.")
                                  .field("key", &Filter::key, {.required = true})
                                  .field("any_of", &Filter::any_of, {.max_items = 3});
    return table;
}

const Object<Request>& describe(Type<Request>) {
    static const auto table =
        Object<Request>("Request", "With every kind of field.")
            .field("model", &Request::model, {.doc = "Which.", .required = true, .min_length = 1, .example = "tiny"})
            .field("messages", &Request::messages, {.required = true, .min_items = 1, .max_items = 10})
            .include(&Request::sampling)
            .field("n", &Request::n, {.minimum = 1, .maximum = 8})
            .field("seed", &Request::seed)
            .field("threads", &Request::threads)
            .field("offset", &Request::offset)
            .field("stream", &Request::stream)
            .field("stop", &Request::stop, {.max_length = 6, .max_items = 4})
            .field("size", &Request::size, {.pattern = "^[0-9]+x[0-9]+$"})
            .field("logit_bias", &Request::logit_bias, {.minimum = -100, .maximum = 100, .max_items = 3})
            .field("tool_choice", &Request::tool_choice)
            .field("input", &Request::input, {.minimum = 0})
            .field("format", &Request::format)
            .field("metadata", &Request::metadata, {.max_items = 2})
            .field("filter", &Request::filter)
            .ignored<std::string>("user", {.doc = "Who asks.", .deprecated = true});
    return table;
}

namespace {

struct Dice {
    std::mt19937& random;

    std::size_t below(std::size_t n) { return random() % n; }
    bool coin() { return random() & 1; }
    double real(double from, double to) { return std::uniform_real_distribution(from, to)(random); }
    std::string text(std::size_t longest) {
        static const std::array<std::string, 8> characters{"a", "Z", "0", "\"", "\\", "\n", "é", "\U0001F600"};
        std::string result;
        for (std::size_t n = below(longest + 1); n > 0; --n)
            result += characters[below(characters.size())];
        return result;
    }
};

Part random_part(Dice& dice) {
    if (dice.coin())
        return TextPart{.text = dice.text(10)};
    return ImagePart{.url = dice.text(10), .detail = dice.coin() ? std::optional(dice.text(4)) : std::nullopt};
}

Message random_message(Dice& dice) {
    Message message{.role = static_cast<Role>(dice.below(3)), .content = {}, .name = {}};
    if (dice.coin())
        message.name = dice.text(8);
    if (dice.coin()) {
        message.content = dice.text(20);
    } else if (dice.coin()) {
        std::vector<Part> parts;
        for (std::size_t n = dice.below(5); n > 0; --n)
            parts.push_back(random_part(dice));
        message.content = parts;
    }
    return message;
}

Filter random_filter(Dice& dice, std::size_t depth) {
    Filter filter{.key = dice.text(5), .any_of = {}};
    for (std::size_t n = depth > 0 ? dice.below(3) : 0; n > 0; --n)
        filter.any_of.push_back(random_filter(dice, depth - 1));
    return filter;
}

}  // namespace

Request random_request(std::mt19937& random) {
    Dice dice{random};
    Request request;
    request.model = decltype(request.model)("m" + dice.text(5));
    for (std::size_t n = 1 + dice.below(4); n > 0; --n)
        request.messages.push_back(random_message(dice));
    request.sampling.temperature = dice.real(0, 2);
    if (dice.coin())
        request.sampling.top_p = static_cast<float>(dice.real(0.001, 1));
    request.n = static_cast<std::int32_t>(1 + dice.below(8));
    if (dice.coin())
        request.seed = (std::uint64_t{random()} << 32) | random();
    request.threads = static_cast<std::uint32_t>(random());
    request.offset = static_cast<std::int64_t>((std::uint64_t{random()} << 32) | random());
    request.stream = dice.coin();
    for (std::size_t n = dice.below(5); n > 0; --n)
        request.stop.push_back(dice.text(6));
    if (dice.coin())
        request.size = std::to_string(dice.below(2000)) + "x" + std::to_string(dice.below(2000));
    for (std::size_t n = dice.below(4); n > 0; --n)
        request.logit_bias[dice.text(4)] = dice.real(-100, 100);
    if (dice.coin())
        request.tool_choice = static_cast<ToolMode>(dice.below(3));
    else if (dice.coin())
        request.tool_choice = NamedTool{.name = "f" + dice.text(4)};
    if (dice.coin())
        request.input = std::vector<std::int32_t>{1, static_cast<std::int32_t>(dice.below(1000))};
    else
        request.input = std::vector<std::string>{dice.text(3)};
    if (dice.coin())
        request.format = {{"type", "object"}, {"required", {dice.text(2), 1.5, nullptr}}};
    if (dice.coin())
        request.metadata["k"] = dice.text(3);
    if (dice.coin())
        request.filter = random_filter(dice, 3);
    return request;
}

std::string mutated(std::string text, std::mt19937& random) {
    static const std::array<std::string, 24> pieces{
        "null", "true",    "-1",     "1e999", "{}", "[]",       "\"\"",     "{",
        "}",    "[",       "]",      "\"",    ":",  ",",        "\xff",     "\0",
        "\\u",  "\\ud800", "1e-999", "NaN",   "-0", "\"type\"", "\"text\"", "99999999999999999999"};
    Dice dice{random};
    const std::size_t at = dice.below(text.size() + 1);
    switch (dice.below(4)) {
        case 0: return text.insert(at, pieces[dice.below(pieces.size())]);
        case 1: return text.erase(at, 1 + dice.below(12));
        case 2: {
            const std::string& piece = pieces[dice.below(pieces.size())];
            return text.replace(at, dice.below(8), piece);
        }
        default: {  // a stretch again, somewhere else
            const std::string stretch = text.substr(at, dice.below(40));
            return text.insert(dice.below(text.size() + 1), stretch);
        }
    }
}

}  // namespace schema::sample
