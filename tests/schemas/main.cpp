// Draws texts from the grammars of JSON Schemas, and says which texts they accept. One question a line, as JSON:
// {"schema": …, "seed": 1, "count": 10, "texts": ["{}"]}; the answers are {"texts": [drawn], "accepted": [true],
// "dead_ends": 0, "grammar_bytes": 120} or {"param": path, "message": why}. `"left_out": true` keeps what can be held of a
// schema that cannot be held whole.

#include <json.h>

#include <cstdint>
#include <iostream>
#include <random>
#include <string>

#include "worker/engine/llama/schema/acceptor.hpp"
#include "worker/engine/llama/schema/grammar_of.hpp"

namespace {

namespace schema = worker::engine::llama::schema;

constexpr int longest_text = 600;

common_json answer_to(const common_json& question) {
    const bool left_out = question.contains("left_out") && question.at("left_out").get<bool>();
    const auto grammar = schema::grammar_of(
        question.at("schema").dump(), "", left_out ? schema::Unenforceable::left_out : schema::Unenforceable::refused);
    auto answer = common_json::object();
    if (!grammar) {
        answer["param"] = grammar.error().param;
        answer["message"] = grammar.error().message;
        return answer;
    }
    answer["grammar_bytes"] = static_cast<std::uint64_t>(grammar->size());
    std::mt19937 random(question.contains("seed") ? question.at("seed").get<unsigned>() : 0);
    const int count = question.contains("count") ? question.at("count").get<int>() : 0;
    auto drawn = common_json::array();
    int dead_ends = 0;
    for (int index = 0; index < count; ++index) {
        bool dead_end = false;
        schema::Acceptor acceptor(*grammar);
        if (const auto text = acceptor.drawn(random, longest_text, dead_end)) {
            drawn.push_back(*text);
        }
        dead_ends += dead_end ? 1 : 0;
    }
    auto accepted = common_json::array();
    if (question.contains("texts")) {
        for (const auto& text : question.at("texts")) {
            accepted.push_back(schema::Acceptor(*grammar).accepts(text.get<std::string>()));
        }
    }
    answer["texts"] = drawn;
    answer["accepted"] = accepted;
    answer["dead_ends"] = dead_ends;
    return answer;
}

}  // namespace

int main() {
    for (std::string line; std::getline(std::cin, line);) {
        std::cout << answer_to(common_json::parse(line)).dump() << std::endl;
    }
}
