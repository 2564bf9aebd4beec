#include "gateway/api/chat/render.hpp"

#include <fmt/format.h>

#include "gateway/api/chat/logprobs.hpp"

namespace gateway::api::chat {
namespace {

namespace contract = llm_gateway::engine::v1;

FinishReason to_reason(contract::FinishReason reason) {
    switch (reason) {
        case contract::LENGTH: return FinishReason::length;
        case contract::TOOL_CALLS: return FinishReason::tool_calls;
        default: return FinishReason::stop;
    }
}

/// Workers name their calls; this is for one that does not.
std::string call_id(const Stamp& stamp, const contract::ToolCallDelta& call) {
    return call.id().empty() ? fmt::format("call_{}_{}_{}", stamp.id, call.choice(), call.index()) : call.id();
}

using Tokens = google::protobuf::RepeatedPtrField<contract::TokenInfo>;

void add_logprobs(const Tokens& tokens, Choice& choice) {
    if (tokens.empty())
        return;
    if (!choice.logprobs)
        choice.logprobs = Logprobs{.content = std::vector<TokenLogprob>{}, .refusal = {}};
    for (TokenLogprob& token : to_logprobs(tokens))
        choice.logprobs->content->push_back(std::move(token));
}

std::optional<Logprobs> chunk_logprobs(const Tokens& tokens) {
    if (tokens.empty())
        return std::nullopt;
    return Logprobs{.content = to_logprobs(tokens), .refusal = {}};
}

/// Brings the text of a delta to a multiple of 32 bytes. What it consists of does not matter: who can read it can read
/// the text.
std::string padding(const Delta& delta) {
    constexpr std::size_t unit = 32;
    std::size_t size = delta.content.value_or("").size() + delta.reasoning_content.value_or("").size();
    for (const ToolCallDelta& call : delta.tool_calls.value_or(std::vector<ToolCallDelta>{}))
        size += call.function.arguments.value_or("").size() + call.function.name.value_or("").size();
    return std::string(unit - size % unit, 'x');
}

}  // namespace

Usage to_usage(const contract::Usage& usage) {
    return {.prompt_tokens = usage.prompt_tokens(),
            .completion_tokens = usage.completion_tokens(),
            .total_tokens = std::int64_t{usage.prompt_tokens()} + usage.completion_tokens(),
            .prompt_tokens_details = {.cached_tokens = usage.cached_tokens()},
            .completion_tokens_details = {.reasoning_tokens = usage.reasoning_tokens(),
                                          .accepted_prediction_tokens = usage.accepted_prediction_tokens(),
                                          .rejected_prediction_tokens = usage.rejected_prediction_tokens()}};
}

std::string system_fingerprint(const backends::ModelStatus& model) {
    // FNV-1a: must be the same in every process and build.
    std::uint64_t hash = 0xcbf29ce484222325;
    const auto mix = [&](std::string_view text) {
        for (const char character : text)
            hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001b3;
        hash = (hash ^ 0xff) * 0x100000001b3;
    };
    mix(model.name.value());
    if (model.facts) {
        mix(model.facts->engine_version());
        mix(model.facts->file_sha256());
        mix(std::to_string(model.facts->file_bytes()));
    }
    return fmt::format("fp_{:010x}", hash & 0xffffffffff);
}

Collector::Collector(Stamp stamp, AnswerForm form, std::size_t choices)
    : stamp_(std::move(stamp)), form_(form), choices_(choices) {
    for (std::size_t i = 0; i < choices; ++i) {
        choices_[i].index = static_cast<std::int32_t>(i);
        if (form_.logprobs)
            choices_[i].logprobs = Logprobs{.content = std::vector<TokenLogprob>{}, .refusal = {}};
    }
}

void Collector::add(const backends::Event& event) {
    const auto choice = [&](std::uint32_t index) -> Choice& {
        return choices_[std::min<std::size_t>(index, choices_.size() - 1)];
    };
    switch (event.event_case()) {
        case backends::Event::kText: {
            Choice& added = choice(event.text().choice());
            added.message.content = added.message.content.value_or("") + event.text().text();
            add_logprobs(event.text().tokens(), added);
            break;
        }
        case backends::Event::kReasoning: {
            if (!form_.reasoning)
                break;
            Choice& added = choice(event.reasoning().choice());
            auto& reasoning = added.message.reasoning_content;
            reasoning = reasoning.value_or("") + event.reasoning().text();
            add_logprobs(event.reasoning().tokens(), added);
            break;
        }
        case backends::Event::kToolCall: {
            Choice& added = choice(event.tool_call().choice());
            auto& calls = added.message.tool_calls;
            if (!calls)
                calls.emplace();
            while (calls->size() <= event.tool_call().index())
                calls->push_back({.id = call_id(stamp_, event.tool_call()), .function = {}});
            FunctionCall& function = (*calls)[event.tool_call().index()].function;
            function.name += event.tool_call().name();
            function.arguments += event.tool_call().arguments();
            add_logprobs(event.tool_call().tokens(), added);
            break;
        }
        case backends::Event::kChoiceFinished:
            choice(event.choice_finished().choice()).finish_reason = to_reason(event.choice_finished().reason());
            break;
        case backends::Event::kFinished: usage_ = to_usage(event.finished().usage()); break;
        default: break;
    }
}

Completion Collector::completion() const {
    Completion completion{.id = stamp_.id,
                          .created = stamp_.created,
                          .model = stamp_.model,
                          .choices = choices_,
                          .usage = usage_,
                          .service_tier = stamp_.service_tier,
                          .system_fingerprint = stamp_.system_fingerprint,
                          .metadata = stamp_.metadata};
    // Null content is for answers that only call; clients trip over it elsewhere.
    for (Choice& choice : completion.choices) {
        if (!choice.message.content && !choice.message.tool_calls)
            choice.message.content = "";
        if (choice.message.content == "" && choice.message.tool_calls)
            choice.message.content.reset();
    }
    return completion;
}

ChunkWriter::ChunkWriter(Stamp stamp, AnswerForm form) : stamp_(std::move(stamp)), form_(form) {}

Chunk ChunkWriter::empty_chunk() const {
    Chunk chunk{.id = stamp_.id,
                .created = stamp_.created,
                .model = stamp_.model,
                .choices = {},
                .usage = {},
                .prompt_progress = {},
                .obfuscation = {},
                .service_tier = stamp_.service_tier,
                .system_fingerprint = stamp_.system_fingerprint};
    if (form_.include_usage)
        chunk.usage.emplace();
    return chunk;
}

Chunk ChunkWriter::chunk(std::uint32_t choice, Delta delta) const {
    Chunk chunk = empty_chunk();
    chunk.choices.push_back(
        {.index = static_cast<std::int32_t>(choice), .delta = std::move(delta), .logprobs = {}, .finish_reason = {}});
    return chunk;
}

void ChunkWriter::begin(std::uint32_t choice, std::vector<Chunk>& chunks) {
    if (begun_.insert(choice).second)
        chunks.push_back(chunk(choice, {.role = "assistant", .content = ""}));
}

std::vector<Chunk> ChunkWriter::add(const backends::Event& event, base::Duration since_start) {
    auto chunks = to_chunks(event, since_start);
    if (form_.obfuscate)
        for (Chunk& chunk : chunks)
            if (!chunk.choices.empty())
                chunk.obfuscation = padding(chunk.choices[0].delta);
    return chunks;
}

std::vector<Chunk> ChunkWriter::to_chunks(const backends::Event& event, base::Duration since_start) {
    std::vector<Chunk> chunks;
    switch (event.event_case()) {
        case backends::Event::kPromptProgress: {
            const auto& progress = event.prompt_progress();
            begin(0, chunks);
            chunks.push_back(chunk(0, {}));
            chunks.back().prompt_progress =
                PromptProgress{.total = progress.total_tokens(),
                               .cache = progress.cached_tokens(),
                               .processed = std::int64_t{progress.cached_tokens()} + progress.evaluated_tokens(),
                               .time_ms = base::seconds(since_start) * 1000};
            break;
        }
        case backends::Event::kText: {
            begin(event.text().choice(), chunks);
            if (event.text().text().empty() && event.text().tokens_size() == 0)
                break;
            chunks.push_back(chunk(event.text().choice(), {}));
            if (!event.text().text().empty())
                chunks.back().choices[0].delta.content = event.text().text();
            chunks.back().choices[0].logprobs = chunk_logprobs(event.text().tokens());
            break;
        }
        case backends::Event::kReasoning:
            begin(event.reasoning().choice(), chunks);
            if (!form_.reasoning)
                break;
            chunks.push_back(chunk(event.reasoning().choice(), {.reasoning_content = event.reasoning().text()}));
            chunks.back().choices[0].logprobs = chunk_logprobs(event.reasoning().tokens());
            break;
        case backends::Event::kToolCall: {
            const auto& call = event.tool_call();
            begin(call.choice(), chunks);
            ToolCallDelta delta{.index = static_cast<std::int32_t>(call.index()),
                                .id = {},
                                .type = {},
                                .function = {.name = {}, .arguments = call.arguments()}};
            if (calls_begun_.insert({call.choice(), call.index()}).second) {
                delta.id = call_id(stamp_, call);
                delta.type = "function";
                delta.function.name = call.name();
            }
            chunks.push_back(chunk(call.choice(), {.tool_calls = std::vector{std::move(delta)}}));
            chunks.back().choices[0].logprobs = chunk_logprobs(call.tokens());
            break;
        }
        case backends::Event::kChoiceFinished:
            begin(event.choice_finished().choice(), chunks);
            chunks.push_back(chunk(event.choice_finished().choice(), {}));
            chunks.back().choices[0].finish_reason = to_reason(event.choice_finished().reason());
            break;
        case backends::Event::kFinished:
            if (form_.include_usage) {
                chunks.push_back(empty_chunk());
                chunks.back().usage = std::optional(to_usage(event.finished().usage()));
            }
            break;
        default: break;
    }
    return chunks;
}

}  // namespace gateway::api::chat
