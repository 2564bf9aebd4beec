#pragma once

/// The tools of a request, and which of them may or must be called.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine.pb.h"
#include "schema/object.hpp"

namespace gateway::api::chat {

struct Function {
    std::string name;
    std::optional<std::string> description;
    /// A JSON Schema; absent: no parameters.
    std::optional<boost::json::object> parameters;
    std::optional<bool> strict;
};

struct Tool {
    Function function;
};

struct FunctionName {
    std::string name;
};

struct NamedTool {
    FunctionName function;
};

struct AllowedTools {
    enum class Mode { automatic, required };
    Mode mode = Mode::automatic;
    std::vector<NamedTool> tools;
};

/// Only some of `tools` may be called in this answer.
struct AllowedToolsChoice {
    AllowedTools allowed_tools;
};

enum class ToolChoiceMode { none, automatic, required };

using ToolChoice = std::variant<ToolChoiceMode, NamedTool, AllowedToolsChoice>;

struct ToolFields {
    std::optional<std::vector<Tool>> tools;
    std::optional<ToolChoice> tool_choice;
    std::optional<bool> parallel_tool_calls;
};

const schema::Object<Function>& describe(schema::Type<Function>);
const schema::Object<Tool>& describe(schema::Type<Tool>);
const schema::Object<FunctionName>& describe(schema::Type<FunctionName>);
const schema::Object<NamedTool>& describe(schema::Type<NamedTool>);
const schema::Enum<AllowedTools::Mode>& describe(schema::Type<AllowedTools::Mode>);
const schema::Object<AllowedTools>& describe(schema::Type<AllowedTools>);
const schema::Object<AllowedToolsChoice>& describe(schema::Type<AllowedToolsChoice>);
const schema::Enum<ToolChoiceMode>& describe(schema::Type<ToolChoiceMode>);
const schema::Object<ToolFields>& describe(schema::Type<ToolFields>);

/// True when the model sees tools: there are some, and the choice is not `none`.
bool offers_tools(const ToolFields& fields);

/// Writes the tools that may be called, and the choice among them.
void to_tools(const ToolFields& fields, llm_gateway::engine::v1::Chat& chat);

}  // namespace gateway::api::chat
