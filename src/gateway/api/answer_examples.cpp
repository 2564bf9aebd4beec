#include "gateway/api/answer_examples.hpp"

#include <boost/json/parse.hpp>
#include <map>

#include "gateway/api/a1111/examples.hpp"

namespace gateway::api {
namespace {

constexpr const char* completion = R"({
"id": "chatcmpl-8f14e45fceea167a", "object": "chat.completion", "created": 1764500000,
"model": "smollm2-135m-instruct",
"choices": [{"index": 0, "message": {"role": "assistant", "content": "Air scatters blue light more than red.",
"refusal": null},
             "logprobs": null, "finish_reason": "stop"}],
"usage": {"prompt_tokens": 27, "completion_tokens": 9, "total_tokens": 36,
          "prompt_tokens_details": {"cached_tokens": 12, "audio_tokens": 0},
          "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0, "accepted_prediction_tokens": 0,
                                        "rejected_prediction_tokens": 0}},
"service_tier": "default", "system_fingerprint": "fp_6148d86787", "metadata": {"topic": "demo"}})";

constexpr const char* completion_list = R"({
"object": "list", "data": [], "first_id": "", "last_id": "", "has_more": false})";

constexpr const char* message_list = R"({
"object": "list", "first_id": "chatcmpl-8f14e45fceea167a-0", "last_id": "chatcmpl-8f14e45fceea167a-0",
"has_more": false,
"data": [{"id": "chatcmpl-8f14e45fceea167a-0", "role": "user", "content": "Why is the sky blue?", "refusal": null,
          "content_parts": null}]})";

constexpr const char* deleted_completion = R"({
"object": "chat.completion.deleted", "id": "chatcmpl-8f14e45fceea167a", "deleted": true})";

constexpr const char* text_completion = R"({
"id": "cmpl-8f14e45fceea167a", "object": "text_completion", "created": 1764500000, "model": "smollm2-135m-instruct",
"choices": [{"text": " there was a fox.", "index": 0, "logprobs": null, "finish_reason": "length"}],
"usage": {"prompt_tokens": 4, "completion_tokens": 6, "total_tokens": 10,
          "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
          "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0, "accepted_prediction_tokens": 0,
                                        "rejected_prediction_tokens": 0}},
"system_fingerprint": "fp_6148d86787"})";

constexpr const char* embedding = R"({
"object": "list", "model": "all-minilm-l6-v2", "data": [{"object": "embedding", "index": 0,
"embedding": [0.6, 0.0, -0.8]}],
"usage": {"prompt_tokens": 6, "total_tokens": 6}})";

constexpr const char* ranking = R"({
"object": "list", "id": "rerank-8f14e45fceea167a", "model": "reranker",
"results": [{"index": 1, "relevance_score": 0.93}, {"index": 0, "relevance_score": 0.04}],
"usage": {"prompt_tokens": 31, "total_tokens": 31}})";

constexpr const char* input_tokens = R"({"object": "response.input_tokens", "input_tokens": 27})";

constexpr const char* tokenized = R"({"tokens": [19556, 905], "count": 2, "max_model_len": 8192})";

constexpr const char* detokenized = R"({"content": "Hello world", "prompt": "Hello world"})";

constexpr const char* rendered = R"({"prompt": "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n"})";

constexpr const char* pictures = R"({
"created": 1764500000, "data": [{"b64_json": "iVBORw0KGgo=", "seed": 1}], "background": "opaque",
"output_format": "png",
"size": "64x64"})";

constexpr const char* image_job = R"({
"object": "image.job", "id": "img-8f14e45fceea167a", "created_at": 1764500000, "model": "stable-diffusion-1.5",
"status": "in_progress", "position": 0, "pictures": 1, "pictures_done": 0, "step": 5, "steps": 20, "progress": 0.25,
"predicted_seconds": 31.5, "preview": {"b64_json": "iVBORw0KGgo="}})";

constexpr const char* cancelled_image_job = R"({
"object": "image.job", "id": "img-8f14e45fceea167a", "created_at": 1764500000, "model": "stable-diffusion-1.5",
"status": "cancelled", "position": 0, "pictures": 1, "pictures_done": 0, "step": 5, "steps": 20, "progress": 0.25,
"predicted_seconds": 0.0})";

constexpr const char* image_jobs = R"({
"object": "list",
"data": [{"object": "image.job", "id": "img-8f14e45fceea167a", "created_at": 1764500000, "model": "stable-diffusion-1.5",
          "status": "queued", "position": 2, "pictures": 1, "pictures_done": 0, "step": 0, "steps": 20, "progress": 0.0,
          "predicted_seconds": 95.0}]})";
constexpr const char* enlarged = R"({
"created": 1764500000, "data": [{"url": "https://ai.example.org/v1/images/files/0b5e.webp?expires=1764503600&signature=d41d"}],
"background": "opaque", "output_format": "webp", "size": "256x256"})";

