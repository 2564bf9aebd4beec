#include "gateway/api/chat/content.hpp"

#include "base/base64.hpp"
#include "gateway/api/image_address.hpp"

namespace gateway::api::chat {
namespace {

namespace contract = llm_gateway::engine::v1;
using schema::FaultKind;
using schema::Reading;

/// Adds one message after the other; one overload for each kind of message, then for each kind of part.
class Converter {
public:
    Converter(const contract::ModelFacts* facts, contract::Chat& chat) : facts_(facts), chat_(chat) {}

    void add(const SystemMessage& message, const Reading& reading) { add_plain("system", message, reading); }
    void add(const DeveloperMessage& message, const Reading& reading) { add_plain("developer", message, reading); }
    void add(const UserMessage& message, const Reading& reading) { add_plain("user", message, reading); }

    void add(const AssistantMessage& message, const Reading& reading) {
        auto& added = start("assistant");
        if (message.content)
            add_content(*message.content, added, reading.at("content"));
        if (message.refusal)
            added.add_content()->set_text(*message.refusal);
        added.set_reasoning(message.reasoning_content.value_or(""));
        if (message.tool_calls)
            for (const ToolCall& call : *message.tool_calls)
                add_call(call.id, call.function, added);
        if (message.function_call)
            add_call("", *message.function_call, added);
    }

    void add(const ToolMessage& message, const Reading& reading) {
        auto& added = start("tool");
        added.set_tool_call_id(message.tool_call_id);
        add_content(message.content, added, reading.at("content"));
    }

    void add(const FunctionMessage& message, const Reading&) {
        auto& added = start("tool");
        added.set_name(message.name);
        added.add_content()->set_text(message.content.value_or(""));
    }

private:
    contract::ChatMessage& start(const char* role) {
        auto& added = *chat_.add_messages();
        added.set_role(role);
        return added;
    }

    template <typename M>
    void add_plain(const char* role, const M& message, const Reading& reading) {
        auto& added = start(role);
        add_content(message.content, added, reading.at("content"));
    }

    static void add_call(const std::string& id, const FunctionCall& function, contract::ChatMessage& message) {
        auto& call = *message.add_tool_calls();
        call.set_id(id);
        call.set_name(function.name);
        call.set_arguments(function.arguments.empty() ? "{}" : function.arguments);
    }

    template <typename Parts>
    void add_content(const std::variant<std::string, Parts>& content, contract::ChatMessage& message,
                     const Reading& reading) {
        if (const auto* text = std::get_if<std::string>(&content)) {
            message.add_content()->set_text(*text);
            return;
        }
        const Parts& parts = std::get<Parts>(content);
        for (std::size_t i = 0; i < parts.size(); ++i)
            add_part(parts[i], *message.add_content(), reading.at(i));
    }

    template <typename... Parts>
    void add_part(const std::variant<Parts...>& part, contract::ContentPart& added, const Reading& reading) {
        std::visit([&](const auto& held) { add_part(held, added, reading); }, part);
    }

    void add_part(const TextPart& part, contract::ContentPart& added, const Reading&) { added.set_text(part.text); }
    void add_part(const RefusalPart& part, contract::ContentPart& added, const Reading&) {
        added.set_text(part.refusal);
    }

    void add_part(const ImagePart& part, contract::ContentPart& added, const Reading& reading) {
        if (facts_ != nullptr && !facts_->text().images()) {
            reading.fault(FaultKind::not_allowed, "is a picture, and this model cannot see");
            return;
        }
        const Reading image = reading.at("image_url");
        const Reading address = image.at("url");
        add_image(part.image_url.url, *added.mutable_image(), address);
    }

    void add_part(const AudioPart& part, contract::ContentPart& added, const Reading& reading) {
        if (facts_ != nullptr && !facts_->text().audio()) {
            reading.fault(FaultKind::not_allowed, "is sound, and this model cannot hear");
            return;
        }
        auto data = base::decode_base64(part.input_audio.data);
        if (!data) {
            const Reading audio = reading.at("input_audio");
            audio.at("data").fault(FaultKind::not_allowed, "is not base64");
            return;
        }
        added.mutable_audio()->set_data(*std::move(data));
        added.mutable_audio()->set_media_type(part.input_audio.format == InputAudio::Format::wav ? "audio/wav"
                                                                                                 : "audio/mpeg");
    }

    const contract::ModelFacts* facts_;
    contract::Chat& chat_;
};

}  // namespace

void add_messages(const std::vector<Message>& messages, const contract::ModelFacts* facts, contract::Chat& chat,
                  const Reading& reading) {
    Converter converter(facts, chat);
    for (std::size_t i = 0; i < messages.size(); ++i)
        std::visit([&](const auto& message) { converter.add(message, reading.at(i)); }, messages[i]);
}

}  // namespace gateway::api::chat
