#include "gateway/api/messages/examples.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace gateway::api::messages {
namespace {

using boost::json::array;
using boost::json::object;

constexpr const char* chat_model = "smollm2-135m-instruct";

array user_says(const char* text) {
    return {object{{"role", "user"}, {"content", text}}};
}

object city_schema() {
    return {
        {"type", "object"}, {"properties", object{{"city", object{{"type", "string"}}}}}, {"required", array{"city"}}};
}

}  // namespace

Examples examples() {
    return {
        {"message", object{{"model", chat_model},
                           {"system", "Answer in one sentence."},
                           {"messages", user_says("Why is the sky blue?")},
                           {"max_tokens", 100}}},
        {"streamed", object{{"model", chat_model},
                            {"messages", user_says("Count from one to ten.")},
                            {"max_tokens", 100},
                            {"stream", true}}},
        {"tool use", object{{"model", chat_model},
                            {"messages", user_says("What is the weather in Hamburg?")},
                            {"max_tokens", 100},
                            {"tools", array{object{{"name", "get_weather"},
                                                   {"description", "The weather in a city."},
                                                   {"input_schema", city_schema()}}}},
                            {"tool_choice", object{{"type", "any"}}}}},
    };
}

Examples count_examples() {
    return {{"conversation", object{{"model", chat_model},
                                    {"system", "Answer in one sentence."},
                                    {"messages", user_says("Why is the sky blue?")}}}};
}

}  // namespace gateway::api::messages
