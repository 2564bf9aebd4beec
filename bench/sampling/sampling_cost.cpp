// What choosing a token costs, beside llama.cpp's `common` sampler: microseconds for each token of a real answer, with
// the model's evaluation, which empties the caches, between them.
//
// Usage: sampling-cost MODEL [TOKENS]

#include <fmt/format.h>
#include <json-schema-to-grammar.h>
#include <json.h>
#include <llama-cpp.h>
#include <sampling.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "worker/engine/kernels.hpp"
#include "worker/engine/llama/llama_answer.hpp"

namespace {

using namespace worker::engine;
using Clock = std::chrono::steady_clock;
using Microseconds = std::chrono::duration<double, std::micro>;

// The schema of bench/text's workload `json-schema`.
constexpr const char* schema = R"({"type":"object","properties":{
  "title":{"type":"string","maxLength":40},"year":{"type":"integer"},
  "tags":{"type":"array","items":{"type":"string","maxLength":20},"minItems":3,"maxItems":6},
  "author":{"type":"object","properties":{"name":{"type":"string","maxLength":30},
    "country":{"enum":["FR","DE","UK","US"]}},"required":["name","country"],"additionalProperties":false}},
  "required":["title","year","tags","author"],"additionalProperties":false})";

struct Setting {
    std::string name;
    common_params_sampling params;
};

std::vector<Setting> settings() {
    common_params_sampling defaults;
    defaults.seed = 7;
    defaults.temp = 1;
    auto greedy = defaults;
    greedy.temp = 0;
    auto top_p = defaults;
    top_p.top_k = 0;
    top_p.min_p = 0;
    auto everything = top_p;
    everything.top_p = 1;
    auto penalties = defaults;
    penalties.penalty_repeat = 1.1F;
    penalties.penalty_freq = 0.2F;
    auto greedy_penalties = penalties;
    greedy_penalties.temp = 0;
    auto format = greedy;
    format.grammar = {COMMON_GRAMMAR_TYPE_OUTPUT_FORMAT, json_schema_to_grammar(common_json::parse(schema))};
    auto sampled_format = defaults;
    sampled_format.grammar = format.grammar;
    return {{"greedy", greedy},         {"top-k, top-p, min-p", defaults},  {"top-p alone", top_p},
            {"no filter", everything},  {"penalties", penalties},           {"greedy, penalties", greedy_penalties},
            {"schema, greedy", format}, {"schema, sampled", sampled_format}};
}

class Model {
public:
    explicit Model(const char* file) {
        if (!load_kernels(kernel_folder())) {
            fmt::print(stderr, "no CPU kernels\n");
            std::exit(1);
        }
        llama_backend_init();
        llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
        model_.reset(llama_model_load_from_file(file, llama_model_default_params()));
        if (model_ == nullptr) {
            fmt::print(stderr, "{} cannot be loaded\n", file);
            std::exit(1);
        }
        auto params = llama_context_default_params();
        params.n_ctx = 1024;
        context_.reset(llama_init_from_model(model_.get(), params));
        llama_set_n_threads(context_.get(), 2, 2);
        vocab_ = llama_model_get_vocab(model_.get());
        for (Token token = 0; token < llama_vocab_n_tokens(vocab_); ++token) {
            if (llama_vocab_is_eog(vocab_, token)) {
                ends_.push_back(token);
            }
        }
    }

    llama_context* context() { return context_.get(); }
    const llama_vocab* vocab() const { return vocab_; }
    const std::vector<Token>& ends() const { return ends_; }
    const llama::LogitRows& rows() const { return rows_; }

    void begin(const std::string& prompt) {
        llama_memory_clear(llama_get_memory(context_.get()), true);
        auto tokens = common_tokenize(vocab_, prompt, true, true);
        decode(tokens);
    }
    void decode(std::vector<Token> tokens) {
        llama_decode(context_.get(), llama_batch_get_one(tokens.data(), static_cast<std::int32_t>(tokens.size())));
        llama_synchronize(context_.get());
        rows_.assign(tokens.size(), nullptr);
        rows_.back() = llama_get_logits_ith(context_.get(), -1);
    }

private:
    llama_model_ptr model_;
    llama_context_ptr context_;
    const llama_vocab* vocab_ = nullptr;
    std::vector<Token> ends_;
    llama::LogitRows rows_;
};

struct Cost {
    std::vector<double> microseconds;
    std::vector<Token> tokens;
};

Cost answer(Model& model, std::size_t most, const std::function<Token()>& choose) {
    model.begin("Here is an invented book about a river, described in JSON, with title, year, tags and author:\n");
    Cost cost;
    while (cost.tokens.size() < most) {
        const auto before = Clock::now();
        const Token token = choose();
        cost.microseconds.push_back(Microseconds(Clock::now() - before).count());
        cost.tokens.push_back(token);
        if (llama_vocab_is_eog(model.vocab(), token)) {
            break;
        }
        model.decode({token});
    }
    return cost;
}

std::string figures(Cost cost) {
    auto& all = cost.microseconds;
    double sum = 0;
    for (const double each : all) {
        sum += each;
    }
    std::ranges::sort(all);
    return fmt::format("{:9.1f} {:9.1f} {:9.1f}", sum / static_cast<double>(all.size()), all[all.size() / 2],
                       all.back());
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 2) {
        fmt::print(stderr, "usage: {} MODEL [TOKENS]\n", arguments[0]);
        return 2;
    }
    const std::size_t tokens = count > 2 ? std::strtoul(arguments[2], nullptr, 10) : 96;
    Model model(arguments[1]);
    fmt::print("{} tokens in the vocabulary; microseconds for a token: mean, median, largest\n{:22}{:^29}  {:^29}\n",
               llama_vocab_n_tokens(model.vocab()), "", "llama.cpp", "ours");
    for (auto& [name, params] : settings()) {
        const common_sampler_ptr theirs(common_sampler_init(llama_get_model(model.context()), params));
        const auto before = answer(model, tokens, [&] {
            const Token token = common_sampler_sample(theirs.get(), model.context(), -1);
            common_sampler_accept(theirs.get(), token, true);
            return token;
        });
        std::string ours;
        bool same = true;
        // The second answer has what the first one left in caches.
        llama::grammar::GrammarCache grammars(model.vocab());
        for (int round = 0; round < 2; ++round) {
            std::unique_ptr<llama::Constraint> constraint;
            if (!params.grammar.empty()) {
                auto grammar = grammars.get(common_grammar_value(params.grammar)).value();
                constraint = std::make_unique<llama::Constraint>(model.vocab(), std::move(grammar), params);
            }
            llama::LlamaAnswer mine(model.vocab(), model.rows(), model.ends(), params, std::move(constraint), {});
            const auto after = answer(model, tokens, [&] { return mine.sample(model.rows().size() - 1, true); });
            same = same && after.tokens == before.tokens;
            if (round == 0 || !params.grammar.empty()) {
                ours += "  " + figures(after);
            }
        }
        fmt::print("{:22}{}{}{}\n", name, figures(before), ours, same ? "" : "  DIFFERENT TOKENS");
    }
}
