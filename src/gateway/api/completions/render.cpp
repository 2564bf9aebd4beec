#include "gateway/api/completions/render.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "gateway/api/chat/render.hpp"

namespace gateway::api::completions {
namespace {

namespace contract = llm_gateway::engine::v1;
using backends::Event;
using TokenInfos = google::protobuf::RepeatedPtrField<contract::TokenInfo>;

FinishReason to_reason(contract::FinishReason reason) {
    return reason == contract::LENGTH ? FinishReason::length : FinishReason::stop;
}

Choice piece(std::size_t index) {
    return {.text = {}, .index = static_cast<std::int32_t>(index), .logprobs = {}, .finish_reason = {}};
}

}  // namespace

std::optional<Logprobs> Pieces::logprobs_of(const TokenInfos& tokens, std::size_t index, bool first_is_unconditioned) {
    if (tokens.empty())
        return std::nullopt;
    const std::vector<const contract::TokenInfo*> pointers(tokens.pointer_begin(), tokens.pointer_end());
    auto logprobs = writers_[index].add(pointers, first_is_unconditioned);
    return form_.logprobs ? std::optional(std::move(logprobs)) : std::nullopt;
}

/// Every answer to the prompt begins with it.
std::vector<Choice> Pieces::echoed(const contract::PromptEcho& echo) {
    std::vector<Choice> pieces;
    for (std::size_t i = 0; i < form_.generated && echo.choice() + i < writers_.size(); ++i) {
        const std::size_t index = echo.choice() + i;
        Choice& added = pieces.emplace_back(piece(index));
        added.text = echo.text();
        added.logprobs = logprobs_of(echo.tokens(), index, echo.first_is_unconditioned());
        writers_[index].end_of_prompt();
    }
    return pieces;
}

std::vector<Choice> Pieces::add(const Event& event) {
    const auto one = [this](std::uint32_t choice) { return piece(std::min<std::size_t>(choice, writers_.size() - 1)); };
    switch (event.event_case()) {
        case Event::kPromptEcho: return echoed(event.prompt_echo());
        case Event::kText: {
            Choice added = one(event.text().choice());
            added.text = event.text().text();
            added.logprobs = logprobs_of(event.text().tokens(), static_cast<std::size_t>(added.index));
            if (added.text.empty() && !added.logprobs)
                return {};
            return {std::move(added)};
        }
        case Event::kChoiceFinished: {
            Choice added = one(event.choice_finished().choice());
            added.finish_reason = to_reason(event.choice_finished().reason());
            return {std::move(added)};
        }
        default: return {};
    }
}

Collector::Collector(Stamp stamp, const Form& form)
    : stamp_(std::move(stamp)), form_(form), pieces_(form), generated_(form.prompts * form.generated) {
    for (Choice& choice : generated_) {
        choice.finish_reason = FinishReason::stop;
        if (form.logprobs)
            choice.logprobs.emplace();
    }
}

void Collector::add(const Event& event) {
    for (Choice& added : pieces_.add(event)) {
        Choice& choice = generated_[static_cast<std::size_t>(added.index)];
        choice.text += added.text;
        if (added.logprobs)
            append(*std::move(added.logprobs), *choice.logprobs);
        if (added.finish_reason)
            choice.finish_reason = added.finish_reason;
    }
    if (event.has_finished())
        usage_ = chat::to_usage(event.finished().usage());
}

Completion Collector::completion() const {
    Completion completion{.id = stamp_.id,
                          .created = stamp_.created,
                          .model = stamp_.model,
                          .choices = {},
                          .usage = std::optional(usage_),
                          .system_fingerprint = stamp_.system_fingerprint};
    std::vector<std::size_t> order(form_.generated);
    for (std::size_t prompt = 0; prompt < form_.prompts; ++prompt) {
        std::iota(order.begin(), order.end(), prompt * form_.generated);
        if (form_.generated > form_.wanted)
            std::ranges::sort(order, [this](std::size_t a, std::size_t b) {
                return std::pair(-pieces_.quality(a), a) < std::pair(-pieces_.quality(b), b);
            });
        for (std::size_t i = 0; i < form_.wanted; ++i) {
            Choice& choice = completion.choices.emplace_back(generated_[order[i]]);
            choice.index = static_cast<std::int32_t>(prompt * form_.wanted + i);
        }
    }
    return completion;
}

Completion ChunkWriter::chunk() const {
    Completion chunk{.id = stamp_.id,
                     .created = stamp_.created,
                     .model = stamp_.model,
                     .choices = {},
                     .usage = {},
                     .system_fingerprint = stamp_.system_fingerprint};
    if (form_.include_usage)
        chunk.usage.emplace();
    return chunk;
}

std::vector<Completion> ChunkWriter::add(const Event& event) {
    std::vector<Completion> chunks;
    for (Choice& piece : pieces_.add(event)) {
        chunks.push_back(chunk());
        chunks.back().choices.push_back(std::move(piece));
    }
    if (event.has_finished() && form_.include_usage) {
        chunks.push_back(chunk());
        chunks.back().usage = std::optional(chat::to_usage(event.finished().usage()));
    }
    return chunks;
}

}  // namespace gateway::api::completions
