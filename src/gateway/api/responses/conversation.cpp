#include "gateway/api/responses/conversation.hpp"

#include <utility>

namespace gateway::api::responses {
namespace {

template <typename... Ts>
struct Overloaded : Ts... {
    using Ts::operator()...;
};

std::string joined(const Content& content) {
    if (const auto* text = std::get_if<std::string>(&content))
        return *text;
    std::string joined;
    for (const ContentPart& part : std::get<std::vector<ContentPart>>(content))
        std::visit(Overloaded{[&](const InputText& text) { joined += text.text; },
                              [&](const OutputText& text) { joined += text.text; },
                              [&](const Refusal& refusal) { joined += refusal.refusal; }, [](const InputImage&) {}},
                   part);
    return joined;
}

/// Part i of the content stays part i, so that complaints find it.
chat::UserContent to_user_content(const Content& content) {
    if (const auto* text = std::get_if<std::string>(&content))
        return *text;
    std::vector<std::variant<chat::TextPart, chat::ImagePart, chat::AudioPart>> parts;
    for (const ContentPart& part : std::get<std::vector<ContentPart>>(content))
        std::visit(
            Overloaded{[&](const InputText& text) { parts.emplace_back(chat::TextPart{text.text}); },
                       [&](const OutputText& text) { parts.emplace_back(chat::TextPart{text.text}); },
                       [&](const Refusal& refusal) { parts.emplace_back(chat::TextPart{refusal.refusal}); },
                       [&](const InputImage& image) { parts.emplace_back(chat::ImagePart{{.url = image.image_url}}); }},
            part);
    return parts;
}

template <typename Texts>
std::string joined_texts(const Texts& texts) {
    std::string joined;
    for (const auto& text : texts)
        joined += (joined.empty() ? "" : "\n") + text.text;
    return joined;
}

class Converter {
public:
    void add(const PlacedItem& placed) {
        std::visit([&](const auto& item) { add(item, placed.path); }, placed.item.held);
    }

    Conversation finish() {
        flush();
        return std::move(conversation_);
    }

private:
    void add(const Message& message, const std::string& path) {
        if (message.role == Role::assistant) {
            if (pending_.content || pending_.tool_calls)
                flush();
            pending_.content = joined(message.content);
            pending_path_ = path;
            return;
        }
        flush();
        if (message.role == Role::system)
            push(chat::SystemMessage{joined(message.content)}, path);
        else if (message.role == Role::developer)
            push(chat::DeveloperMessage{joined(message.content)}, path);
        else
            push(chat::UserMessage{to_user_content(message.content)}, path);
    }

    void add(const FunctionCall& call, const std::string& path) {
        if (call.status == ItemStatus::incomplete)
            return;
        if (!pending_.tool_calls)
            pending_.tool_calls.emplace();
        pending_.tool_calls->push_back(
            {.id = call.call_id, .function = {.name = call.name, .arguments = call.arguments}});
        pending_path_ = path;
    }

    void add(const FunctionCallOutput& output, const std::string& path) {
        flush();
        const auto* text = std::get_if<std::string>(&output.output);
        push(
            chat::ToolMessage{
                .content = text != nullptr ? *text : joined_texts(std::get<std::vector<InputText>>(output.output)),
                .tool_call_id = output.call_id},
            path);
    }

    void add(const Reasoning& reasoning, const std::string& path) {
        if (pending_.content || pending_.tool_calls)
            flush();
        const std::string text = reasoning.content && !reasoning.content->empty() ? joined_texts(*reasoning.content)
                                                                                  : joined_texts(reasoning.summary);
        if (text.empty())
            return;
        pending_.reasoning_content = pending_.reasoning_content ? *pending_.reasoning_content + "\n" + text : text;
        pending_path_ = path;
    }

    static void add(const ItemReference&, const std::string&) {}

    void flush() {
        if (!pending_.content && !pending_.tool_calls && !pending_.reasoning_content)
            return;
        if (!pending_.content && !pending_.tool_calls)
            pending_.content = std::string();
        push(std::exchange(pending_, {}), pending_path_);
    }

    void push(chat::Message message, std::string path) {
        conversation_.messages.push_back(std::move(message));
        conversation_.paths.push_back(std::move(path));
    }

    Conversation conversation_;
    /// The assistant's message that is not complete yet.
    chat::AssistantMessage pending_;
    std::string pending_path_;
};

}  // namespace

Conversation to_messages(const std::vector<PlacedItem>& items) {
    Converter converter;
    for (const PlacedItem& placed : items)
        converter.add(placed);
    return converter.finish();
}

}  // namespace gateway::api::responses
