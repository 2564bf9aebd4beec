#include "gateway/api/chat/types.hpp"

#include <boost/json/array.hpp>

namespace gateway::api::chat {
namespace {

using schema::FaultKind;
using schema::Reading;

std::optional<std::string> check_modalities(const std::optional<std::vector<std::string>>& modalities) {
    if (!modalities)
        return std::nullopt;
    for (const auto& modality : *modalities)
        if (modality != "text")
            return "can only be [\"text\"]: answers are written, not spoken";
    return std::nullopt;
}

void check_streaming(const Request& request, const Reading& reading) {
    if (request.stream_options && !request.stream.value_or(false))
        reading.at("stream_options").fault(FaultKind::rule, "is only allowed when stream is true");
    if (request.return_progress.value_or(false) && !request.stream.value_or(false))
        reading.at("return_progress").fault(FaultKind::rule, "is only allowed when stream is true");
}

void check_logprobs(const Request& request, const Reading& reading) {
    if (request.top_logprobs && !request.logprobs.value_or(false))
        reading.at("top_logprobs").fault(FaultKind::rule, "needs logprobs to be true");
}

void check_lengths(const Request& request, const Reading& reading) {
    std::optional<std::int32_t> first;
    for (const auto& [name, most] :
         {std::pair{"max_completion_tokens", request.max_completion_tokens},
          std::pair{"max_tokens", request.max_tokens}, std::pair{"n_predict", request.n_predict}}) {
        if (most && first && *most != *first)
            reading.at(name).fault(FaultKind::rule, "is another number than the same limit under another name");
        first = first ? first : most;
    }
    if (static_cast<std::uint32_t>(request.sampling.min_tokens.value_or(0)) > most_tokens(request).value_or(UINT32_MAX))
        reading.at("min_tokens").fault(FaultKind::rule, "is larger than the most tokens the answer may have");
}

void check_form(const Request& request, const Reading& reading) {
    if (!offers_tools(request.tools))
        return;
    for (const Form& form : forms_of(request.form))
        if (form.format.has_grammar() || form.format.has_regex())
            reading.at(std::string_view(form.path).substr(0, form.path.find('.')))
                .fault(FaultKind::rule, "cannot be given together with tools");
}

void check_ending(const Request& request, const Reading& reading) {
    if (request.continue_final_message.value_or(false) && request.add_generation_prompt.value_or(false))
        reading.at("continue_final_message")
            .fault(FaultKind::rule,
                   "cannot be given together with "
                   "add_generation_prompt");
}

schema::Value example_messages() {
    return boost::json::array{{{"role", "system"}, {"content", "Answer in one sentence."}},
                              {{"role", "user"}, {"content", "Why is the sky blue?"}}};
}

}  // namespace

std::optional<std::uint32_t> most_tokens(const Request& request) {
    const auto most = request.max_completion_tokens ? request.max_completion_tokens
                      : request.max_tokens          ? request.max_tokens
                                                    : request.n_predict;
    return most && *most >= 0 ? std::optional(static_cast<std::uint32_t>(*most)) : std::nullopt;
}

const schema::Object<StreamOptions>& describe(schema::Type<StreamOptions>) {
    static const auto table =
        schema::Object<StreamOptions>("StreamOptions", "What a stream contains beside the answer.")
            .field("include_usage", &StreamOptions::include_usage,
                   {.doc = "A last chunk without choices carries the token counts."})
            .field(
                "include_obfuscation", &StreamOptions::include_obfuscation,
                {.doc = "Deltas are padded in a field `obfuscation`, so that their size does not tell what they say. "
                        "Default false."});
    return table;
}

const schema::Object<Prediction>& describe(schema::Type<Prediction>) {
    static const auto table =
        schema::Object<Prediction>("Prediction", "What the answer is expected to say, such as the file to be edited.")
            .constant("type", "content")
            .field("content", &Prediction::content, {.doc = "The text.", .required = true});
    return table;
}

const schema::Enum<ReasoningEffort>& describe(schema::Type<ReasoningEffort>) {
    using enum ReasoningEffort;
    static const schema::Enum<ReasoningEffort> names({{"none", none},
                                                      {"minimal", minimal},
                                                      {"low", low},
                                                      {"medium", medium},
                                                      {"high", high},
                                                      {"xhigh", xhigh},
                                                      {"max", max}});
    return names;
}

const schema::Enum<ReasoningFormat>& describe(schema::Type<ReasoningFormat>) {
    using enum ReasoningFormat;
    static const schema::Enum<ReasoningFormat> names({{"none", none}, {"auto", automatic}, {"deepseek", deepseek}});
    return names;
}

const schema::Enum<Verbosity>& describe(schema::Type<Verbosity>) {
    using enum Verbosity;
    static const schema::Enum<Verbosity> names({{"low", low}, {"medium", medium}, {"high", high}});
    return names;
}

const schema::Enum<ServiceTier>& describe(schema::Type<ServiceTier>) {
    using enum ServiceTier;
    static const schema::Enum<ServiceTier> names({{"auto", automatic},
                                                  {"default", standard},
                                                  {"flex", flex},
                                                  {"scale", scale},
                                                  {"priority", priority},
                                                  {"fast", fast}});
    return names;
}

const schema::Object<Request>& describe(schema::Type<Request>) {
    using R = Request;
    static const auto table =
        schema::Object<R>("CreateChatCompletionRequest", "A conversation, and how it is to be continued.")
            .field("model", &R::model,
                   {.doc = "A name from GET /v1/models.",
                    .required = true,
                    .min_length = 1,
                    .example = "smollm2-135m-instruct"})
            .field("messages", &R::messages,
                   {.doc = "The conversation so far.",
                    .required = true,
                    .min_items = 1,
                    .max_items = 100000,
                    .example = example_messages()})
            .field("stream", &R::stream, {.doc = "Send the answer piece by piece as server-sent events."})
            .field("stream_options", &R::stream_options, {.doc = "Only together with `stream`."})
            .field("n", &R::n, {.doc = "How many independent answers.", .minimum = 1, .maximum = 128})
            .field("max_completion_tokens", &R::max_completion_tokens,
                   {.doc = "Most tokens of each answer, reasoning included. Default: until the context is full.",
                    .minimum = 1,
                    .example = 200})
            .field("max_tokens", &R::max_tokens,
                   {.doc = "The older name of `max_completion_tokens`; both may only be given with the same number. As "
                           "with llama.cpp, -1 is no limit, and 0 only evaluates the prompt.",
                    .deprecated = true,
                    .minimum = -1})
            .field("n_predict", &R::n_predict, {.doc = "Extension of llama.cpp. As `max_tokens`.", .minimum = -1})
            .field("stop", &R::stop,
                   {.doc = "The answer ends before the first of these texts.", .min_length = 1, .max_items = 4})
            .field("stop_token_ids", &R::stop_token_ids,
                   {.doc = "Extension of vLLM. These tokens end the answer too.", .minimum = 0, .max_items = 256})
            .include(&R::sampling)
            .include(&R::adapters)
            .field(
                "logprobs", &R::logprobs,
                {.doc = "Also send the log probability of each token, those of thinking and of tool calls among them."})
            .field("top_logprobs", &R::top_logprobs,
                   {.doc = "Also those of so many likeliest tokens at each place.", .minimum = 0, .maximum = 20})
            .include(&R::tools)
            .include(&R::form)
            .field("reasoning_effort", &R::reasoning_effort,
                   {.doc = "How long models that think may think, as their templates know it; `none` switches it off "
                           "where the model can."})
            .field("reasoning_format", &R::reasoning_format,
                   {.doc = "Extension of llama.cpp. `none` leaves thinking in the text; with `auto`, the default, and "
                           "`deepseek` it is in `reasoning_content`."})
            .field("include_reasoning", &R::include_reasoning,
                   {.doc = "Extension of vLLM. False: thinking is not sent. Default true."})
            .field("chat_template_kwargs", &R::chat_template_kwargs,
                   {.doc = "Extension of llama.cpp and vLLM. Variables for the model's chat template.",
                    .example = {{"enable_thinking", false}}})
            .field("add_generation_prompt", &R::add_generation_prompt,
                   {.doc = "Extension of llama.cpp and vLLM. False: nothing begins an answer behind the last message. "
                           "Default true."})
            .field(
                "continue_final_message", &R::continue_final_message,
                {.doc = "Extension of llama.cpp and vLLM. The last message, one of the assistant's, is not over: the "
                        "answer is how it goes on."})
            .field("skip_special_tokens", &R::skip_special_tokens,
                   {.doc = "Extension of vLLM. False: special tokens are part of the text. Default true."})
            .field("cache_prompt", &R::cache_prompt,
                   {.doc = "Extension of llama.cpp. False: nothing that was evaluated before is used again."})
            .field("cache_salt", &R::cache_salt,
                   {.doc = "Extension of vLLM. Only requests with the same salt share evaluated prompts.",
                    .min_length = 1,
                    .max_length = 512})
            .field("service_tier", &R::service_tier,
                   {.doc = "`priority` and `fast` run before others, `flex` after them."})
            .field(
                "return_progress", &R::return_progress,
                {.doc = "Extension of llama.cpp. Stream chunks with `prompt_progress` while the prompt is evaluated; "
                        "needs `stream`."})
            .field("modalities", &R::modalities, {.doc = "Only `[\"text\"]`."}, check_modalities)
            .field(
                "store", &R::store,
                {.doc = "Keep the answer: GET /v1/chat/completions shows it. Refused where the server keeps nothing. "
                        "Default false."})
            .field("metadata", &R::metadata,
                   metadata_options("Up to 16 pairs that come back in the answer, and by which kept ones are found."),
                   check_metadata)
            .ignored<std::string>("user", {.doc = "Accepted without effect.", .deprecated = true})
            .ignored<std::string>("safety_identifier", {.doc = "Accepted without effect.", .max_length = 64})
            .ignored<std::string>("prompt_cache_key",
                                  {.doc = "Accepted without effect: prompts that begin alike share work anyway."})
            .ignored<std::string>("prompt_cache_retention", {.doc = "Accepted without effect.", .deprecated = true})
            .ignored("prompt_cache_options", {.doc = "Accepted without effect."})
            .field("prediction", &R::prediction,
                   {.doc = "A text that the answer will largely repeat. It makes the answer faster as far as that is "
                           "true, and does not change it."})
            .ignored<Verbosity>("verbosity", {.doc = "Accepted without effect: say it in the messages."})
            .ignored("id_slot", {.doc = "Accepted without effect: any slot finds what was evaluated."})
            .ignored<bool>("timings_per_token", {.doc = "Accepted without effect."})
            .include(&R::refused)
            .check(check_streaming)
            .check(check_logprobs)
            .check(check_lengths)
            .check(check_form)
            .check(check_ending);
    return table;
}

}  // namespace gateway::api::chat
