#include "gateway/api/responses/render.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gateway/api/chat/logprobs.hpp"
#include "schema/schema.hpp"

namespace gateway::api::responses {
namespace {

namespace contract = llm_gateway::engine::v1;

/// Input items are counted from here, output items from 0.
constexpr std::size_t first_input_number = 0x8000;
constexpr std::size_t number_digits = 4;
constexpr std::string_view response_prefix = "resp_";

std::string_view random_part(std::string_view response_id) {
    return response_id.substr(std::min(response_prefix.size(), response_id.size()));
}

Usage to_usage(const contract::Usage& usage) {
    return {.input_tokens = usage.prompt_tokens(),
            .input_tokens_details = {.cached_tokens = usage.cached_tokens()},
            .output_tokens = usage.completion_tokens(),
            .output_tokens_details = {.reasoning_tokens = usage.reasoning_tokens()},
            .total_tokens = std::int64_t{usage.prompt_tokens()} + usage.completion_tokens()};
}

OutputText& text_of(Item& item) {
    return std::get<OutputText>(std::get<std::vector<ContentPart>>(std::get<Message>(item.held).content).front());
}

std::string& thoughts_of(Item& item) {
    return std::get<Reasoning>(item.held).content->front().text;
}

std::string_view terminal_type(Status status) {
    switch (status) {
        case Status::completed: return "response.completed";
        case Status::failed: return "response.failed";
        default: return "response.incomplete";  // OpenAI has no event of its own for cancelled ones
    }
}

}  // namespace

std::string item_id(std::string_view prefix, std::string_view response_id, std::size_t number) {
    return fmt::format("{}_{}{:04x}", prefix, random_part(response_id), number);
}

std::string input_item_id(std::string_view prefix, std::string_view response_id, std::size_t number) {
    return item_id(prefix, response_id, first_input_number + number);
}

std::string response_of_item(std::string_view item_id) {
    const auto start = item_id.rfind('_');
    if (start == std::string_view::npos || item_id.size() - start - 1 <= number_digits)
        return {};
    item_id.remove_prefix(start + 1);
    item_id.remove_suffix(number_digits);
    return fmt::format("{}{}", response_prefix, item_id);
}

Problem to_problem(const base::Error& error) {
    switch (error.code) {
        case base::ErrorCode::invalid:
        case base::ErrorCode::context_length:
        case base::ErrorCode::unsupported: return {.code = "invalid_prompt", .message = error.message};
        case base::ErrorCode::busy: return {.code = "rate_limit_exceeded", .message = error.message};
        // As in http/: what happened inside is for the log.
        case base::ErrorCode::internal:
            return {.code = "server_error", .message = "The server failed to complete this response."};
        default: return {.code = "server_error", .message = error.message};
    }
}

Renderer::Renderer(Response response, Streaming streaming) : response_(std::move(response)), streaming_(streaming) {}

template <typename Made>
void Renderer::emit(Made event) {
    if (streaming_ == Streaming::off)
        return;
    event.sequence_number = next_number_++;
    schema::Value value = schema::to_json(event);
    made_.push_back({.type = std::string(value.at("type").as_string()), .data = schema::write_json(value)});
}

void Renderer::emit_state(std::string type) {
    if (streaming_ == Streaming::on)  // the response may be large
        emit(ResponseEvent{.type = std::move(type), .sequence_number = 0, .response = response_});
}

void Renderer::emit_item(std::string type) {
    if (streaming_ == Streaming::on)
        emit(ItemEvent{.type = std::move(type),
                       .sequence_number = 0,
                       .output_index = output_index(),
                       .item = response_.output.back()});
}

std::vector<StreamEvent> Renderer::begin() {
    emit_state("response.created");
    emit_state(response_.status == Status::queued ? "response.queued" : "response.in_progress");
    return std::exchange(made_, {});
}

void Renderer::start_working() {
    if (response_.status != Status::queued)
        return;
    response_.status = Status::in_progress;
    emit_state("response.in_progress");
}

std::vector<StreamEvent> Renderer::add(const backends::Event& event) {
    switch (event.event_case()) {
        case backends::Event::kStarted: start_working(); break;
        case backends::Event::kText: add_text(event.text()); break;
        case backends::Event::kReasoning: add_reasoning(event.reasoning()); break;
        case backends::Event::kToolCall: add_call(event.tool_call()); break;
        case backends::Event::kChoiceFinished: cut_off_ = event.choice_finished().reason() == contract::LENGTH; break;
        case backends::Event::kFinished: response_.usage = to_usage(event.finished().usage()); break;
        default: break;
    }
    return std::exchange(made_, {});
}

Status Renderer::natural_status() const {
    return cut_off_ ? Status::incomplete : Status::completed;
}

std::vector<StreamEvent> Renderer::end(Ending ending) {
    const bool whole = ending.status == Status::completed;
    // Clients look for a text in every complete answer.
    if (whole && response_.output.empty())
        open_message();
    close(whole ? ItemStatus::completed : ItemStatus::incomplete);
    response_.status = ending.status;
    response_.error = std::move(ending.error);
    response_.completed_at = whole ? ending.completed_at : std::nullopt;
    if (ending.status == Status::incomplete)
        response_.incomplete_details = IncompleteDetails{.reason = "max_output_tokens"};
    emit_state(std::string(terminal_type(ending.status)));
    return std::exchange(made_, {});
}

void Renderer::add_text(const contract::TextDelta& text) {
    if (text.text().empty())  // tokens of a call's end are no text
        return;
    if (!open_ || !std::holds_alternative<Message>(response_.output.back().held))
        open_message();
    OutputText& part = text_of(response_.output.back());
    part.text += text.text();
    std::vector<chat::TokenLogprob> logprobs = chat::to_logprobs(text.tokens());
    part.logprobs.insert(part.logprobs.end(), logprobs.begin(), logprobs.end());
    emit(TextDelta{.sequence_number = 0, .place = place(), .delta = text.text(), .logprobs = std::move(logprobs)});
}

void Renderer::add_reasoning(const contract::ReasoningDelta& reasoning) {
    if (reasoning.text().empty())
        return;
    if (!open_ || !std::holds_alternative<Reasoning>(response_.output.back().held))
        open_reasoning();
    thoughts_of(response_.output.back()) += reasoning.text();
    emit(ReasoningDelta{.sequence_number = 0, .place = place(), .delta = reasoning.text()});
}

void Renderer::add_call(const contract::ToolCallDelta& call) {
    if (!open_ || open_call_ != call.index())
        open_call(call);
    auto& held = std::get<FunctionCall>(response_.output.back().held);
    if (call.arguments().empty())
        return;
    held.arguments += call.arguments();
    emit(ArgumentsDelta{
        .sequence_number = 0, .item_id = *held.id, .output_index = output_index(), .delta = call.arguments()});
}

void Renderer::open_message() {
    close(ItemStatus::completed);
    start_working();
    response_.output.push_back({Message{.id = item_id("msg", response_.id, response_.output.size()),
                                        .status = ItemStatus::in_progress,
                                        .role = Role::assistant,
                                        .content = std::vector<ContentPart>{}}});
    emit_item("response.output_item.added");
    std::get<std::vector<ContentPart>>(std::get<Message>(response_.output.back().held).content)
        .emplace_back(OutputText{});
    emit_part("response.content_part.added");
    open_ = true;
}

void Renderer::open_reasoning() {
    close(ItemStatus::completed);
    start_working();
    response_.output.push_back({Reasoning{.id = item_id("rs", response_.id, response_.output.size()),
                                          .summary = {},
                                          .content = std::vector<ReasoningText>{},
                                          .status = ItemStatus::in_progress}});
    emit_item("response.output_item.added");
    std::get<Reasoning>(response_.output.back().held).content->emplace_back();
    emit_part("response.content_part.added");
    open_ = true;
}

void Renderer::open_call(const contract::ToolCallDelta& call) {
    close(ItemStatus::completed);
    start_working();
    const std::size_t number = response_.output.size();
    response_.output.push_back(
        {FunctionCall{.id = item_id("fc", response_.id, number),
                      // Workers name their calls; this is for one that does not.
                      .call_id = call.id().empty() ? item_id("call", response_.id, number) : call.id(),
                      .name = call.name(),
                      .arguments = {},
                      .status = ItemStatus::in_progress}});
    emit_item("response.output_item.added");
    open_ = true;
    open_call_ = call.index();
}

void Renderer::close(ItemStatus status) {
    if (!std::exchange(open_, false))
        return;
    open_call_.reset();
    Item& item = response_.output.back();
    if (auto* message = std::get_if<Message>(&item.held)) {
        message->status = status;
        const OutputText& part = text_of(item);
        emit(TextDone{.sequence_number = 0, .place = place(), .text = part.text, .logprobs = part.logprobs});
        emit_part("response.content_part.done");
    } else if (auto* reasoning = std::get_if<Reasoning>(&item.held)) {
        reasoning->status = status;
        emit(ReasoningDone{.sequence_number = 0, .place = place(), .text = thoughts_of(item)});
        emit_part("response.content_part.done");
    } else if (auto* call = std::get_if<FunctionCall>(&item.held)) {
        call->status = status;
        emit(ArgumentsDone{.sequence_number = 0,
                           .item_id = *call->id,
                           .output_index = output_index(),
                           .name = call->name,
                           .arguments = call->arguments});
    }
    emit_item("response.output_item.done");
}

PartPlace Renderer::place() const {
    return {.item_id = id_of(response_.output.back()), .output_index = output_index(), .content_index = 0};
}

void Renderer::emit_part(std::string type) {
    if (streaming_ == Streaming::off)
        return;
    Item& item = response_.output.back();
    Part part;
    if (std::holds_alternative<Message>(item.held))
        part = text_of(item);
    else
        part = ReasoningText{.text = thoughts_of(item)};
    emit(PartEvent{.type = std::move(type), .sequence_number = 0, .place = place(), .part = std::move(part)});
}

}  // namespace gateway::api::responses