constexpr const char* model = R"({
"id": "smollm2-135m-instruct", "object": "model", "created": 1764500000, "owned_by": "llm-gateway",
    "root": "smollm2-135m-instruct", "kind": "text",
"state": "ready", "architecture": "llama", "context_length": 8192, "max_model_len": 8192})";

constexpr const char* model_list = R"({
"object": "list", "data": [{"id": "smollm2-135m-instruct", "object": "model", "created": 1764500000,
                            "owned_by": "llm-gateway", "root": "smollm2-135m-instruct", "kind": "text", "state": "ready"}]})";

constexpr const char* response = R"({
"id": "resp_0123456789abcdef0123456789abcdef", "object": "response", "created_at": 1764500000,
"completed_at": 1764500001,
"status": "completed", "background": false, "error": null, "incomplete_details": null,
"instructions": "Answer in one sentence.", "max_output_tokens": 100, "max_tool_calls": null,
"model": "smollm2-135m-instruct",
"output": [{"type": "message", "id": "msg_0123456789abcdef0123456789abcdef_0", "status": "completed",
"role": "assistant",
            "content": [{"type": "output_text", "text": "Air scatters blue light more than red.", "annotations": [],
                         "logprobs": []}]}],
"parallel_tool_calls": true, "previous_response_id": null, "prompt_cache_key": null,
"reasoning": {"effort": null, "summary": null}, "safety_identifier": null, "service_tier": "default", "store": true,
"temperature": null, "text": {"format": {"type": "text"}}, "tool_choice": "auto", "tools": [], "top_logprobs": 0,
"top_p": null, "truncation": "disabled",
"usage": {"input_tokens": 27, "input_tokens_details": {"cached_tokens": 12, "cache_write_tokens": 0},
"output_tokens": 9,
          "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 36},
"metadata": {}})";

constexpr const char* deleted_response = R"({
"id": "resp_0123456789abcdef0123456789abcdef", "object": "response", "deleted": true})";

constexpr const char* input_items = R"({
"object": "list", "first_id": "msg_0", "last_id": "msg_0", "has_more": false,
"data": [{"type": "message", "id": "msg_0", "status": "completed", "role": "user",
          "content": [{"type": "input_text", "text": "Why is the sky blue?"}]}]})";

constexpr const char* message = R"({
"id": "msg_8f14e45fceea167a", "type": "message", "role": "assistant", "model": "smollm2-135m-instruct",
"content": [{"type": "text", "text": "Air scatters blue light more than red.", "citations": []}],
"stop_reason": "end_turn", "stop_sequence": null, "stop_details": null,
"usage": {"input_tokens": 15, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 12, "output_tokens": 9,
          "output_tokens_details": {"thinking_tokens": 0}, "cache_creation": null, "inference_geo": null,
          "server_tool_use": null, "service_tier": "standard"},
"container": null})";

constexpr const char* message_tokens = R"({"input_tokens": 27})";

constexpr const char* live = R"({"status": "ok"})";

constexpr const char* ready = R"({"status": "ready", "models": [{"id": "smollm2-135m-instruct", "state": "ready"}]})";

constexpr const char* version = R"({"version": "0.1.0", "engines": {"llama.cpp": "0.3.36"}})";

const std::map<std::string_view, const char*> by_operation{
    {"createChatCompletion", completion},
    {"listChatCompletions", completion_list},
    {"getChatCompletion", completion},
    {"updateChatCompletion", completion},
    {"deleteChatCompletion", deleted_completion},
    {"listChatCompletionMessages", message_list},
    {"createCompletion", text_completion},
    {"createEmbedding", embedding},
    {"rerank", ranking},
    {"rerankUnversioned", ranking},
    {"countChatTokens", input_tokens},
    {"tokenize", tokenized},
    {"detokenize", detokenized},
    {"applyTemplate", rendered},
    {"createImage", pictures},
    {"listImageJobs", image_jobs},
    {"getImageJob", image_job},
    {"cancelImageJob", cancelled_image_job},
    {"createImageEdit", pictures},
    {"createImageVariation", pictures},
    {"upscaleImage", enlarged},
    {"listModels", model_list},
    {"retrieveModel", model},
    {"createResponse", response},
    {"getResponse", response},
    {"cancelResponse", response},
    {"deleteResponse", deleted_response},
    {"listInputItems", input_items},
    {"createMessage", message},
    {"countMessageTokens", message_tokens},
    {"countResponseInputTokens", input_tokens},
    {"live", live},
    {"ready", ready},
    {"version", version},
};

}  // namespace

Examples answer_examples(std::string_view operation) {
    const auto found = by_operation.find(operation);
    if (found == by_operation.end())
        return a1111::answer_examples(operation);
    return {{"answer", boost::json::parse(found->second)}};
}

}  // namespace gateway::api
