#include "gateway/api/chat/to_job.hpp"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>

#include "gateway/api/test_support.hpp"
#include "schema/schema.hpp"

namespace gateway::api::chat {
namespace {

namespace contract = llm_gateway::engine::v1;
using testing::HasSubstr;

/// The job of a chat request with these further fields, or the paths and messages of its faults.
std::expected<contract::TextJob, std::string> job_of(const std::string& fields,
                                                     const std::string& messages = R"([{"role":
        "user", "content": "hi"}])",
                                                     const contract::ModelFacts* facts = nullptr) {
    const auto parsed = schema::parse<Request>(R"({"model": "m", "messages": )" + messages +
                                               (fields.empty() ? "" : ", " + fields) + "}");
    std::string complaints;
    const auto complain = [&](const schema::Faults& faults) {
        for (const auto& fault : faults)
            complaints += schema::to_string(fault) + "\n";
        return std::unexpected(complaints);
    };
    if (!parsed)
        return complain(parsed.error());
    const auto job = to_job(parsed->value, facts);
    if (!job)
        return complain(job.error());
    return job->text();
}

struct Case {
    std::string fields;
    std::string expected;
};

TEST(ChatToJob, TranslatesEveryField) {
    const Case cases[] = {
        {R"("temperature": 0.5)", "sampling { temperature: 0.5 }"},
        {R"("top_p": 0.5, "top_k": -1, "min_p": 0.5)", "sampling { top_p: 0.5 top_k: 0 min_p: 0.5 }"},
        {R"("frequency_penalty": -2, "presence_penalty": 2)", "sampling { frequency_penalty: -2 presence_penalty: 2 }"},
        {R"("repeat_penalty": 1.5, "repeat_last_n": -1, "typical_p": 0.5)",
         "sampling { typical_p: 0.5 repeat_penalty: 1.5 repeat_last_n: -1 }"},
        {R"("seed": 7)", "sampling { seed: 7 }"},
        {R"("seed": -1)", ""},
        {R"("seed": -2)", "sampling { seed: 1 }"},
        {R"("seed": 4294967295)", "sampling { seed: 4294967294 }"},
        {R"("logit_bias": {"5": -100})", "sampling { logit_bias { key: 5 value: -100 } }"},
        {R"("dry_multiplier": 1, "dry_base": 2, "dry_allowed_length": 3, "dry_penalty_last_n": 4, "dry_sequence_breakers": ["x"])",
         "sampling { dry_multiplier: 1 dry_base: 2 dry_allowed_length: 3 dry_penalty_last_n: 4 dry_sequence_breakers: "
         "'x' }"},
        {R"("xtc_probability": 0.5, "xtc_threshold": 0.25)", "sampling { xtc_probability: 0.5 xtc_threshold: 0.25 }"},
        {R"("mirostat": 2, "mirostat_tau": 5, "mirostat_eta": 0.5)",
         "sampling { mirostat: 2 mirostat_tau: 5 mirostat_eta: 0.5 }"},
        {R"("dynatemp_range": 1, "dynatemp_exponent": 2, "top_n_sigma": 3)",
         "sampling { dynamic_temperature_range: 1 dynamic_temperature_exponent: 2 top_n_sigma: 3 }"},
        {R"("n": 3)", "choices: 3"},
        {R"("max_tokens": 9)", "max_tokens: 9"},
        {R"("max_tokens": 8, "max_completion_tokens": 8)", "max_tokens: 8"},
        {R"("max_tokens": 0)", "max_tokens: 0"},
        {R"("max_tokens": -1)", ""},
        {R"("n_predict": 7)", "max_tokens: 7"},
        {R"("n_predict": -1)", ""},
        {R"("stop_token_ids": [3, 4])", "stop_tokens: 3 stop_tokens: 4"},
        {R"("skip_special_tokens": false)", "show_special_tokens: true"},
        {R"("skip_special_tokens": true)", ""},
        {R"("repetition_penalty": 1.5)", "sampling { repeat_penalty: 1.5 }"},
        {R"("min_tokens": 4, "ignore_eos": true)", "min_tokens: 4 ignore_eos: true"},
        {R"("stop": "x")", "stop: 'x'"},
        {R"("stop": ["x", "y"])", "stop: 'x' stop: 'y'"},
        {R"("stop": null)", ""},
        {R"("logprobs": true, "top_logprobs": 3)", "logprobs: true top_logprobs: 3"},
        {R"("response_format": {"type": "text"})", ""},
        {R"("response_format": {"type": "json_object"})", "output_format { json_object: true }"},
        {R"("response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object"}}})",
         R"(output_format { json_schema: '{"type":"object"}' })"},
        {R"("response_format": {"type": "json_schema", "json_schema": {"name": "a"}})",
         "output_format { json_object: true }"},
        {R"("response_format": {"type": "json_object", "schema": {"type": "object"}})",
         R"(output_format { json_schema: '{"type":"object"}' })"},
        {R"("response_format": {"type": "text"}, "json_schema": {"type": "object"})",
         R"(output_format { json_schema: '{"type":"object"}' })"},
        {R"("guided_json": {})", "output_format { json_object: true }"},
        {R"("guided_json": "{\"type\": \"array\"}")", R"(output_format { json_schema: '{"type": "array"}' })"},
        {R"("guided_choice": ["yes", "say \"no\"\n"])",
         R"(output_format { grammar: 'root ::= "yes" | "say \\"no\\"\\n"' })"},
        {R"("guided_grammar": "root ::= [a]")", "output_format { grammar: 'root ::= [a]' }"},
        {R"("guided_regex": "a+")", "output_format { regex: 'a+' }"},
        {R"("structured_outputs": {"regex": "a+"})", "output_format { regex: 'a+' }"},
        {R"("structured_outputs": {"choice": ["a"]})", R"(output_format { grammar: 'root ::= "a"' })"},
        {R"("structured_outputs": {"json": {"type": "array"}})",
         R"(output_format { json_schema: '{"type":"array"}' })"},
        {R"("structured_outputs": {"json_object": true})", "output_format { json_object: true }"},
        {R"("grammar": "root ::= [a]")", "output_format { grammar: 'root ::= [a]' }"},
        {R"("reasoning_effort": "none")", "chat { reasoning_effort: 'none' }"},
        {R"("reasoning_effort": "max")", "chat { reasoning_effort: 'max' }"},
        {R"("chat_template_kwargs": {"enable_thinking": false})",
         "chat { template_arguments { key: 'enable_thinking' value: 'false' } }"},
        {R"("parallel_tool_calls": false)", "chat { parallel_tool_calls: false }"},
        {R"("reasoning_format": "none")", "chat { reasoning_in_text: true }"},
        {R"("reasoning_format": "auto")", ""},
        {R"("continue_final_message": true, "add_generation_prompt": false)",
         "chat { continue_final_message: true omit_generation_prompt: true }"},
        {R"("stream": true, "return_progress": true)", "report_prompt_progress: true"},
        {R"("return_progress": false)", ""},
        {R"("tools": [{"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": "object", "additionalProperties": false}, "strict": true}}])",
         R"(chat { tools { name: 'f' description: 'd' parameters_schema: '{"type":"object","additionalProperties":false}' strict: true } })"},
    };
    for (const auto& [fields, expected] : cases) {
        const auto job = job_of(fields);
        ASSERT_TRUE(job) << fields << "\n" << job.error();
        contract::TextJob wanted;
        ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
            "choices: 1 chat { parallel_tool_calls: true messages { role: 'user' content { text: 'hi' } } tool_choice "
            "{} } sampling {}",
            &wanted));
        contract::TextJob change;
        ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(expected, &change)) << expected;
        wanted.MergeFrom(change);
        if (fields.find("parallel_tool_calls") != std::string::npos)
            wanted.mutable_chat()->set_parallel_tool_calls(false);
        EXPECT_EQ(job->ShortDebugString(), wanted.ShortDebugString()) << fields;
    }
}

