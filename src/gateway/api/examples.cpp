#include "gateway/api/examples.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace gateway::api {
namespace {

using boost::json::array;
using boost::json::object;

constexpr const char* chat_model = "smollm2-135m-instruct";

array user_says(const char* text) {
    return {object{{"role", "user"}, {"content", text}}};
}

object city_schema() {
    return {{"type", "object"},
            {"properties", object{{"city", object{{"type", "string"}}}}},
            {"required", array{"city"}},
            {"additionalProperties", false}};
}

}  // namespace

Examples chat_examples() {
    return {
        {"chat", object{{"model", chat_model},
                        {"messages", array{object{{"role", "system"}, {"content", "Answer in one sentence."}},
                                           object{{"role", "user"}, {"content", "Why is the sky blue?"}}}},
                        {"max_completion_tokens", 100}}},
        {"streamed", object{{"model", chat_model},
                            {"messages", user_says("Count from one to ten.")},
                            {"max_completion_tokens", 100},
                            {"stream", true},
                            {"stream_options", object{{"include_usage", true}}}}},
        {"tool call", object{{"model", chat_model},
                             {"messages", user_says("What is the weather in Hamburg?")},
                             {"max_completion_tokens", 100},
                             {"tools", array{object{{"type", "function"},
                                                    {"function", object{{"name", "get_weather"},
                                                                        {"description", "The weather in a city."},
                                                                        {"parameters", city_schema()}}}}}},
                             {"tool_choice", "required"}}},
        {"JSON that matches a schema",
         object{{"model", chat_model},
                {"messages", user_says("In which city is the Eiffel tower?")},
                {"max_completion_tokens", 100},
                {"response_format", object{{"type", "json_schema"},
                                           {"json_schema", object{{"name", "place"}, {"schema", city_schema()}}}}}}},
    };
}

Examples image_examples() {
    return {
        {"picture",
         object{{"prompt", "a lighthouse in a storm, oil painting"}, {"size", "64x64"}, {"steps", 4}, {"seed", 1}}},
        {"streamed", object{{"prompt", "a lighthouse in a storm, oil painting"},
                            {"size", "64x64"},
                            {"steps", 4},
                            {"stream", true},
                            {"partial_images", 2}}},
    };
}

}  // namespace gateway::api
