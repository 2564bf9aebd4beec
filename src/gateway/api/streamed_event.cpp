#include "gateway/api/streamed_event.hpp"

#include <boost/json/array.hpp>

#include "gateway/api/endpoint.hpp"

namespace gateway::api {
namespace {

using boost::json::array;
using boost::json::object;

object document_event(const StreamedEvent& event, schema::Components& components) {
    object properties;
    array required{"data"};
    if (!event.names.empty()) {
        array names(event.names.begin(), event.names.end());
        properties["event"] = names.size() == 1 ? object{{"const", names[0]}} : object{{"enum", std::move(names)}};
        required.emplace_back("event");
    }
    properties["data"] = event.data ? object{{"type", "string"},
                                             {"contentMediaType", "application/json"},
                                             {"contentSchema", event.data(components)}}
                                    : object{{"const", event.text}};
    return {{"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}};
}

}  // namespace

StreamedEvent done() {
    return {.text = "[DONE]"};
}

Content event_stream(std::string name, std::string doc, std::vector<StreamedEvent> events,
                     std::vector<std::pair<std::string, schema::Value>> examples) {
    const auto schema = [name = std::move(name), doc = std::move(doc),
                         events = std::move(events)](schema::Components& components) {
        // A stream may be in several rows of the table.
        static const char identity = 0;
        return components.refer(name, &identity, [&] {
            array kinds;
            for (const StreamedEvent& event : events)
                kinds.push_back(document_event(event, components));
            return object{{"description", doc}, {"anyOf", std::move(kinds)}};
        });
    };
    return {.media_type = "text/event-stream", .schema = schema, .examples = std::move(examples)};
}

}  // namespace gateway::api