TEST(ChatToJob, KnowsEveryRole) {
    const auto job = job_of("", R"([
        {"role": "system", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
        {"role": "developer", "content": "c"},
        {"role": "user", "content": [{"type": "text", "text": "e"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,Zm9v", "detail": "low"}},
            {"type": "input_audio", "input_audio": {"data": "Zm9v", "format": "wav"}}]},
        {"role": "assistant", "content": null, "reasoning_content": "hm",
            "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": ""}}]},
        {"role": "tool", "tool_call_id": "1", "content": "g"},
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]},
        {"role": "function", "name": "h", "content": "i"}])");
    ASSERT_TRUE(job) << job.error();
    contract::Chat wanted;
    ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(R"(
        messages { role: "system" content { text: "a" } content { text: "b" } }
        messages { role: "developer" content { text: "c" } }
        messages { role: "user" content { text: "e" } content { image { data: "foo" media_type: "image/png" } }
                   content { audio { data: "foo" media_type: "audio/wav" } } }
        messages { role: "assistant" tool_calls { id: "1" name: "f" arguments: "{}" } reasoning: "hm" }
        messages { role: "tool" content { text: "g" } tool_call_id: "1" }
        messages { role: "assistant" content { text: "no" } }
        messages { role: "tool" content { text: "i" } name: "h" }
        tool_choice {} parallel_tool_calls: true)",
                                                              &wanted));
    EXPECT_EQ(job->chat().DebugString(), wanted.DebugString());
}

