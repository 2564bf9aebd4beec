#pragma once

/// One row of the table of endpoints: enough to route it and to document it.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gateway/api/endpoints.hpp"
#include "gateway/api/form_body.hpp"
#include "gateway/api/streamed_event.hpp"
#include "schema/schema.hpp"

namespace gateway::api {

/// A body in one media type.
struct Content {
    std::string media_type = "application/json";
    /// The schema, which may add named ones to the components; of a stream that of one event. Empty: any text.
    std::function<boost::json::object(schema::Components&)> schema = {};
    /// By name; shown in the documentation and tried by tests.
    std::vector<std::pair<std::string, schema::Value>> examples = {};
    /// What is wrong with a value as such a body; unknown fields are.
    std::function<schema::Faults(const schema::Value&)> validate = {};
};

/// What the browser's forms and clients' uploads send (form_body.hpp). In examples "<...>" stands for a file.
template <typename T>
Content form(std::vector<std::pair<std::string, schema::Value>> examples = {}) {
    return {.media_type = "multipart/form-data",
            .schema = &schema::document<T>,
            .examples = std::move(examples),
            .validate = &validate_form<T>};
}

template <typename T>
Content json(std::vector<std::pair<std::string, schema::Value>> examples = {}) {
    return {.schema = &schema::document<T>, .examples = std::move(examples), .validate = &schema::validate<T>};
}

/// A stream of server-sent events. `name` is that of the schema of one event.
Content event_stream(std::string name, std::string doc, std::vector<StreamedEvent> events,
                     std::vector<std::pair<std::string, schema::Value>> examples = {});

struct Answer {
    int status = 200;
    std::string doc;
    std::vector<Content> contents = {};
};

struct Endpoint {
    http::Method method = http::Method::get;
    std::string path;
    /// The operation's name in generated clients.
    std::string id;
    std::string tag;
    std::string summary;
    std::string doc = {};
    http::Access access = http::Access::key;
    std::optional<Content> body = {};
    /// The same request in other media types.
    std::vector<Content> other_bodies = {};
    /// OpenAPI's parameters in the query (query.hpp); empty: none.
    std::function<boost::json::array(schema::Components&)> query = {};
    /// It runs an image or upscale job.
    bool draws = false;
    std::vector<Answer> answers;
    /// Statuses that come with an error in `error_form`.
    std::vector<int> errors = {};
    http::ErrorForm error_form = http::ErrorForm::openai;
    std::function<http::Handler(const Services&)> handler;
};

/// The table, in the order of the documentation.
std::span<const Endpoint> endpoints();

}  // namespace gateway::api
