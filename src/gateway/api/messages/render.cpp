#include "gateway/api/messages/render.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "schema/schema.hpp"

namespace gateway::api::messages {
namespace {

namespace contract = llm_gateway::engine::v1;
using backends::Event;

constexpr const char* unsigned_thinking = "unsigned";

/// Workers name their calls; this is for one that does not.
std::string call_id(const std::string& answer_id, const contract::ToolCallDelta& call) {
    return call.id().empty() ? fmt::format("toolu_{}_{}", answer_id, call.index()) : call.id();
}

}  // namespace

// ---------------------------------------------------------------- Account

void Account::count(std::uint32_t prompt_tokens, std::uint32_t cached_tokens) {
    const std::int64_t evaluated = std::int64_t{prompt_tokens} - cached_tokens;
    counts_.cache_read_input_tokens = cached_tokens;
    counts_.input_tokens = asked_.keep ? 0 : evaluated;
    counts_.cache_creation_input_tokens = asked_.keep ? evaluated : 0;
}

void Account::add(const Event& event) {
    if (event.has_prompt_progress()) {
        count(event.prompt_progress().total_tokens(), event.prompt_progress().cached_tokens());
    } else if (event.has_choice_finished()) {
        reason_ = event.choice_finished().reason();
        stop_ = event.choice_finished().stop();
    } else if (event.has_finished()) {
        const auto& usage = event.finished().usage();
        count(usage.prompt_tokens(), usage.cached_tokens());
        counts_.output_tokens = usage.completion_tokens();
        counts_.output_tokens_details.thinking_tokens = usage.reasoning_tokens();
    }
}

Ending Account::ending() const {
    switch (reason_) {
        case contract::TOOL_CALLS: return {.stop_reason = StopReason::tool_use, .stop_sequence = {}};
        case contract::LENGTH:
            return {.stop_reason = counts_.output_tokens < asked_.max_tokens ? StopReason::model_context_window_exceeded
                                                                             : StopReason::max_tokens,
                    .stop_sequence = {}};
        default: break;
    }
    // Chat templates have stop texts too.
    if (std::ranges::find(asked_.stop_sequences, stop_) == asked_.stop_sequences.end())
        return {.stop_reason = StopReason::end_turn, .stop_sequence = {}};
    return {.stop_reason = StopReason::stop_sequence, .stop_sequence = stop_};
}

Answer Account::empty_answer() const {
    return {.id = asked_.id,
            .model = asked_.model,
            .content = {},
            .stop_reason = {},
            .stop_sequence = {},
            .usage = {counts_}};
}

// ---------------------------------------------------------------- Collector

template <typename Block>
Block& Collector::last_or_new() {
    if (content_.empty() || !std::holds_alternative<Block>(content_.back()))
        content_.emplace_back(Block{});
    return std::get<Block>(content_.back());
}

void Collector::add(const Event& event) {
    account_.add(event);
    switch (event.event_case()) {
        case Event::kText:
            if (event.text().text().empty())
                break;
            finish_call();
            last_or_new<AnswerText>().text += event.text().text();
            break;
        case Event::kReasoning: {
            finish_call();
            auto& block = last_or_new<ThinkingBlock>();
            block.thinking += event.reasoning().text();
            block.signature = unsigned_thinking;
            break;
        }
        case Event::kToolCall: {
            const auto& call = event.tool_call();
            if (call_ != call.index()) {
                finish_call();
                call_ = call.index();
                content_.emplace_back(
                    AnswerToolUse{.id = call_id(account_.empty_answer().id, call), .name = {}, .input = {}});
            }
            std::get<AnswerToolUse>(content_.back()).name += call.name();
            arguments_ += call.arguments();
            break;
        }
        case Event::kChoiceFinished: finish_call(); break;
        default: break;
    }
}

void Collector::finish_call() {
    if (!std::exchange(call_, std::nullopt))
        return;
    // Text that is no object was cut off, and the reason of the ending says so.
    if (auto input = schema::read_json(std::exchange(arguments_, {})); input && input->is_object())
        std::get<AnswerToolUse>(content_.back()).input = std::move(input->get_object());
}

Answer Collector::answer() const {
    Answer answer = account_.empty_answer();
    answer.content = content_;
    const Ending ending = account_.ending();
    answer.stop_reason = ending.stop_reason;
    answer.stop_sequence = ending.stop_sequence;
    return answer;
}

// ---------------------------------------------------------------- EventWriter

void EventWriter::begin(std::vector<StreamEvent>& events) {
    if (!std::exchange(begun_, true)) {
        events.emplace_back(MessageStart{account_.empty_answer()});
        events.emplace_back(Ping{});
    }
}

void EventWriter::close(std::vector<StreamEvent>& events) {
    if (open_ == Open::nothing)
        return;
    if (open_ == Open::thinking)
        events.emplace_back(BlockDelta{.index = index_, .delta = SignatureDelta{unsigned_thinking}});
    events.emplace_back(BlockStop{index_});
    open_ = Open::nothing;
    ++index_;
}

void EventWriter::open(Open kind, AnswerBlock block, std::vector<StreamEvent>& events) {
    begin(events);
    close(events);
    events.emplace_back(BlockStart{.index = index_, .content_block = std::move(block)});
    open_ = kind;
}

void EventWriter::add_call(const contract::ToolCallDelta& call, std::vector<StreamEvent>& events) {
    if (open_ != Open::call || call_ != call.index()) {
        open(Open::call,
             AnswerToolUse{.id = call_id(account_.empty_answer().id, call), .name = call.name(), .input = {}}, events);
        call_ = call.index();
    }
    if (!call.arguments().empty())
        events.emplace_back(BlockDelta{.index = index_, .delta = InputJsonDelta{call.arguments()}});
}

std::vector<StreamEvent> EventWriter::add(const Event& event) {
    account_.add(event);
    std::vector<StreamEvent> events;
    switch (event.event_case()) {
        case Event::kPromptProgress: begin(events); break;
        case Event::kText:
            if (event.text().text().empty())
                break;
            if (open_ != Open::text)
                open(Open::text, AnswerText{}, events);
            events.emplace_back(BlockDelta{.index = index_, .delta = TextDelta{event.text().text()}});
            break;
        case Event::kReasoning:
            if (open_ != Open::thinking)
                open(Open::thinking, ThinkingBlock{}, events);
            events.emplace_back(BlockDelta{.index = index_, .delta = ThinkingDelta{event.reasoning().text()}});
            break;
        case Event::kToolCall: add_call(event.tool_call(), events); break;
        case Event::kFinished:
            begin(events);
            close(events);
            events.emplace_back(MessageDelta{.delta = account_.ending(), .usage = {account_.counts()}});
            events.emplace_back(MessageStop{});
            break;
        default: break;
    }
    return events;
}

std::string name_of(const StreamEvent& event) {
    return std::visit(
        []<typename T>(const T&) {
            const schema::Value* type = schema::shape_of<T>().constant_at("type");
            return std::string(type->get_string());
        },
        event);
}

}  // namespace gateway::api::messages
