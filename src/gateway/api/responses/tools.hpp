#pragma once

/// The tools of a request: functions, which the model is offered, and others, which it is not.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "schema/object.hpp"

namespace gateway::api::responses {

struct FunctionTool {
    std::string name;
    std::optional<std::string> description;
    std::optional<boost::json::object> parameters;
    std::optional<bool> strict;
};

/// One that OpenAI's servers run, or whose input is not JSON. Coding agents declare some beside their functions, whatever
/// the server, and do without when they are never called.
struct OtherTool {
    std::string type;
};

struct Tool {
    std::variant<FunctionTool, OtherTool> held;
};

using Tools = std::vector<Tool>;

/// A function, and its index among the request's tools.
struct PlacedFunction {
    const FunctionTool* function;
    std::size_t place;
};

/// In their order; the pointers live as long as `tools`.
std::vector<PlacedFunction> functions_of(const std::optional<Tools>& tools);

/// A complaint about a list in which there is nothing to offer to a model, although it is not empty.
std::optional<std::string> check_tools(const std::optional<Tools>& tools);

const schema::Object<FunctionTool>& describe(schema::Type<FunctionTool>);
/// Other tools are accepted without effect, and reported.
const schema::Shape& describe(schema::Type<Tool>);

}  // namespace gateway::api::responses
