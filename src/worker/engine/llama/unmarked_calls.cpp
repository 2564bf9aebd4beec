#include "worker/engine/llama/unmarked_calls.hpp"

#include <chat-peg-parser.h>
#include <json-schema-to-grammar.h>
#include <json.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "worker/engine/llama/grammar_text.hpp"

namespace worker::engine::llama {
namespace {

constexpr std::string_view call_begin = "<tool_call>";
constexpr std::string_view call_end = "</tool_call>";
constexpr std::array<std::string_view, 3> openings{"```json", "```", "<tools>"};
constexpr std::array<std::string_view, 2> closings{"```", "</tools>"};
constexpr std::string_view space = " \t\r\n";
// As grammars made of JSON Schemas allow it between two tokens of JSON.
constexpr const char* grammar_space = R"((?: |\n{1,2}[ \t]{0,20})?)";
/// Of one answer: a model that leaves out the tags may not know when to stop either.
constexpr int most_calls = 4;

/// A name that is the same in JSON, in a regular expression and in a grammar.
bool is_plain(std::string_view name) {
    return !name.empty() && std::ranges::all_of(name, [](unsigned char letter) {
        return std::isalnum(letter) != 0 || letter == '_' || letter == '-';
    });
}

/// Reads what a call must begin with. Says for each part whether it is there, cannot be, or may still come.
class Reader {
public:
    enum class Found { no, not_yet, yes };

    explicit Reader(std::string_view text) : rest_(text) {}

    void skip_space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(space), rest_.size())); }
    std::size_t left() const { return rest_.size(); }

    Found take(std::string_view part) {
        if (rest_.starts_with(part)) {
            rest_.remove_prefix(part.size());
            return Found::yes;
        }
        return part.starts_with(rest_) ? Found::not_yet : Found::no;
    }

    template <typename Parts>
    Found take_one_of(const Parts& parts) {
        // A longer one may still come where a shorter one is there.
        const auto may_come = [this](std::string_view part) {
            return part.size() > rest_.size() && part.starts_with(rest_);
        };
        if (std::ranges::any_of(parts, may_come)) {
            return Found::not_yet;
        }
        const bool taken =
            std::ranges::any_of(parts, [this](std::string_view part) { return take(part) == Found::yes; });
        return taken ? Found::yes : Found::no;
    }

private:
    std::string_view rest_;
};

/// A call that sets in at `begin` of a text; not yet known, or known not to come.
struct Beginning {
    Reader::Found found;
    std::size_t begin = 0;
};

Beginning find_call(std::string_view text, const std::vector<std::string>& names) {
    using enum Reader::Found;
    Reader reader(text);
    reader.skip_space();
    if (reader.take_one_of(openings) == not_yet) {
        return {.found = not_yet};
    }
    reader.skip_space();
    const std::size_t begin = text.size() - reader.left();
    const std::array<std::string_view, 3> to_name{"{", "\"name\"", ":"};
    for (const auto part : to_name) {
        reader.skip_space();
        if (const auto found = reader.take(part); found != yes) {
            return {.found = found};
        }
    }
    reader.skip_space();
    if (const auto found = reader.take_one_of(names); found != yes) {
        return {.found = found};
    }
    const std::array<std::string_view, 4> to_arguments{",", "\"arguments\"", ":", "{"};
    for (const auto part : to_arguments) {
        reader.skip_space();
        if (const auto found = reader.take(part); found != yes) {
            return {.found = found};
        }
    }
    return {.found = yes, .begin = begin};
}

// Bounded, as std::regex needs stack for each repetition.
constexpr const char* pattern_begin = R"(^\s{0,20}(?:(?:```json|```|<tools>)\s{0,20})?(\{)";

/// The beginning of a call, from its brace on in the first group. Finds nothing that the grammar would not allow.
std::string trigger_pattern(const std::vector<common_chat_tool>& tools) {
    std::string names;
    for (const auto& tool : tools) {
        if (is_plain(tool.name)) {
            names += (names.empty() ? "" : "|") + tool.name;
        }
    }
    const std::string s = grammar_space;
    return pattern_begin + s + R"("name")" + s + ":" + s + "\"(?:" + names + ")\"" + s + "," + s + R"("arguments")" +
           s + ":" + s + R"(\{))";
}

