#include "gateway/api/error_body.hpp"

namespace gateway::api {

const schema::Object<OneFault>& describe(schema::Type<OneFault>) {
    static const auto table =
        schema::Object<OneFault>("Fault", "One of several faults.")
            .field("param", &OneFault::param,
                   {.doc = "Path of the field.", .required = true, .example = "messages[0].role"})
            .field("message", &OneFault::message, {.doc = "What is wrong with it.", .required = true})
            .field("code", &OneFault::code, {.doc = "For programs.", .required = true});
    return table;
}

const schema::Object<ErrorDetails>& describe(schema::Type<ErrorDetails>) {
    static const auto table =
        schema::Object<ErrorDetails>("Error", "What is wrong.")
            .field("message", &ErrorDetails::message, {.doc = "For people.", .required = true})
            .field("type", &ErrorDetails::type,
                   {.doc = "`invalid_request_error`, `rate_limit_error` or `server_error`.", .required = true})
            .field("param", &ErrorDetails::param, {.doc = "Path of the field at fault, or null.", .required = true})
            .field("code", &ErrorDetails::code,
                   {.doc = "For programs, e.g. `model_not_found` or `context_length_exceeded`.", .required = true})
            .field("errors", &ErrorDetails::errors, {.doc = "Extension: every fault, when there are several."});
    return table;
}

const schema::Object<ErrorBody>& describe(schema::Type<ErrorBody>) {
    static const auto table = schema::Object<ErrorBody>("ErrorResponse", "Every error looks like this.")
                                  .field("error", &ErrorBody::error, {.doc = "What is wrong.", .required = true});
    return table;
}

}  // namespace gateway::api
