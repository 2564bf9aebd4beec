// Tables of the tools and of the answer's form.
#include "gateway/api/chat/types.hpp"

namespace gateway::api::chat {

const schema::Object<Function>& describe(schema::Type<Function>) {
    static const auto table =
        schema::Object<Function>("Function", "A function that the model may ask to be called.")
            .field("name", &Function::name,
                   {.doc = "Its name.", .required = true, .min_length = 1, .max_length = 256, .example = "get_weather"})
            .field("description", &Function::description, {.doc = "What it does, for the model to read."})
            .field("parameters", &Function::parameters,
                   {.doc = "Its arguments as a JSON Schema; without it there are none.",
                    .example = {{"type", "object"}, {"properties", {{"city", {{"type", "string"}}}}}}})
            .field("strict", &Function::strict, {.doc = "The arguments must match the schema exactly."});
    return table;
}

const schema::Object<Tool>& describe(schema::Type<Tool>) {
    static const auto table = schema::Object<Tool>("Tool", "Something the model may ask for; always a function.")
                                  .constant("type", "function")
                                  .field("function", &Tool::function, {.doc = "The function.", .required = true});
    return table;
}

const schema::Object<FunctionName>& describe(schema::Type<FunctionName>) {
    static const auto table =
        schema::Object<FunctionName>("FunctionName", "Names a function.")
            .field("name", &FunctionName::name, {.doc = "One of `tools`.", .required = true, .min_length = 1});
    return table;
}

const schema::Object<NamedTool>& describe(schema::Type<NamedTool>) {
    static const auto table = schema::Object<NamedTool>("NamedTool", "Names one tool.")
                                  .constant("type", "function")
                                  .field("function", &NamedTool::function, {.doc = "Which one.", .required = true});
    return table;
}

const schema::Enum<AllowedTools::Mode>& describe(schema::Type<AllowedTools::Mode>) {
    using enum AllowedTools::Mode;
    static const schema::Enum<AllowedTools::Mode> names({{"auto", automatic}, {"required", required}});
    return names;
}

const schema::Object<AllowedTools>& describe(schema::Type<AllowedTools>) {
    static const auto table =
        schema::Object<AllowedTools>("AllowedTools", "Some of the tools.")
            .field("mode", &AllowedTools::mode,
                   {.doc = "`auto`: the model may call one of them. `required`: it must.", .required = true})
            .field("tools", &AllowedTools::tools, {.doc = "Which ones.", .required = true, .min_items = 1});
    return table;
}

const schema::Object<AllowedToolsChoice>& describe(schema::Type<AllowedToolsChoice>) {
    static const auto table =
        schema::Object<AllowedToolsChoice>("AllowedToolsChoice", "Only some of `tools` may be called in this answer.")
            .constant("type", "allowed_tools")
            .field("allowed_tools", &AllowedToolsChoice::allowed_tools, {.doc = "Which ones.", .required = true});
    return table;
}

const schema::Enum<ToolChoiceMode>& describe(schema::Type<ToolChoiceMode>) {
    using enum ToolChoiceMode;
    static const schema::Enum<ToolChoiceMode> names(
        {{"none", none}, {"auto", automatic}, {"required", required}},
        "`none`: no call. `auto`: the model decides. `required`: at least one call.");
    return names;
}

const schema::Object<PlainText>& describe(schema::Type<PlainText>) {
    static const auto table = schema::Object<PlainText>("ResponseFormatText", "Any text.").constant("type", "text");
    return table;
}

const schema::Object<JsonObject>& describe(schema::Type<JsonObject>) {
    static const auto table =
        schema::Object<JsonObject>("ResponseFormatJsonObject", "Some JSON object.").constant("type", "json_object");
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
            .field("strict", &NamedSchema::strict,
                   {.doc = "The answer matches the schema exactly; it always does here."});
    return table;
}

const schema::Object<JsonSchema>& describe(schema::Type<JsonSchema>) {
    static const auto table =
        schema::Object<JsonSchema>("ResponseFormatJsonSchema", "JSON that matches a schema.")
            .constant("type", "json_schema")
            .field("json_schema", &JsonSchema::json_schema, {.doc = "The schema.", .required = true});
    return table;
}

}  // namespace gateway::api::chat