TEST(ChatToJob, TranslatesEveryToolChoice) {
    const std::string tools = R"("tools": [{"type": "function", "function": {"name": "f"}},
                                           {"type": "function", "function": {"name": "g"}}], "tool_choice": )";
    const auto choice = [&](const std::string& value) { return job_of(tools + value)->chat(); };
    EXPECT_EQ(choice(R"("none")").tool_choice().mode(), contract::ToolChoice::NONE);
    EXPECT_EQ(choice(R"("auto")").tool_choice().mode(), contract::ToolChoice::AUTO);
    EXPECT_EQ(choice(R"("required")").tool_choice().mode(), contract::ToolChoice::REQUIRED);
    const auto named = choice(R"({"type": "function", "function": {"name": "g"}})");
    EXPECT_EQ(named.tool_choice().mode(), contract::ToolChoice::NAMED);
    EXPECT_EQ(named.tool_choice().name(), "g");
    const auto allowed = choice(
        R"({"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": [{"type": "function", "function": {"name": "g"}}]}})");
    EXPECT_EQ(allowed.tool_choice().mode(), contract::ToolChoice::REQUIRED);
    ASSERT_EQ(allowed.tools_size(), 1);
    EXPECT_EQ(allowed.tools(0).name(), "g");
}

TEST(ChatToJob, RefusesWhatItCannotDoByName) {
    const std::string one_tool = R"("tools": [{"type": "function", "function": {"name": "f"}}])";
    const Case cases[] = {
        {R"("n": 129)", "n: "},
        {R"("temperature": 2.5)", "temperature: "},
        {R"("modalities": ["text", "audio"])", "modalities: "},
        {R"("audio": {"voice": "x", "format": "wav"})", "audio: "},
        {R"("web_search_options": {})", "web_search_options: "},
        {R"("functions": [])", "functions: "},
        {R"("guided_regex": "")", "guided_regex: "},
        {R"("guided_json": "no JSON")", "guided_json: "},
        {R"("structured_outputs": {"json": "[]"})", "structured_outputs.json: "},
        {R"("guided_json": {}, "response_format": {"type": "json_object"})", "guided_json: "},
        {R"("guided_choice": ["a"], "grammar": "b")", "guided_choice: "},
        {R"("echo": true)", "echo: "},
        {R"("best_of": 2)", "best_of: "},
        {R"("priority": 1)", "priority: "},
        {R"("lora": [{"scale": 1}])", "lora[0].id: "},
        {R"("n_predict": 3, "max_tokens": 4)", "n_predict: "},
        {R"("stop_token_ids": [-1])", "stop_token_ids[0]: "},
        {R"("repeat_penalty": 1.5, "repetition_penalty": 1.5)", "repetition_penalty: "},
        {R"("continue_final_message": true, "add_generation_prompt": true)", "continue_final_message: "},
        {R"("metadata": {"a": 1})", "metadata.a: "},
        {R"("verbosity": "loud")", "verbosity: "},
        {one_tool + R"(, "guided_choice": ["a"])", "guided_choice: "},
        {R"("stream_options": {"include_usage": true})", "stream_options: "},
        {R"("return_progress": true)", "return_progress: "},
        {R"("max_tokens": 9, "max_completion_tokens": 8)", "max_tokens: "},
        {R"("top_logprobs": 2)", "top_logprobs: "},
        {R"("logit_bias": {"x": 1})", "logit_bias: "},
        {R"("stop": ["a", "b", "c", "d", "e"])", "stop: "},
        {R"("max_tokens": 3, "min_tokens": 4)", "min_tokens: "},
        {R"("grammar": "x", "response_format": {"type": "json_object"})", "grammar: "},
        {R"("tool_choice": "required")", "tool_choice: "},
        {one_tool + R"(, "tool_choice": {"type": "function", "function": {"name": "g"}})", "tool_choice: "},
        {R"("tools": [{"type": "function", "function": {"name": "f"}}, {"type": "function", "function": {"name": "f"}}])",
         "tools[1].function.name: "},
        {R"("tools": [{"type": "custom", "custom": {"name": "f"}}])", "tools[0].type: "},
    };
    for (const auto& [fields, path] : cases) {
        const auto job = job_of(fields);
        ASSERT_FALSE(job) << fields;
        EXPECT_THAT(job.error(), HasSubstr(path)) << fields;
    }
}

