#include "gateway/api/responses/examples.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace gateway::api::responses {
namespace {

using boost::json::array;
using boost::json::object;

constexpr const char* model = "smollm2-135m-instruct";

object city_schema() {
    return {{"type", "object"},
            {"properties", object{{"city", object{{"type", "string"}}}}},
            {"required", array{"city"}},
            {"additionalProperties", false}};
}

}  // namespace

Examples create_examples() {
    return {
        {"text", object{{"model", model},
                        {"instructions", "Answer in one sentence."},
                        {"input", "Why is the sky blue?"},
                        {"max_output_tokens", 100}}},
        {"streamed", object{{"model", model},
                            {"input", array{object{{"role", "user"}, {"content", "Count from one to ten."}}}},
                            {"max_output_tokens", 100},
                            {"stream", true}}},
        {"in the background", object{{"model", model},
                                     {"input", "Tell a long story."},
                                     {"max_output_tokens", 100},
                                     {"background", true},
                                     {"metadata", object{{"topic", "stories"}}}}},
        {"tool call", object{{"model", model},
                             {"input", "What is the weather in Hamburg?"},
                             {"max_output_tokens", 100},
                             {"tools", array{object{{"type", "function"},
                                                    {"name", "get_weather"},
                                                    {"description", "The weather in a city."},
                                                    {"parameters", city_schema()},
                                                    {"strict", true}}}},
                             {"tool_choice", "required"}}},
        {"result of a tool",
         object{
             {"model", model},
             {"input",
              array{object{{"role", "user"}, {"content", "What is the weather in Hamburg?"}},
                    object{{"type", "function_call"},
                           {"call_id", "call_1"},
                           {"name", "get_weather"},
                           {"arguments", R"({"city": "Hamburg"})"}},
                    object{{"type", "function_call_output"}, {"call_id", "call_1"}, {"output", "21 degrees, sunny"}}}},
             {"max_output_tokens", 100}}},
        {"JSON that matches a schema", object{{"model", model},
                                              {"input", "In which city is the Eiffel tower?"},
                                              {"max_output_tokens", 100},
                                              {"text", object{{"format", object{{"type", "json_schema"},
                                                                                {"name", "place"},
                                                                                {"schema", city_schema()},
                                                                                {"strict", true}}}}}}},
    };
}

Examples count_examples() {
    return {{"text",
             object{{"model", model}, {"instructions", "Answer in one sentence."}, {"input", "Why is the sky blue?"}}}};
}

Examples stream_examples() {
    const std::string place = R"("item_id":"msg_1","output_index":0,"content_index":0,)";
    return stream_example({
        {"response.output_item.added",
         R"({"type":"response.output_item.added","sequence_number":2,"output_index":0,)"
         R"("item":{"type":"message","id":"msg_1","status":"in_progress","role":"assistant","content":[]}})"},
        {"response.output_text.delta",
         R"({"type":"response.output_text.delta","sequence_number":4,)" + place + R"("delta":"Hello","logprobs":[]})"},
        {"response.output_text.done",
         R"({"type":"response.output_text.done","sequence_number":5,)" + place + R"("text":"Hello","logprobs":[]})"},
    });
}

}  // namespace gateway::api::responses
