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

Examples stream_examples() {
    const std::string counts =
        R"("usage":{"input_tokens":15,"cache_creation_input_tokens":0,"cache_read_input_tokens":12,"output_tokens":1,)"
        R"("output_tokens_details":{"thinking_tokens":0},"server_tool_use":null)";
    return stream_example({
        {"message_start",
         R"({"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant",)"
         R"("model":"smollm2-135m-instruct","content":[],"stop_reason":null,"stop_sequence":null,)"
         R"("stop_details":null,)" +
             counts + R"(,"cache_creation":null,"inference_geo":null,"service_tier":"standard"},"container":null}})"},
        {"content_block_start",
         R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":"","citations":[]}})"},
        {"content_block_delta",
         R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}})"},
        {"content_block_stop", R"({"type":"content_block_stop","index":0})"},
        {"message_delta",
         R"({"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null,"stop_details":null,)"
         R"("container":null},)" +
             counts + "}}"},
        {"message_stop", R"({"type":"message_stop"})"},
    });
}

}  // namespace gateway::api::messages
