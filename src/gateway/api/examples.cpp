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

Examples completion_examples() {
    return {
        {"text", object{{"model", chat_model}, {"prompt", "Once upon a time"}, {"max_tokens", 16}}},
        {"streamed",
         object{{"model", chat_model}, {"prompt", "Once upon a time"}, {"max_tokens", 16}, {"stream", true}}},
        {"several prompts", object{{"model", chat_model}, {"prompt", array{"One, two,", "A, B,"}}, {"max_tokens", 8}}}};
}

Examples embedding_examples() {
    return {{"texts", object{{"model", "all-minilm-l6-v2"}, {"input", array{"The sky is blue.", "Grass is green."}}}},
            {"as base64",
             object{{"model", "all-minilm-l6-v2"}, {"input", "The sky is blue."}, {"encoding_format", "base64"}}}};
}

Examples rerank_examples() {
    return {{"documents", object{{"model", "reranker"},
                                 {"query", "Which animals fly?"},
                                 {"documents", array{"Fish live in water.", "Most birds fly."}}}}};
}

Examples tokenize_examples() {
    return {{"text", object{{"model", chat_model}, {"content", "Hello world"}}},
            {"with pieces", object{{"model", chat_model}, {"content", "Hello world"}, {"with_pieces", true}}},
            {"conversation", object{{"model", chat_model}, {"messages", user_says("Hello")}}}};
}

Examples detokenize_examples() {
    return {{"tokens", object{{"model", chat_model}, {"tokens", array{19556, 905}}}}};
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

Examples stream_example(const std::vector<std::pair<std::string, std::string>>& events) {
    array list;
    for (const auto& [name, data] : events)
        list.push_back(name.empty() ? object{{"data", data}} : object{{"event", name}, {"data", data}});
    return {{"stream", std::move(list)}};
}

Examples chat_stream_examples() {
    const std::string head =
        R"({"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764500000,"model":"smollm2-135m-instruct",)";
    const std::string tail = R"("service_tier":"default","system_fingerprint":"fp_6148d86787"})";
    const auto chunk = [&](const char* delta, const char* reason) {
        return std::pair{std::string(), head + R"("choices":[{"index":0,"delta":)" + delta +
                                            R"(,"logprobs":null,"finish_reason":)" + reason + "}]," + tail};
    };
    return stream_example({chunk(R"({"role":"assistant","content":""})", "null"),
                           chunk(R"({"content":"Hello"})", "null"),
                           chunk("{}", R"("stop")"),
                           {"", "[DONE]"}});
}

Examples completion_stream_examples() {
    const std::string head =
        R"({"id":"cmpl-1","object":"text_completion","created":1764500000,"model":"smollm2-135m-instruct","choices":)";
    const std::string tail = R"(,"system_fingerprint":"fp_6148d86787"})";
    return stream_example({{"", head + R"([{"text":" there","index":0,"logprobs":null,"finish_reason":null}])" + tail},
                           {"", head + R"([{"text":"","index":0,"logprobs":null,"finish_reason":"length"}])" + tail},
                           {"", "[DONE]"}});
}

Examples image_stream_examples() {
    return stream_example(
        {{"image_generation.queued",
          R"({"type":"image_generation.queued","job_id":"img-8f14e45fceea167a","position":1,"predicted_seconds":42.5})"},
         {"image_generation.progress",
          R"({"type":"image_generation.progress","image_index":0,"step":1,"steps":4,"predicted_seconds":6.0})"},
         {"image_generation.partial_image",
          R"({"type":"image_generation.partial_image","b64_json":"iVBORw0KGgo=","created_at":1764500000,"size":"64x64",)"
          R"("quality":"auto","background":"opaque","output_format":"png","partial_image_index":0,"image_index":0})"},
         {"image_generation.completed",
          R"({"type":"image_generation.completed","b64_json":"iVBORw0KGgo=","created_at":1764500001,"size":"64x64",)"
          R"("quality":"auto","background":"opaque","output_format":"png","usage":{"input_tokens":0,"output_tokens":0,)"
          R"("total_tokens":0,"input_tokens_details":{"text_tokens":0,"image_tokens":0}},"image_index":0,"seed":1})"}});
}

}  // namespace gateway::api
