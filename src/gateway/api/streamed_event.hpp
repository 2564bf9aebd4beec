#pragma once

/// Server-sent events in the documentation: each kind with its name and the type of its data.

#include <functional>
#include <string>
#include <vector>

#include "schema/schema.hpp"

namespace gateway::api {

struct StreamedEvent {
    /// What `event:` may say; empty: the event has no name.
    std::vector<std::string> names = {};
    /// The schema of the JSON in the data. Empty: the data are always `text`.
    std::function<boost::json::object(schema::Components&)> data = {};
    std::string text = {};
};

/// An event without a name whose data are a T.
template <typename T>
StreamedEvent unnamed() {
    return {.data = &schema::document<T>};
}

/// An event whose data are a T and whose name is T's constant `type`, or one of `names` where T has no such constant.
template <typename T>
StreamedEvent named(std::vector<std::string> names = {}) {
    if (names.empty())
        names.emplace_back(schema::shape_of<T>().constant_at("type")->as_string());
    return {.names = std::move(names), .data = &schema::document<T>};
}

/// The last event of OpenAI's older streams.
StreamedEvent done();

}  // namespace gateway::api
