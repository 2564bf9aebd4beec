// The OpenAPI document, made from the table of endpoints and the field tables of their types.
#include <fmt/format.h>

#include "gateway/api/endpoint.hpp"
#include "gateway/api/error_body.hpp"
#include "gateway/api/messages/answer.hpp"
#include "http/errors.hpp"

namespace gateway::api {
namespace {

using boost::json::array;
using boost::json::object;

object document_content(const Content& content, schema::Components& components) {
    object described{{"schema", content.schema ? content.schema(components) : object{{"type", "string"}}}};
    if (!content.examples.empty()) {
        object examples;
        for (const auto& [name, value] : content.examples)
            examples[name] = object{{"value", value}};
        described["examples"] = std::move(examples);
    }
    return described;
}

object document_headers(const Endpoint& endpoint, int status) {
    const auto header = [](const char* doc) {
        return object{{"description", doc}, {"schema", object{{"type", "string"}}}};
    };
    object headers{{"x-request-id", header("Name of the request in the server's log.")}};
    if (endpoint.body || endpoint.query)
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
        case 415: return "The body is not JSON.";
        case 429: return "The queue is full.";
        case 500: return "A fault of the server.";
        case 503: return "The model is loading or restarting, or the server is ending.";
        case 504: return "The answer took longer than a request may take.";
        case 529: return error_doc(503);
        default: return http::reason_phrase(status);
    }
}

object document_answers(const Endpoint& endpoint, schema::Components& components) {
    object answers;
    for (const Answer& answer : endpoint.answers) {
        object described{{"description", answer.doc}, {"headers", document_headers(endpoint, answer.status)}};
        object contents;
        for (const Content& content : answer.contents)
            contents[content.media_type] = document_content(content, components);
        if (!contents.empty())
            described["content"] = std::move(contents);
        answers[std::to_string(answer.status)] = std::move(described);
    }
    const Content error =
        endpoint.error_form == http::ErrorForm::anthropic ? json<messages::ErrorBody>() : json<ErrorBody>();
    for (const int status : endpoint.errors)
        answers[std::to_string(status)] =
            object{{"description", error_doc(status)},
                   {"headers", document_headers(endpoint, status)},
                   {"content", object{{"application/json", document_content(error, components)}}}};
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
    if (endpoint.body)
        operation["requestBody"] =
            object{{"required", true},
                   {"content", object{{endpoint.body->media_type, document_content(*endpoint.body, components)}}}};
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
    const auto tag = [](const char* name, const char* doc) { return object{{"name", name}, {"description", doc}}; };
    return {
        {"openapi", "3.1.0"},
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
        {"tags", array{tag("Chat", "Text models."), tag("Responses", "Text models, with conversations that are kept."),
                       tag("Messages", "The same models for Anthropic's clients."), tag("Images", "Image models."),
                       tag("Models", "What there is."), tag("Operations", "For those who run the server."),
                       tag("Documentation", "For those who use it.")}},
        {"paths", std::move(paths)},
        {"components",
         object{{"securitySchemes", object{{"bearer", object{{"type", "http"},
                                                             {"scheme", "bearer"},
                                                             {"description", "One of the configured API keys."}}}}},
                {"schemas", components.schemas()}}},
    };
}

}  // namespace

const std::string& openapi_document() {
    static const std::string document = schema::write_json_indented(make_document());
    return document;
}

}  // namespace gateway::api
