// The OpenAPI document, made from the table of endpoints and the field tables of their types.
#include <fmt/format.h>

#include <boost/json/parse.hpp>

#include "gateway/api/answer_examples.hpp"
#include "gateway/api/endpoint.hpp"
#include "gateway/api/error_body.hpp"
#include "gateway/api/messages/answer.hpp"
#include "http/errors.hpp"

namespace gateway::api {
namespace {

using boost::json::array;
using boost::json::object;

object document_content(const Content& content, schema::Components& components) {
    object schema = content.schema ? content.schema(components) : object{{"type", "string"}};
    object described;
    if (content.media_type == "text/event-stream") {
        described["schema"] = object{{"type", "array"}, {"items", schema}};
        described["itemSchema"] = std::move(schema);
    } else {
        described["schema"] = std::move(schema);
    }
    if (!content.examples.empty()) {
        object examples;
        for (const auto& [name, value] : content.examples)
            examples[name] = object{{"value", value}};
        described["examples"] = std::move(examples);
    }
    return described;
}

/// What the answer to an image or upscale job tells of its place in the line.
object document_job_headers() {
    const auto header = [](const char* doc, const char* type) {
        return object{{"description", doc}, {"schema", object{{"type", type}}}};
    };
    return {{"x-job-id", header("Extension: name of the job, for `/v1/images/jobs`.", "string")},
            {"x-queue-position", header("Extension: jobs that ran before it when it came.", "integer")},
            {"x-predicted-seconds",
             header("Extension: how long it was to take when it came; not there while the model has drawn nothing to "
                    "tell from.",
                    "number")}};
}

object document_headers(bool takes_fields, int status) {
    const auto header = [](const char* doc) {
        return object{{"description", doc}, {"schema", object{{"type", "string"}}}};
    };
    object headers{{"x-request-id", header("Name of the request in the server's log.")}};
    if (takes_fields)
        headers["x-ignored-fields"] = header("Fields of the request that had no effect, separated by commas.");
    if (status == 429 || status == 503 || status == 529)
        headers["Retry-After"] = header("Seconds to wait before another try.");
    return headers;
}

std::string_view error_doc(int status) {
    switch (status) {
        case 400: return "The request is not valid; every fault is listed.";
        case 401: return "The API key is missing or wrong.";
        case 404: return "There is no such model, file or kept answer.";
        case 408: return "The body did not arrive in time.";
        case 413: return "The body, or what the request needs, is too large.";
        case 415: return "The body has another type than those described.";
        case 429: return "The queue is full.";
        case 499: return "The job was cancelled.";
        case 500: return "A fault of the server.";
        case 503: return "The model is loading or restarting, or the server is ending.";
        case 504: return "The answer took longer than a request may take.";
        case 529: return error_doc(503);
        default: return http::reason_phrase(status);
    }
}

/// An error as it is sent with this status.
base::Error example_error(int status) {
    using base::ErrorCode;
    const auto error = [](ErrorCode code, std::string message, std::string param = {}) {
        return base::Error{.code = code, .message = std::move(message), .param = std::move(param), .retry_after = {}};
    };
    switch (status) {
        case 400: return error(ErrorCode::invalid, "temperature: must be between 0 and 2, not 7", "temperature");
        case 401: return error(ErrorCode::unauthorized, "The API key is missing or wrong.");
        case 404: return error(ErrorCode::not_found, "There is no model \"gpt-9\".", "model");
        case 413: return error(ErrorCode::too_large, "The body is larger than the limit of 33554432 bytes.");
        case 429: return error(ErrorCode::busy, "The queue is full.");
        case 499: return error(ErrorCode::cancelled, "The job was cancelled.");
        case 503:
        case 529: return error(ErrorCode::unavailable, "The model is loading.");
        case 504:
            return error(ErrorCode::deadline, "The answer was not complete within the time that a request may take.");
        default: return error(ErrorCode::internal, "");
    }
}

schema::Value example_body(int status, http::ErrorForm form) {
    constexpr const char* id = "req-1";
    if (status == 408)
        return boost::json::parse(
            http::protocol_error(status, "The body did not arrive in time.", "request_timeout", id, form).body);
    if (status == 415)
        return boost::json::parse(
            http::protocol_error(status, "The body must be application/json.", "unsupported_media_type", id, form)
                .body);
    return boost::json::parse(http::error_body(example_error(status), id, form));
}

/// Name of the answer with this error among the components.
std::string error_name(int status, http::ErrorForm form) {
    return fmt::format("{}Error{}", form == http::ErrorForm::anthropic ? "Messages" : "", status);
}

/// What answers have in common, by name.
object document_errors(schema::Components& components) {
    object errors;
    for (const Endpoint& endpoint : endpoints())
        for (const int status : endpoint.errors) {
            const bool anthropic = endpoint.error_form == http::ErrorForm::anthropic;
            Content content = anthropic ? json<messages::ErrorBody>() : json<ErrorBody>();
            content.examples = {{"error", example_body(status, endpoint.error_form)}};
            errors[error_name(status, endpoint.error_form)] =
                object{{"description", error_doc(status)},
                       {"headers", document_headers(true, status)},
                       {"content", object{{"application/json", document_content(content, components)}}}};
        }
    return errors;
}

object document_answers(const Endpoint& endpoint, schema::Components& components) {
    object answers;
    for (const Answer& answer : endpoint.answers) {
        object described{{"description", answer.doc},
                         {"headers", document_headers(endpoint.body || endpoint.query, answer.status)}};
        if (endpoint.draws)
            for (const auto& header : document_job_headers())
                described["headers"].as_object().insert(header);
        object contents;
        for (Content content : answer.contents) {
            if (content.media_type == "application/json")
                content.examples = answer_examples(endpoint.id);
            contents[content.media_type] = document_content(content, components);
        }
        if (!contents.empty())
            described["content"] = std::move(contents);
        answers[std::to_string(answer.status)] = std::move(described);
    }
    for (const int status : endpoint.errors)
        answers[std::to_string(status)] =
            object{{"$ref", "#/components/responses/" + error_name(status, endpoint.error_form)}};
    return answers;
}

/// "/v1/models/{model...}" -> "/v1/models/{model}", as OpenAPI writes it; the parameters are added to `parameters`.
std::string document_path(std::string_view pattern, array& parameters) {
    std::string path;
    while (!pattern.empty()) {
        const auto open = pattern.find('{');
        path += pattern.substr(0, open);
        if (open == std::string_view::npos)
            break;
        const auto close = pattern.find('}', open);
        std::string_view name = pattern.substr(open + 1, close - open - 1);
        const bool rest = name.ends_with("...");
        if (rest)
            name.remove_suffix(3);
        parameters.push_back(object{{"name", name},
                                    {"in", "path"},
                                    {"required", true},
                                    {"description", rest ? "May contain slashes." : "One name."},
                                    {"schema", object{{"type", "string"}}}});
        path += fmt::format("{{{}}}", name);
        pattern.remove_prefix(close + 1);
    }
    return path;
}

std::string method_key(http::Method method) {
    std::string key(http::to_string(method));
    for (char& character : key)
        if (character >= 'A' && character <= 'Z')
            character = static_cast<char>(character - 'A' + 'a');
    return key;
}

void add_endpoint(const Endpoint& endpoint, object& paths, schema::Components& components) {
    array parameters;
    const std::string path = document_path(endpoint.path, parameters);
    if (endpoint.query)
        for (schema::Value& parameter : endpoint.query(components))
            parameters.push_back(std::move(parameter));
    object operation{{"operationId", endpoint.id}, {"tags", array{endpoint.tag}}, {"summary", endpoint.summary}};
    if (!endpoint.doc.empty())
        operation["description"] = endpoint.doc;
    if (!parameters.empty())
        operation["parameters"] = std::move(parameters);
    if (endpoint.body) {
        object contents{{endpoint.body->media_type, document_content(*endpoint.body, components)}};
        for (const Content& other : endpoint.other_bodies)
            contents[other.media_type] = document_content(other, components);
        operation["requestBody"] = object{{"required", true}, {"content", std::move(contents)}};
    }
    operation["responses"] = document_answers(endpoint, components);
    if (endpoint.access == http::Access::open)
        operation["security"] = array{};
    if (!paths.contains(path))
        paths[path] = object{};
    paths[path].as_object()[method_key(endpoint.method)] = std::move(operation);
}

object make_document() {
    schema::Components components;
    object paths;
    for (const Endpoint& endpoint : endpoints())
        add_endpoint(endpoint, paths, components);
    object errors = document_errors(components);
    const auto tag = [](const char* name, const char* doc) { return object{{"name", name}, {"description", doc}}; };
    return {
        // 3.2 is the first version that describes the events of a stream.
        {"openapi", "3.2.0"},
        {"info",
         object{
             {"title", "llm-gateway"},
             {"version", LLM_GATEWAY_VERSION},
             {"description",
              "Chat and pictures on CPU servers, with OpenAI's API: point a client's base URL at `/v1`. What OpenAI's "
              "documentation does not have is marked as an extension."},
             {"license", object{{"name", "MIT"}, {"identifier", "MIT"}}}}},
        {"servers", array{object{{"url", "/"}}}},
        // Keys are optional: a server without any takes every request.
        {"security", array{object{}, object{{"bearer", array{}}}}},
        {"tags",
         array{tag("Chat", "Text models."), tag("Responses", "Text models, with conversations that are kept."),
               tag("Messages", "The same models for Anthropic's clients."),
               tag("Completions", "Text models, without a conversation."),
               tag("Embeddings", "Models that read and do not write."),
               tag("Tokens", "What a model makes of a text, without evaluating it."), tag("Images", "Image models."),
               tag("AUTOMATIC1111", "The same models for clients of that web UI's API."),
               tag("Models", "What there is."), tag("Operations", "For those who run the server."),
               tag("Documentation", "For those who use it.")}},
        {"paths", std::move(paths)},
        {"components",
         object{{"securitySchemes", object{{"bearer", object{{"type", "http"},
                                                             {"scheme", "bearer"},
                                                             {"description", "One of the configured API keys."}}}}},
                {"responses", std::move(errors)},
                {"schemas", components.schemas()}}},
    };
}

}  // namespace

const std::string& openapi_document() {
    static const std::string document = schema::write_json_indented(make_document());
    return document;
}

}  // namespace gateway::api