TEST(ChatToJob, TakesWhatOtherServersSendByDefault) {
    EXPECT_TRUE(job_of(R"("echo": false, "best_of": 1, "use_beam_search": false, "length_penalty": 1.0, "priority": 0,
        "n_probs": 0, "parse_tool_calls": true, "lora": null, "audio": null, "prompt_logprobs": null)"));
}

TEST(ChatToJob, NamesTheMessageAtFault) {
    const Case cases[] = {
        {R"([{"role": "user", "content": "a"}, {"role": "wizard", "content": "b"}])", "messages[1].role: "},
        {R"([{"role": "assistant"}])", "messages[0].content: "},
        {R"([{"role": "tool", "content": "x"}])", "messages[0].tool_call_id: "},
        {R"([{"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{\"a\""}}]}])",
         "messages[0].tool_calls[0].function.arguments: "},
        {R"([{"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{\"a\":1,\"a\":2}"}}]}])",
         "messages[0].tool_calls[0].function.arguments: "},
        {R"([{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "file:///a.png"}}]}])",
         "messages[0].content[0].image_url.url: "},
        {R"([{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,!!"}}]}])",
         "messages[0].content[0].image_url.url: "},
        {R"([{"role": "user", "content": [{"type": "file", "file": {}}]}])", "messages[0].content[0].type: "},
        {"[]", "messages: "},
    };
    for (const auto& [messages, path] : cases) {
        const auto job = job_of("", messages);
        ASSERT_FALSE(job) << messages;
        EXPECT_THAT(job.error(), HasSubstr(path)) << messages;
    }
}

TEST(ChatToJob, RefusesPicturesForAModelThatCannotSee) {
    const auto facts = test::text_model().facts.value();
    const auto job = job_of(
        "",
        R"([{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,Zm9v"}}]}])",
        &facts);
    ASSERT_FALSE(job);
    EXPECT_THAT(job.error(), HasSubstr("messages[0].content[0]: is a picture"));
}

TEST(ChatToJob, BlamesTheFieldThatAskedForTheForm) {
    EXPECT_EQ(to_request_path("output_format.json_schema", "guided_json"), "guided_json");
    EXPECT_EQ(to_request_path("output_format.json_schema.properties.a", "response_format.schema"),
              "response_format.schema.properties.a");
    EXPECT_EQ(to_request_path("output_format"), "response_format");
    EXPECT_EQ(to_request_path("stop_tokens[1]"), "stop_token_ids[1]");
    EXPECT_EQ(to_request_path("chat.continue_final_message"), "continue_final_message");
}

TEST(ChatToJob, PutsTheServiceTierIntoThePriority) {
    const auto priority = [](const std::string& tier) {
        const auto parsed = schema::parse<Request>(
            R"({"model": "m", "messages": [{"role": "user", "content": "hi"}], "service_tier": ")" + tier + "\"}");
        return to_job(parsed->value, nullptr)->priority();
    };
    EXPECT_EQ(priority("auto"), 0);
    EXPECT_EQ(priority("default"), 0);
    EXPECT_LT(priority("flex"), 0);
    EXPECT_GT(priority("priority"), 0);
}

}  // namespace
}  // namespace gateway::api::chat
