#include "gateway/api/messages/prompt.hpp"

#include <algorithm>
#include <string_view>

#include "base/base64.hpp"
#include "gateway/api/image_address.hpp"
#include "schema/schema.hpp"

namespace gateway::api::messages {
namespace {

namespace contract = llm_gateway::engine::v1;
using schema::FaultKind;
using schema::Reading;

/// Adds one message after the other; one overload for each kind of message, then for each kind of block.
class Converter {
public:
    Converter(const contract::ModelFacts* facts, contract::Chat& chat) : facts_(facts), chat_(chat) {}

    void add(const UserMessage& message, const Reading& reading) {
        if (const auto* text = std::get_if<std::string>(&message.content)) {
            last_of("user").add_content()->set_text(*text);
            return;
        }
        const auto& blocks = std::get<std::vector<UserBlock>>(message.content);
        const Reading list = reading.at("content");
        // Templates want results right behind the calls.
        for (std::size_t i = 0; i < blocks.size(); ++i)
            if (const auto* result = std::get_if<ToolResultBlock>(&blocks[i]))
                add_result(*result, list.at(i));
        for (std::size_t i = 0; i < blocks.size(); ++i)
            if (!std::holds_alternative<ToolResultBlock>(blocks[i]))
                add_block(blocks[i], last_of("user"), list.at(i));
    }

    void add(const AssistantMessage& message, const Reading& reading) {
        auto& added = last_of("assistant");
        if (const auto* text = std::get_if<std::string>(&message.content)) {
            added.add_content()->set_text(*text);
            return;
        }
        const auto& blocks = std::get<std::vector<AssistantBlock>>(message.content);
        const Reading list = reading.at("content");
        for (std::size_t i = 0; i < blocks.size(); ++i)
            add_block(blocks[i], added, list.at(i));
    }

    void add(const SystemMessage& message, const Reading&) { add_system(message.content, chat_); }

private:
    contract::ChatMessage& start(const char* role) {
        auto& added = *chat_.add_messages();
        added.set_role(role);
        return added;
    }

    /// Messages of one role in a row are one.
    contract::ChatMessage& last_of(const char* role) {
        const int count = chat_.messages_size();
        return count > 0 && chat_.messages(count - 1).role() == role ? *chat_.mutable_messages(count - 1) : start(role);
    }

    void add_result(const ToolResultBlock& result, const Reading& reading) {
        auto& added = start("tool");
        added.set_tool_call_id(result.tool_use_id);
        added.set_name(name_of_call(result.tool_use_id));
        if (result.is_error.value_or(false))
            added.add_content()->set_text("Error:");
        if (!result.content) {
            added.add_content()->set_text("");
        } else if (const auto* text = std::get_if<std::string>(&*result.content)) {
            added.add_content()->set_text(*text);
        } else {
            const auto& blocks = std::get<1>(*result.content);
            const Reading list = reading.at("content");
            for (std::size_t i = 0; i < blocks.size(); ++i)
                add_block(blocks[i], added, list.at(i));
        }
    }

    /// Some templates know results by the function that returned them.
    std::string name_of_call(const std::string& id) const {
        for (int i = chat_.messages_size(); i-- > 0;)
            for (const auto& call : chat_.messages(i).tool_calls())
                if (call.id() == id)
                    return call.name();
        return {};
    }

    template <typename... Blocks>
    void add_block(const std::variant<Blocks...>& block, contract::ChatMessage& message, const Reading& reading) {
        std::visit([&](const auto& held) { add_block(held, message, reading); }, block);
    }

    static void add_block(const TextBlock& block, contract::ChatMessage& message, const Reading&) {
        message.add_content()->set_text(block.text);
    }

    static void add_block(const DocumentBlock& block, contract::ChatMessage& message, const Reading&) {
        std::string text;
        for (const auto* line : {&block.title, &block.context})
            if (*line)
                text.append(**line).append("\n");
        message.add_content()->set_text(text + block.source.data);
    }

    void add_block(const ImageBlock& block, contract::ChatMessage& message, const Reading& reading) const {
        if (facts_ != nullptr && !facts_->text().images()) {
            reading.fault(FaultKind::not_allowed, "is a picture, and this model cannot see");
            return;
        }
        const Reading source = reading.at("source");
        const auto* file = std::get_if<Base64Source>(&block.source);
        if (file == nullptr) {
            add_image(std::get<UrlSource>(block.source).url, *message.add_content()->mutable_image(), source.at("url"));
            return;
        }
        auto data = base::decode_base64(file->data);
        if (!data) {
            source.at("data").fault(FaultKind::not_allowed, "is not base64");
            return;
        }
        auto& image = *message.add_content()->mutable_image();
        image.set_data(*std::move(data));
        image.set_media_type(file->media_type);
    }

    /// Never reached: results are messages of their own.
    static void add_block(const ToolResultBlock&, contract::ChatMessage&, const Reading&) {}

    static void add_block(const ThinkingBlock& block, contract::ChatMessage& message, const Reading&) {
        message.mutable_reasoning()->append(block.thinking);
    }

    static void add_block(const RedactedThinkingBlock&, contract::ChatMessage&, const Reading&) {}

    static void add_block(const ToolUseBlock& block, contract::ChatMessage& message, const Reading&) {
        auto& call = *message.add_tool_calls();
        call.set_id(block.id);
        call.set_name(block.name);
        call.set_arguments(schema::write_json(block.input));
    }

    const contract::ModelFacts* facts_;
    contract::Chat& chat_;
};

/// Claude Code begins its instructions with a line for billing that changes with every request: it tells the model
/// nothing, and nothing that is behind it could be used again.
std::string_view without_billing(std::string_view text) {
    constexpr std::string_view start = "x-anthropic-billing-header:";
    if (!text.starts_with(start))
        return text;
    text.remove_prefix(start.size());
    // "name=value;" again and again, without space inside.
    while (true) {
        const auto begin = std::min(text.find_first_not_of(' '), text.size());
        const auto end = text.find_first_of("; \n", begin);
        const auto attribute = text.substr(begin, end == text.npos ? 0 : end - begin);
        if (!attribute.contains('=') || text[end] != ';')
            return text;
        text.remove_prefix(end + 1);
    }
}

}  // namespace

void add_messages(const std::vector<Message>& messages, const contract::ModelFacts* facts, contract::Chat& chat,
                  const Reading& reading) {
    Converter converter(facts, chat);
    for (std::size_t i = 0; i < messages.size(); ++i)
        std::visit([&](const auto& message) { converter.add(message, reading.at(i)); }, messages[i]);
}

void add_system(const Text& text, contract::Chat& chat) {
    auto& added = *chat.add_messages();
    added.set_role("system");
    if (const auto* whole = std::get_if<std::string>(&text)) {
        added.add_content()->set_text(std::string(without_billing(*whole)));
        return;
    }
    for (const TextBlock& block : std::get<std::vector<TextBlock>>(text))
        if (const auto read = without_billing(block.text); !read.empty() || block.text.empty())
            added.add_content()->set_text(std::string(read));
}

}  // namespace gateway::api::messages
