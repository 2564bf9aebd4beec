#pragma once

/// Bodies that are forms (multipart/form-data), read through the same field tables as JSON: `read_form` beside
/// `read_request`. A text field becomes what its table says, "7" a number and "true" a boolean; `name` given several
/// times, or `name[]`, is a list; what is nested comes as JSON text. Files are fields of the type `File`.

#include <optional>
#include <string>
#include <utility>

#include "gateway/api/request_body.hpp"
#include "http/multipart.hpp"

namespace gateway::api {

/// A file that was sent with a form.
struct File {
    std::string bytes;
};

/// Read from a part that is a file, and from nothing else. In documents binary text.
const schema::Shape& describe(schema::Type<File>);

/// Whether the body says that it is a form.
bool has_form(const http::Request& request);

/// The parts as the object that JSON would be, for `table`. Faults are those of the form itself: text where a file
/// belongs, a field twice that is no list.
schema::Value form_value(const std::vector<http::Part>& parts, const schema::ObjectShape& table,
                         schema::Faults& faults);

/// Adds those about places that nothing is said of yet.
void add_faults(schema::Faults more, schema::Faults& faults);

/// The body as a T. When it is none, the faults have been sent and nothing is returned. The bytes of the body are gone
/// then.
template <typename T>
http::asio::awaitable<std::optional<T>> read_form(http::Exchange& exchange) {
    const std::string body = std::exchange(exchange.request().body, {});
    const auto type = exchange.request().headers.find("Content-Type");
    const auto parts = http::parse_multipart(type.value_or(""), body);
    if (!parts) {
        co_await exchange.send_error(parts.error());
        co_return std::nullopt;
    }
    schema::Faults faults;
    auto parsed = schema::parse_value<T>(form_value(*parts, describe(schema::Type<T>{}), faults));
    if (!parsed)
        add_faults(std::move(parsed.error()), faults);
    if (!faults.empty()) {
        co_await exchange.send_errors(to_errors(faults));
        co_return std::nullopt;
    }
    report_ignored(exchange, parsed->unknown, parsed->ignored);
    co_return std::move(parsed->value);
}

/// The body of the form that an example stands for, with the boundary "example": `"<...>"` is a file.
std::string example_form(const schema::Value& example);

/// What is wrong with an example.
template <typename T>
schema::Faults validate_form(const schema::Value& example) {
    const std::string body = example_form(example);
    const auto parts = http::parse_multipart("multipart/form-data; boundary=example", body);
    if (!parts)
        return {{.kind = schema::FaultKind::syntax, .message = parts.error().message}};
    schema::Faults faults;
    add_faults(schema::validate<T>(form_value(*parts, describe(schema::Type<T>{}), faults)), faults);
    return faults;
}

}  // namespace gateway::api
