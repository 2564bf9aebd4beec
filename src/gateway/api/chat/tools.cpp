#include "gateway/api/chat/tools.hpp"

#include <algorithm>

#include "gateway/api/strict_schema.hpp"
#include "schema/schema.hpp"

namespace gateway::api::chat {
namespace {

namespace contract = llm_gateway::engine::v1;
using schema::FaultKind;
using schema::Reading;

const std::vector<Tool>& tools_of(const ToolFields& fields) {
    static const std::vector<Tool> none;
    return fields.tools ? *fields.tools : none;
}

void check_names(const ToolFields& fields, const Reading& reading) {
    const auto& tools = tools_of(fields);
    const Reading list = reading.at("tools");
    for (std::size_t i = 0; i < tools.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (tools[i].function.name == tools[j].function.name) {
                const Reading tool = list.at(i);
                const Reading function = tool.at("function");
                function.at("name").fault(FaultKind::rule, "is the name of another tool as well");
                break;
            }
}

void check_choice(const ToolFields& fields, const Reading& reading) {
    if (!fields.tool_choice)
        return;
    const Reading choice = reading.at("tool_choice");
    const auto check_name = [&](const std::string& name) {
        const auto has_name = [&](const Tool& tool) { return tool.function.name == name; };
        if (std::ranges::none_of(tools_of(fields), has_name))
            choice.fault(FaultKind::rule, "names the function \"" + name + "\", which is not among the tools");
    };
    if (const auto* mode = std::get_if<ToolChoiceMode>(&*fields.tool_choice)) {
        if (*mode == ToolChoiceMode::required && tools_of(fields).empty())
            choice.fault(FaultKind::rule, "cannot be \"required\" without tools");
    } else if (const auto* named = std::get_if<NamedTool>(&*fields.tool_choice)) {
        check_name(named->function.name);
    } else if (const auto* allowed = std::get_if<AllowedToolsChoice>(&*fields.tool_choice)) {
        for (const auto& tool : allowed->allowed_tools.tools)
            check_name(tool.function.name);
    }
}

void set_choice(const ToolFields& fields, contract::ToolChoice& choice) {
    choice.set_mode(contract::ToolChoice::AUTO);
    if (!fields.tool_choice)
        return;
    if (const auto* mode = std::get_if<ToolChoiceMode>(&*fields.tool_choice)) {
        if (*mode == ToolChoiceMode::none)
            choice.set_mode(contract::ToolChoice::NONE);
        else if (*mode == ToolChoiceMode::required)
            choice.set_mode(contract::ToolChoice::REQUIRED);
    } else if (const auto* named = std::get_if<NamedTool>(&*fields.tool_choice)) {
        choice.set_mode(contract::ToolChoice::NAMED);
        choice.set_name(named->function.name);
    } else if (const auto* allowed = std::get_if<AllowedToolsChoice>(&*fields.tool_choice)) {
        if (allowed->allowed_tools.mode == AllowedTools::Mode::required)
            choice.set_mode(contract::ToolChoice::REQUIRED);
    }
}

}  // namespace

bool offers_tools(const ToolFields& fields) {
    const auto* mode = fields.tool_choice ? std::get_if<ToolChoiceMode>(&*fields.tool_choice) : nullptr;
    return !tools_of(fields).empty() && !(mode != nullptr && *mode == ToolChoiceMode::none);
}

void to_tools(const ToolFields& fields, contract::Chat& chat) {
    const auto* allowed = fields.tool_choice ? std::get_if<AllowedToolsChoice>(&*fields.tool_choice) : nullptr;
    const auto is_allowed = [&](const std::string& name) {
        return allowed == nullptr || std::ranges::any_of(allowed->allowed_tools.tools, [&](const NamedTool& tool) {
                   return tool.function.name == name;
               });
    };
    for (const Tool& tool : tools_of(fields)) {
        if (!is_allowed(tool.function.name))
            continue;
        auto* added = chat.add_tools();
        added->set_name(tool.function.name);
        added->set_description(tool.function.description.value_or(""));
        if (tool.function.parameters)
            added->set_parameters_schema(schema::write_json(*tool.function.parameters));
        added->set_strict(tool.function.strict.value_or(false));
    }
    chat.set_parallel_tool_calls(fields.parallel_tool_calls.value_or(true));
    set_choice(fields, *chat.mutable_tool_choice());
}

const schema::Object<Function>& describe(schema::Type<Function>) {
    static const auto table =
        schema::Object<Function>("Function", "A function that the model may ask to be called.")
            .field("name", &Function::name,
                   {.doc = "Its name.", .required = true, .min_length = 1, .max_length = 256, .example = "get_weather"})
            .field("description", &Function::description, {.doc = "What it does, for the model to read."})
            .field("parameters", &Function::parameters,
                   {.doc = "Its arguments as a JSON Schema; without it there are none.",
                    .example = {{"type", "object"}, {"properties", {{"city", {{"type", "string"}}}}}}})
            .field(
                "strict", &Function::strict,
                {.doc = "The arguments must match the schema exactly. When this is true, the schema must be one that "
                        "OpenAI takes: see docs/structured-output.md."})
            .check([](const Function& function, const Reading& reading) {
                if (function.parameters && function.strict.value_or(false))
                    check_strict_schema(*function.parameters, reading.at("parameters"));
            });
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

const schema::Object<ToolFields>& describe(schema::Type<ToolFields>) {
    using F = ToolFields;
    static const auto table =
        schema::Object<F>("ToolUse", "Tools.")
            .field(
                "tools", &F::tools,
                {.doc = "Functions that the model may ask to be called. Models that were not trained for it are told "
                        "about them in the system message.",
                 .max_items = 1024})
            .field("tool_choice", &F::tool_choice,
                   {.doc = "Whether and which. Default: `auto` with tools, `none` without."})
            .field("parallel_tool_calls", &F::parallel_tool_calls,
                   {.doc = "One answer may contain several calls. Default true."})
            .check(check_names)
            .check(check_choice);
    return table;
}

}  // namespace gateway::api::chat
