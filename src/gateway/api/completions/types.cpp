#include "gateway/api/completions/types.hpp"

#include <algorithm>

namespace gateway::api::completions {
namespace {

using schema::FaultKind;
using schema::Reading;

constexpr std::size_t most_prompts = 2048;
constexpr std::size_t most_answers = 4096;

bool is_text(const Request& request) {
    return !request.prompt || std::holds_alternative<std::string>(*request.prompt) ||
           std::holds_alternative<std::vector<std::string>>(*request.prompt);
}

void check_prompts(const Request& request, const Reading& reading) {
    if (prompts_of(request) > most_prompts)
        reading.at("prompt").fault(FaultKind::out_of_range, "must not have more than 2048 prompts");
    else if (prompts_of(request) * generated_of(request) > most_answers)
        reading.at("prompt").fault(FaultKind::rule, "must not have more than 4096 answers in all");
}

void check_best_of(const Request& request, const Reading& reading) {
    if (!request.best_of)
        return;
    if (*request.best_of < request.n.value_or(1))
        reading.at("best_of").fault(FaultKind::rule, "must not be less than n");
    else if (*request.best_of > request.n.value_or(1) && request.stream.value_or(false))
        reading.at("best_of").fault(FaultKind::rule, "cannot be more than n when stream is true");
}

void check_suffix(const Request& request, const Reading& reading) {
    if (!request.suffix || request.suffix->empty())
        return;
    if (!is_text(request))
        reading.at("suffix").fault(FaultKind::rule, "needs a prompt of text, not of tokens");
    if (request.echo.value_or(false) && request.logprobs)
        reading.at("suffix").fault(FaultKind::rule, "cannot be given together with echo and logprobs");
}

void check_lengths(const Request& request, const Reading& reading) {
    if (request.max_tokens && request.sampling.min_tokens.value_or(0) > *request.max_tokens)
        reading.at("min_tokens").fault(FaultKind::rule, "is larger than max_tokens");
}

void check_streaming(const Request& request, const Reading& reading) {
    if (request.stream_options && !request.stream.value_or(false))
        reading.at("stream_options").fault(FaultKind::rule, "is only allowed when stream is true");
}

}  // namespace

std::size_t prompts_of(const Request& request) {
    if (!request.prompt)
        return 1;
    if (const auto* texts = std::get_if<std::vector<std::string>>(&*request.prompt))
        return texts->size();
    if (const auto* lists = std::get_if<std::vector<Tokens>>(&*request.prompt))
        return lists->size();
    return 1;
}

std::size_t wanted_of(const Request& request) {
    return static_cast<std::size_t>(request.n.value_or(1));
}

std::size_t generated_of(const Request& request) {
    return static_cast<std::size_t>(std::max(request.best_of.value_or(1), request.n.value_or(1)));
}

const schema::Object<Request>& describe(schema::Type<Request>) {
    using R = Request;
    static const auto table =
        schema::Object<R>("CreateCompletionRequest", "A text, and how it is to be continued.")
            .field("model", &R::model,
                   {.doc = "A name from GET /v1/models.",
                    .required = true,
                    .min_length = 1,
                    .example = "smollm2-135m-instruct"})
            .field("prompt", &R::prompt,
                   {.doc = "The text to continue, or several, each as text or as token ids. Default: the beginning of "
                           "a new text.",
                    .minimum = 0,
                    .min_items = 1,
                    .example = "Once upon a time"})
            .field("suffix", &R::suffix,
                   {.doc = "What comes after the text that is generated, for models that can fill in what is missing "
                           "between two texts."})
            .field("echo", &R::echo,
                   {.doc = "Begin the answer with the prompt. With `logprobs` its tokens have theirs too."})
            .field("n", &R::n, {.doc = "How many answers to each prompt.", .minimum = 1, .maximum = 20})
            .field("best_of", &R::best_of,
                   {.doc = "Generate so many answers to each prompt and take the `n` best: those whose tokens have the "
                           "highest log probability on average. Default `n`.",
                    .minimum = 1,
                    .maximum = 20})
            .field("max_tokens", &R::max_tokens,
                   {.doc = "Most tokens of each answer. Default 16.", .minimum = 0, .example = 50})
            .field("logprobs", &R::logprobs,
                   {.doc = "Also send the log probabilities of the tokens, and those of so many likeliest ones at each "
                           "place.",
                    .minimum = 0,
                    .maximum = 5})
            .field("stop", &R::stop,
                   {.doc = "The answer ends before the first of these texts.", .min_length = 1, .max_items = 4})
            .field("stream", &R::stream, {.doc = "Send the answers piece by piece as server-sent events."})
            .field("stream_options", &R::stream_options, {.doc = "Only together with `stream`."})
            .include(&R::sampling)
            .include(&R::adapters)
            .include(&R::form)
            .field("stop_token_ids", &R::stop_token_ids,
                   {.doc = "Extension of vLLM. An answer ends with these tokens too.", .minimum = 0, .max_items = 128})
            .ignored<std::string>("user", {.doc = "Accepted without effect."})
            .check(check_prompts)
            .check(check_best_of)
            .check(check_suffix)
            .check(check_lengths)
            .check(check_streaming);
    return table;
}

}  // namespace gateway::api::completions
