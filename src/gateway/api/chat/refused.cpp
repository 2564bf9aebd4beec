#include "gateway/api/chat/refused.hpp"

#include <boost/json/array.hpp>
#include <optional>
#include <string>

namespace gateway::api::chat {
namespace {

class RefusedShape final : public schema::Shape {
public:
    schema::Kinds kinds() const override { return schema::Kinds::anything; }
    void read(const schema::Value&, void*, const schema::Options&, const schema::Reading&) const override {}
    schema::Value write(const void*) const override { return nullptr; }
    boost::json::object document(const schema::Options& options, schema::Components&) const override {
        boost::json::object described{{"type", boost::json::array{"null"}}, {"description", options.doc}};
        if (options.deprecated)
            described["deprecated"] = true;
        return described;
    }
    bool empty(const void*) const override { return true; }
};

struct Row {
    const char* name;
    const char* reason;
    /// Where the reason does not say it all.
    const char* doc = nullptr;
};

std::string documented(const Row& row) {
    return row.doc ? row.doc : std::string("Refused: ") + row.reason + ".";
}

constexpr Row rows[] = {
    // OpenAI's.
    {.name = "audio", .reason = "answers are written, not spoken"},
    {.name = "web_search_options", .reason = "this server does not search the web"},
    {.name = "moderation", .reason = "this server does not judge texts"},
    {.name = "functions", .reason = "use tools", .doc = "Refused: use `tools`."},
    {.name = "function_call", .reason = "use tool_choice", .doc = "Refused: use `tool_choice`."},
    // llama.cpp's.
    {.name = "samplers", .reason = "the order of the samplers is fixed"},
    {.name = "min_keep", .reason = "the samplers may leave one token"},
    {.name = "adaptive_target", .reason = "there is no such sampler"},
    {.name = "adaptive_decay", .reason = "there is no such sampler"},
    {.name = "t_max_predict_ms", .reason = "use max_tokens"},
    {.name = "reasoning_budget_tokens", .reason = "use reasoning_effort"},
    {.name = "thinking_budget_tokens", .reason = "use reasoning_effort"},
    {.name = "response_fields", .reason = "answers have one form"},
    // vLLM's.
    {.name = "thinking_token_budget", .reason = "use reasoning_effort"},
    {.name = "structural_tag", .reason = "use tools or grammar"},
    {.name = "bad_words", .reason = "use logit_bias"},
    {.name = "allowed_token_ids", .reason = "use logit_bias or grammar"},
    {.name = "prompt_logprobs", .reason = "only the answer's tokens have them"},
    {.name = "truncate_prompt_tokens", .reason = "a prompt is never cut"},
    {.name = "chat_template", .reason = "the model's own is used"},
    {.name = "documents", .reason = "put them into the messages"},
    {.name = "logits_processors", .reason = "there are none"},
};

}  // namespace

const schema::Shape& describe(schema::Type<Refused>) {
    static const RefusedShape shape;
    return shape;
}

const schema::Object<RefusedFields>& describe(schema::Type<RefusedFields>) {
    using F = RefusedFields;
    static const auto table = [] {
        schema::Object<F> fields("Refused", "What this server does not do.");
        for (const Row& row : rows)
            fields.field(row.name, &F::any, {.doc = documented(row)}, [reason = row.reason](const Refused&) {
                return std::optional<std::string>(std::string("is not supported: ") + reason);
            });
        const auto off = [](const std::optional<bool>& value) {
            return value.value_or(false) ? std::optional<std::string>("cannot be true: this is not supported")
                                         : std::nullopt;
        };
        for (const char* name : {"echo", "include_stop_str_in_output", "use_beam_search", "add_special_tokens",
                                 "post_sampling_probs", "reasoning_control"})
            fields.field(name, &F::off, {.doc = "Only `false`."}, off);
        fields.field("parse_tool_calls", &F::on, {.doc = "Only `true`."}, [](const std::optional<bool>& value) {
            return value.value_or(true) ? std::nullopt
                                        : std::optional<std::string>("cannot be false: calls are always told apart");
        });
        fields.field("best_of", &F::number, {.doc = "Only 1.", .minimum = 1, .maximum = 1});
        fields.field("n_probs", &F::number, {.doc = "Only 0: use `top_logprobs`.", .minimum = 0, .maximum = 0});
        fields.field("priority", &F::number, {.doc = "Only 0: use `service_tier`.", .minimum = 0, .maximum = 0});
        fields.field("length_penalty", &F::factor, {.doc = "Only 1.", .minimum = 1, .maximum = 1});
        return fields;
    }();
    return table;
}

}  // namespace gateway::api::chat