bool reads_marked_calls(const RenderedChat& params, const std::string& name) {
    try {
        common_chat_parser_params parser(params);
        parser.parser = *params.answer_parser;
        const std::string call = R"({"name": ")" + name + R"(", "arguments": {}})";
        const auto message =
            common_chat_parse(std::string(call_begin) + "\n" + call + "\n" + std::string(call_end), false, parser);
        return message.tool_calls.size() == 1 && message.tool_calls.front().name == name;
    } catch (const std::exception&) {
        return false;
    }
}

}  // namespace

void expect_unmarked_calls(const common_chat_templates_inputs& inputs, RenderedChat& params) {
    const auto is_mark = [](const common_grammar_trigger& trigger) { return trigger.value == call_begin; };
    const auto known = std::ranges::find_if(inputs.tools, is_plain, &common_chat_tool::name);
    if (!params.grammar_lazy || params.answer_parser == nullptr || known == inputs.tools.end() ||
        std::ranges::none_of(params.grammar_triggers, is_mark) || !reads_marked_calls(params, known->name)) {
        return;
    }
    const auto tools = common_chat_tools_to_json_oaicompat(inputs.tools);
    const auto parser = build_chat_peg_parser([&](common_chat_peg_builder& p) {
        auto calls =
            p.repeat(p.standard_json_tools("", "", tools, false, true), 1, inputs.parallel_tool_calls ? most_calls : 1);
        for (const auto closing : closings) {
            calls = calls + p.optional(p.literal(std::string(closing)) + p.space());
        }
        return p.rule("unmarked-calls", calls) + p.end();
    });
    const std::string unmarked =
        build_grammar([&](const common_grammar_builder& builder) { parser.build_grammar(builder, false); });
    params.grammar = either("", params.grammar, unmarked);
    params.grammar_triggers.push_back(
        {.type = COMMON_GRAMMAR_TRIGGER_TYPE_PATTERN, .value = trigger_pattern(inputs.tools)});
}

std::vector<std::string> unmarked_tools_of(const RenderedChat& params, const llm_gateway::engine::v1::Chat& chat) {
    std::vector<std::string> names;
    const auto lets_in = [](const common_grammar_trigger& trigger) { return trigger.value.starts_with(pattern_begin); };
    if (std::ranges::any_of(params.grammar_triggers, lets_in)) {
        for (const auto& tool : chat.tools()) {
            names.push_back(tool.name());
        }
    }
    return names;
}

UnmarkedCalls::UnmarkedCalls(const std::vector<std::string>& tools) {
    for (const auto& name : tools) {
        if (is_plain(name)) {
            names_.push_back('"' + name + '"');
        }
    }
}

std::string UnmarkedCalls::read(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        switch (place_) {
            case Place::before_call: out += begin(text); return out;
            case Place::in_call: {
                std::size_t end = 0;
                while (end < text.size() && depth_ > 0) {
                    follow(text[end++]);
                }
                out += text.substr(0, end);
                text.remove_prefix(end);
                if (depth_ == 0) {
                    out.append("\n").append(call_end);
                    place_ = Place::behind_call;
                }
                break;
            }
            case Place::behind_call: {
                // The grammar allows nothing else than the end of the fence, or another call.
                waiting_ += text;
                const auto next = waiting_.find('{');
                if (next == std::string::npos) {
                    return out;
                }
                const std::string rest = std::exchange(waiting_, {}).substr(next);
                place_ = Place::before_call;
                out += read(rest);
                return out;
            }
            case Place::elsewhere: return out.append(text);
        }
    }
    return out;
}

std::string UnmarkedCalls::begin(std::string_view text) {
    waiting_ += text;
    const auto call = find_call(waiting_, names_);
    if (call.found == Reader::Found::not_yet) {
        return {};
    }
    const std::string whole = std::exchange(waiting_, {});
    if (call.found == Reader::Found::no) {
        place_ = Place::elsewhere;
        return whole;
    }
    place_ = Place::in_call;
    depth_ = 0;
    // The first brace opens the call, so that it is not over before it has begun.
    follow(whole[call.begin]);
    return std::string(call_begin) + "\n{" + read(std::string_view(whole).substr(call.begin + 1));
}

void UnmarkedCalls::follow(char letter) {
    if (in_string_) {
        in_string_ = escaped_ || letter != '"';
        escaped_ = !escaped_ && letter == '\\';
    } else if (letter == '"') {
        in_string_ = true;
    } else if (letter == '{' || letter == '[') {
        ++depth_;
    } else if (letter == '}' || letter == ']') {
        --depth_;
    }
}

std::string UnmarkedCalls::finish() {
    return place_ == Place::before_call ? std::exchange(waiting_, {}) : std::string();
}

}  // namespace worker::engine::llama
