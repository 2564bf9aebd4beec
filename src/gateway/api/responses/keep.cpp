#include "gateway/api/responses/keep.hpp"

#include <utility>

#include "gateway/api/responses/record.hpp"
#include "schema/schema.hpp"

namespace gateway::api::responses {
namespace {

struct KeptItems {
    std::vector<Item> items;
};

const schema::Object<KeptItems>& describe(schema::Type<KeptItems>) {
    static const auto table = schema::Object<KeptItems>("", "").field("items", &KeptItems::items);
    return table;
}

bool is_under_way(Status status) {
    return status == Status::queued || status == Status::in_progress;
}

void name(Message& message, const std::string& response_id, std::size_t number) {
    if (!message.id)
        message.id = input_item_id("msg", response_id, number);
    message.status = ItemStatus::completed;
    if (auto* text = std::get_if<std::string>(&message.content)) {
        ContentPart part = message.role == Role::assistant ? ContentPart(OutputText{.text = std::move(*text)})
                                                           : ContentPart(InputText{std::move(*text)});
        message.content = std::vector<ContentPart>{std::move(part)};
    }
}

void name(FunctionCall& call, const std::string& response_id, std::size_t number) {
    if (!call.id)
        call.id = input_item_id("fc", response_id, number);
    call.status = call.status.value_or(ItemStatus::completed);
}

void name(FunctionCallOutput& output, const std::string& response_id, std::size_t number) {
    if (!output.id)
        output.id = input_item_id("fco", response_id, number);
    output.status = output.status.value_or(ItemStatus::completed);
}

void name(Reasoning& reasoning, const std::string& response_id, std::size_t number) {
    if (!reasoning.id)
        reasoning.id = input_item_id("rs", response_id, number);
}

void name(ItemReference&, const std::string&, std::size_t) {}

}  // namespace

std::vector<Item> to_kept_items(const std::vector<PlacedItem>& items, const std::string& response_id) {
    std::vector<Item> kept;
    kept.reserve(items.size());
    for (const PlacedItem& placed : items) {
        const std::size_t number = kept.size();
        std::visit([&](auto& held) { name(held, response_id, number); }, kept.emplace_back(placed.item).held);
    }
    return kept;
}

store::Entry to_entry(std::string owner, const Response& response, const std::vector<Item>& input) {
    return {.key = {.kind = store::Kind::response, .owner = std::move(owner), .id = response.id},
            .created = response.created_at,
            .model = response.model,
            .previous = response.previous_response_id.value_or(""),
            .metadata = response.metadata,
            .body = schema::to_text(response),
            .input = schema::to_text(KeptItems{input}),
            .events = {}};
}

Response to_response(const store::Entry& entry) {
    auto parsed = schema::parse<Response>(entry.body);
    if (!parsed)
        return {.id = entry.key.id, .created_at = entry.created, .status = Status::failed, .model = entry.model};
    Response response = std::move(parsed->value);
    if (is_under_way(response.status)) {
        response.status = Status::failed;
        response.error = Problem{.code = "server_error", .message = "The server ended before the response."};
    }
    return response;
}

std::vector<Item> to_input(const store::Entry& entry) {
    auto parsed = schema::parse<KeptItems>(entry.input);
    return parsed ? std::move(parsed->value.items) : std::vector<Item>{};
}

std::vector<PlacedItem> to_conversation(const std::vector<store::Entry>& entries) {
    std::vector<PlacedItem> items;
    const auto add = [&](std::vector<Item> more) {
        for (Item& item : more)
            items.push_back({.item = std::move(item), .path = "previous_response_id"});
    };
    for (const store::Entry& entry : entries) {
        add(to_input(entry));
        add(to_response(entry).output);
    }
    return items;
}

std::vector<StreamEvent> replay(const store::Entry& entry, std::int64_t after) {
    const Response whole = to_response(entry);
    Response start = whole;
    start.status = Status::queued;
    start.output.clear();
    start.usage.reset();
    start.error.reset();
    start.incomplete_details.reset();
    start.completed_at.reset();
    Renderer renderer(std::move(start), Streaming::on);
    std::vector<StreamEvent> events;
    const auto add = [&](std::vector<StreamEvent> more) {
        events.insert(events.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    };
    add(renderer.begin());
    for (const backends::Event& event : read_record(entry.events))
        add(renderer.add(event));
    add(renderer.end({.status = whole.status, .error = whole.error, .completed_at = whole.completed_at}));
    events.erase(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(
                                                      static_cast<std::size_t>(after + 1), events.size())));
    return events;
}

}  // namespace gateway::api::responses
