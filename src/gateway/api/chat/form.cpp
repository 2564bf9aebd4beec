#include "gateway/api/chat/form.hpp"

#include <fmt/format.h>

#include <boost/json/array.hpp>

#include "gateway/api/strict_schema.hpp"
#include "schema/json.hpp"
#include "schema/schema.hpp"

namespace gateway::api::chat {
namespace {

using llm_gateway::engine::v1::OutputFormat;
using schema::FaultKind;
using schema::Reading;

OutputFormat any_object() {
    OutputFormat format;
    format.set_json_object(true);
    return format;
}

OutputFormat by_schema(const std::optional<boost::json::object>& schema) {
    if (!schema || schema->empty())
        return any_object();
    OutputFormat format;
    format.set_json_schema(schema::write_json(*schema));
    return format;
}

OutputFormat by_schema(const SchemaOrText& schema) {
    if (const auto* object = std::get_if<boost::json::object>(&schema))
        return by_schema(std::optional(*object));
    OutputFormat format;
    format.set_json_schema(std::get<std::string>(schema));
    return format;
}

OutputFormat by_grammar(std::string grammar) {
    OutputFormat format;
    format.set_grammar(std::move(grammar));
    return format;
}

OutputFormat by_regex(std::string regex) {
    OutputFormat format;
    format.set_regex(std::move(regex));
    return format;
}

/// A grammar for one of these texts.
OutputFormat one_of(const std::vector<std::string>& choices) {
    std::string grammar = "root ::= ";
    for (std::size_t i = 0; i < choices.size(); ++i) {
        grammar += i == 0 ? "\"" : " | \"";
        for (const char character : choices[i])
            switch (character) {
                case '\n': grammar += "\\n"; break;
                case '\r': grammar += "\\r"; break;
                case '\t': grammar += "\\t"; break;
                case '"':
                case '\\': grammar += '\\'; [[fallthrough]];
                default: grammar += character;
            }
        grammar += '"';
    }
    return by_grammar(std::move(grammar));
}

std::optional<Form> form_of(const ResponseFormat& format) {
    if (const auto* object = std::get_if<JsonObject>(&format))
        return Form{.path = object->schema ? "response_format.schema" : "response_format",
                    .format = by_schema(object->schema)};
    if (const auto* named = std::get_if<JsonSchema>(&format))
        return Form{.path = "response_format.json_schema.schema", .format = by_schema(named->json_schema.schema)};
    return std::nullopt;
}

void add_forms(const StructuredOutputs& outputs, std::vector<Form>& forms) {
    if (outputs.json)
        forms.push_back({.path = "structured_outputs.json", .format = by_schema(*outputs.json)});
    if (outputs.json_object.value_or(false))
        forms.push_back({.path = "structured_outputs.json_object", .format = any_object()});
    if (outputs.choice)
        forms.push_back({.path = "structured_outputs.choice", .format = one_of(*outputs.choice)});
    if (outputs.regex)
        forms.push_back({.path = "structured_outputs.regex", .format = by_regex(*outputs.regex)});
    if (outputs.grammar)
        forms.push_back({.path = "structured_outputs.grammar", .format = by_grammar(*outputs.grammar)});
}

std::optional<std::string> check_text(const std::optional<SchemaOrText>& schema) {
    const auto* text = schema ? std::get_if<std::string>(&*schema) : nullptr;
    if (text == nullptr)
        return std::nullopt;
    const auto value = schema::read_json(*text);
    if (value && value->is_object())
        return std::nullopt;
    return "must be a JSON Schema or the JSON text of one";
}

void check_one_form(const FormFields& fields, const Reading& reading) {
    const auto forms = forms_of(fields);
    for (std::size_t i = 1; i < forms.size(); ++i) {
        const std::string field = forms[i].path.substr(0, forms[i].path.find('.'));
        reading.at(field).fault(FaultKind::rule, "cannot be given together with " + forms[0].path);
    }
}

constexpr const char* vllm = "Extension of vLLM. ";

}  // namespace

std::vector<Form> forms_of(const FormFields& fields) {
    std::vector<Form> forms;
    if (fields.response_format)
        if (auto form = form_of(*fields.response_format))
            forms.push_back(*std::move(form));
    if (fields.grammar)
        forms.push_back({.path = "grammar", .format = by_grammar(*fields.grammar)});
    if (fields.json_schema)
        forms.push_back({.path = "json_schema", .format = by_schema(fields.json_schema)});
    if (fields.guided_json)
        forms.push_back({.path = "guided_json", .format = by_schema(*fields.guided_json)});
    if (fields.guided_choice)
        forms.push_back({.path = "guided_choice", .format = one_of(*fields.guided_choice)});
    if (fields.guided_regex)
        forms.push_back({.path = "guided_regex", .format = by_regex(*fields.guided_regex)});
    if (fields.guided_grammar)
        forms.push_back({.path = "guided_grammar", .format = by_grammar(*fields.guided_grammar)});
    if (fields.structured_outputs)
        add_forms(*fields.structured_outputs, forms);
    return forms;
}

const schema::Object<PlainText>& describe(schema::Type<PlainText>) {
    static const auto table = schema::Object<PlainText>("ResponseFormatText", "Any text.").constant("type", "text");
    return table;
}

const schema::Object<JsonObject>& describe(schema::Type<JsonObject>) {
    static const auto table = schema::Object<JsonObject>("ResponseFormatJsonObject", "Some JSON object.")
                                  .constant("type", "json_object")
                                  .field("schema", &JsonObject::schema,
                                         {.doc = "Extension of llama.cpp. A JSON Schema that the object must match."});
    return table;
}

const schema::Object<NamedSchema>& describe(schema::Type<NamedSchema>) {
    static const auto table =
        schema::Object<NamedSchema>("NamedSchema", "A JSON Schema with a name.")
            .field("name", &NamedSchema::name, {.doc = "A name for it.", .required = true, .example = "person"})
            .ignored<std::string>("description", {.doc = "Accepted without effect: say it in the messages."})
            .field("schema", &NamedSchema::schema,
                   {.doc = "The JSON Schema; without it any object will do.",
                    .example = {{"type", "object"},
                                {"properties", {{"name", {{"type", "string"}}}}},
                                {"required", boost::json::array{"name"}}}})
            .field(
                "strict", &NamedSchema::strict,
                {.doc =
                     "The answer matches the schema exactly; it always does here. When this is true, the schema must "
                     "be one that OpenAI takes: see docs/structured-output.md."})
            .check([](const NamedSchema& named, const Reading& reading) {
                if (named.schema && named.strict.value_or(false))
                    check_strict_schema(*named.schema, reading.at("schema"));
            });
    return table;
}

const schema::Object<JsonSchema>& describe(schema::Type<JsonSchema>) {
    static const auto table =
        schema::Object<JsonSchema>("ResponseFormatJsonSchema", "JSON that matches a schema.")
            .constant("type", "json_schema")
            .field("json_schema", &JsonSchema::json_schema, {.doc = "The schema.", .required = true});
    return table;
}

const schema::Object<StructuredOutputs>& describe(schema::Type<StructuredOutputs>) {
    using T = StructuredOutputs;
    static const auto table =
        schema::Object<T>("StructuredOutputs", "What an answer must look like; one of these.")
            .field("json", &T::json, {.doc = "A JSON Schema, or its text."}, check_text)
            .field("json_object", &T::json_object, {.doc = "Some JSON object."})
            .field("choice", &T::choice,
                   {.doc = "One of these texts.", .min_length = 1, .min_items = 1, .max_items = 1000})
            .field("regex", &T::regex, {.doc = "A regular expression that the whole answer matches.", .min_length = 1})
            .field("grammar", &T::grammar, {.doc = "A GBNF grammar.", .min_length = 1});
    return table;
}

const schema::Object<FormFields>& describe(schema::Type<FormFields>) {
    using F = FormFields;
    static const auto table =
        schema::Object<F>("Form", "The form of the answer.")
            .field("response_format", &F::response_format,
                   {.doc = "The form that the answer must have. Beside tools, the form of an answer that calls none."})
            .field("grammar", &F::grammar,
                   {.doc = "Extension of llama.cpp. A GBNF grammar that the answer must match.", .min_length = 1})
            .field("json_schema", &F::json_schema,
                   {.doc = "Extension of llama.cpp. A JSON Schema that the answer must match."})
            .field("guided_json", &F::guided_json,
                   {.doc = fmt::format("{}The same, or the text of one.", vllm), .deprecated = true}, check_text)
            .field("guided_choice", &F::guided_choice,
                   {.doc = fmt::format("{}The answer is one of these texts.", vllm),
                    .deprecated = true,
                    .min_length = 1,
                    .min_items = 1,
                    .max_items = 1000})
            .field("guided_regex", &F::guided_regex,
                   {.doc = fmt::format("{}A regular expression that the whole answer matches.", vllm),
                    .deprecated = true,
                    .min_length = 1})
            .field("guided_grammar", &F::guided_grammar,
                   {.doc = fmt::format("{}As `grammar`.", vllm), .deprecated = true, .min_length = 1})
            .field("structured_outputs", &F::structured_outputs,
                   {.doc = fmt::format("{}What the answer must look like.", vllm)})
            .check(check_one_form);
    return table;
}

}  // namespace gateway::api::chat
