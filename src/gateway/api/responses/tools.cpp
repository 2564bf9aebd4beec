#include "gateway/api/responses/tools.hpp"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <string_view>

#include "gateway/api/strict_schema.hpp"

namespace gateway::api::responses {
namespace {

using schema::Value;

constexpr std::array<std::string_view, 17> other_types{"apply_patch",
                                                       "code_interpreter",
                                                       "computer",
                                                       "computer_use_preview",
                                                       "custom",
                                                       "file_search",
                                                       "image_generation",
                                                       "local_shell",
                                                       "mcp",
                                                       "namespace",
                                                       "programmatic_tool_calling",
                                                       "shell",
                                                       "tool_search",
                                                       "web_search",
                                                       "web_search_2025_08_26",
                                                       "web_search_preview",
                                                       "web_search_preview_2025_03_11"};

class ToolShape final : public schema::Shape {
public:
    schema::Kinds kinds() const override { return schema::Kinds::object; }

    void read(const Value& value, void* target, const schema::Options& options,
              const schema::Reading& reading) const override {
        auto& held = static_cast<Tool*>(target)->held;
        const auto* object = value.if_object();
        const Value* type = object != nullptr ? object->if_contains("type") : nullptr;
        if (type != nullptr && type->is_string() &&
            std::ranges::find(other_types, std::string_view(type->get_string())) != other_types.end()) {
            reading.findings().ignored.push_back(reading.path());
            held = OtherTool{std::string(type->get_string())};
            return;
        }
        schema::shape_of<FunctionTool>().read(value, &held.emplace<FunctionTool>(), options, reading);
    }

    Value write(const void* source) const override {
        const auto& held = static_cast<const Tool*>(source)->held;
        if (const auto* other = std::get_if<OtherTool>(&held))
            return boost::json::object{{"type", other->type}};
        return schema::shape_of<FunctionTool>().write(&std::get<FunctionTool>(held));
    }

    boost::json::object document(const schema::Options&, schema::Components& components) const override {
        return components.refer("ResponseTool", this, [&] {
            boost::json::array types(other_types.begin(), other_types.end());
            const boost::json::object other{
                {"type", "object"},
                {"description", "Accepted without effect beside functions: the model is not offered it."},
                {"properties", {{"type", {{"type", "string"}, {"enum", std::move(types)}}}}},
                {"required", boost::json::array{"type"}}};
            return boost::json::object{
                {"oneOf", boost::json::array{schema::shape_of<FunctionTool>().document({}, components), other}}};
        });
    }
};

}  // namespace

std::vector<PlacedFunction> functions_of(const std::optional<Tools>& tools) {
    std::vector<PlacedFunction> functions;
    for (std::size_t i = 0; tools && i < tools->size(); ++i)
        if (const auto* function = std::get_if<FunctionTool>(&(*tools)[i].held))
            functions.push_back({.function = function, .place = i});
    return functions;
}

std::optional<std::string> check_tools(const std::optional<Tools>& tools) {
    if (!tools || tools->empty() || !functions_of(tools).empty())
        return std::nullopt;
    return "has only tools that this server does not have (the first is of type \"" +
           std::get<OtherTool>(tools->front().held).type + "\"); they may be declared beside functions";
}

const schema::Object<FunctionTool>& describe(schema::Type<FunctionTool>) {
    using T = FunctionTool;
    static const auto table =
        schema::Object<T>("ResponseFunctionTool", "A function that the model may ask to be called.")
            .constant("type", "function")
            .field("name", &T::name,
                   {.doc = "Its name.", .required = true, .pattern = "^[a-zA-Z0-9_-]{1,64}$", .example = "get_weather"})
            .field("description", &T::description, {.doc = "What it does, for the model."})
            .field("parameters", &T::parameters, {.doc = "A JSON Schema; absent: no parameters."})
            .field("strict", &T::strict,
                   {.doc = "The arguments match the schema exactly; they always do here. When this is true, the schema "
                           "must be one that OpenAI takes: see docs/structured-output.md."})
            .ignored("output_schema", {.doc = "Accepted without effect."})
            .ignored("defer_loading", {.doc = "Accepted without effect."})
            .ignored("allowed_callers", {.doc = "Accepted without effect."})
            .check([](const T& tool, const schema::Reading& reading) {
                if (tool.parameters && tool.strict.value_or(false))
                    check_strict_schema(*tool.parameters, reading.at("parameters"));
            });
    return table;
}

const schema::Shape& describe(schema::Type<Tool>) {
    static const ToolShape shape;
    return shape;
}

}  // namespace gateway::api::responses
