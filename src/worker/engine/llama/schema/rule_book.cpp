#include "worker/engine/llama/schema/rule_book.hpp"

#include <fmt/format.h>
#include "base/utf8.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>
#include <utility>

namespace worker::engine::llama::schema {
namespace {

constexpr std::size_t most_rules = 30'000;
constexpr std::size_t most_text = 2'000'000;
constexpr std::size_t longest_name = 32;
// Up to here a repetition is written out one by one.
constexpr std::uint64_t few = 16;

std::string character_notation(char32_t character) {
    const bool plain = character < 0x80 && std::isalnum(static_cast<int>(character)) != 0;
    if (plain) {
        return {static_cast<char>(character)};
    }
    const auto number = static_cast<std::uint32_t>(character);
    return number < 0x100     ? fmt::format("\\x{:02X}", number)
           : number < 0x10000 ? fmt::format("\\u{:04X}", number)
                              : fmt::format("\\U{:08X}", number);
}

std::string literal_notation(std::string_view text) {
    std::string notation = "\"";
    for (const char letter : text) {
        switch (letter) {
            case '"': notation += "\\\""; break;
            case '\\': notation += "\\\\"; break;
            case '\n': notation += "\\n"; break;
            case '\r': notation += "\\r"; break;
            case '\t': notation += "\\t"; break;
            default:
                if (static_cast<unsigned char>(letter) < 0x20) {
                    notation += character_notation(static_cast<unsigned char>(letter));
                } else {
                    notation += letter;
                }
        }
    }
    return notation + "\"";
}

// Characters that JSON writes as a backslash and a letter.
constexpr std::pair<char32_t, char32_t> short_escapes[] = {{'"', '"'},  {'\\', '\\'}, {'\b', 'b'}, {'\f', 'f'},
                                                           {'\n', 'n'}, {'\r', 'r'},  {'\t', 't'}};

/// A step of a language as the ways to write its characters.
std::vector<RuleBook::Sequence> written(const CodePoints& set, RuleBook::Form form) {
    if (form == RuleBook::Form::plain) {
        return {{RuleBook::one_of(set)}};
    }
    static const CodePoints as_it_is = CodePoints({{0, 0x1F}, {'"', '"'}, {'\\', '\\'}}).others();
    std::vector<RuleBook::Sequence> ways;
    if (const auto plain = set.shared(as_it_is); !plain.empty()) {
        ways.push_back({RuleBook::one_of(plain)});
    }
    std::vector<Span> letters;
    for (const auto& [character, letter] : short_escapes) {
        if (set.contains(character)) {
            letters.push_back({letter, letter});
        }
    }
    if (!letters.empty()) {
        ways.push_back({RuleBook::literal("\\"), RuleBook::one_of(CodePoints(std::move(letters)))});
    }
    // Other control characters only where nothing else would do: nobody means them.
    if (ways.empty()) {
        for (char32_t control = 0; control < 0x20; ++control) {
            if (set.contains(control)) {
                ways.push_back({RuleBook::literal(fmt::format("\\u{:04x}", static_cast<std::uint32_t>(control)))});
            }
        }
    }
    return ways;
}

}  // namespace

RuleBook::Item RuleBook::one_of(const CodePoints& set) {
    const auto& spans = set.spans();
    if (spans.size() == 1 && spans.front().first == spans.front().last) {
        std::string text;
        base::append_utf8(text, spans.front().first);
        return literal(text);
    }
    std::string notation = "[";
    for (const auto& [first, last] : spans) {
        notation += character_notation(first);
        if (last > first) {
            notation += (last > first + 1 ? "-" : "") + character_notation(last);
        }
    }
    return {.kind = Item::Kind::notation, .text = notation + "]"};
}

RuleBook::Rule RuleBook::add(std::string_view name) {
    std::string fitting;
    for (const char letter : name.substr(name.size() - std::min(name.size(), longest_name))) {
        const bool fits = std::isalnum(static_cast<unsigned char>(letter)) != 0;
        if (fits) {
            fitting += letter;
        } else if (!fitting.empty() && fitting.back() != '-') {
            fitting += '-';
        }
    }
    const auto number = rules_.size();
    if (!fitting.empty() && fitting.back() != '-') {
        fitting += '-';
    }
    rules_.push_back({.name = number == 0 ? "root" : fmt::format("{}{}", fitting.empty() ? "rule-" : fitting, number),
                      .alternatives = {}});
    return static_cast<Rule>(number);
}

void RuleBook::choose(Rule rule, Sequence alternative) {
    for (const auto& item : alternative) {
        size_ += item.kind == Item::Kind::rule ? rules_[item.rule].name.size() + 1 : item.text.size() + 3;
    }
    rules_[rule].alternatives.push_back(std::move(alternative));
}

bool RuleBook::too_large() const {
    return rules_.size() > most_rules || size_ > most_text;
}

// ---- repetitions

// Halves, so that the largest number takes a few dozen rules.
RuleBook::Rule RuleBook::exactly(Rule rule, std::uint64_t count) {
    const auto [known, added] = repetitions_.try_emplace({rule, 0, count}, 0);
    if (!added) {
        return known->second;
    }
    const Rule made = add(fmt::format("{}{}-times", rules_[rule].name, count));
    repetitions_[{rule, 0, count}] = made;
    Sequence sequence;
    if (count <= few) {
        sequence.assign(count, item(rule));
    } else {
        sequence = {item(exactly(rule, count / 2)), item(exactly(rule, count - count / 2))};
    }
    choose(made, std::move(sequence));
    return made;
}

RuleBook::Rule RuleBook::at_most(Rule rule, std::uint64_t count) {
    const auto [known, added] = repetitions_.try_emplace({rule, 1, count}, 0);
    if (!added) {
        return known->second;
    }
    const Rule made = add(fmt::format("{}up-to-{}", rules_[rule].name, count));
    repetitions_[{rule, 1, count}] = made;
    if (count <= few) {
        choose(made, {});
        if (count > 0) {
            choose(made, count == 1 ? Sequence{item(rule)} : Sequence{item(rule), item(at_most(rule, count - 1))});
        }
        return made;
    }
    const auto half = count / 2;
    choose(made, {item(at_most(rule, half))});
    choose(made, {item(exactly(rule, half + 1)), item(at_most(rule, count - half - 1))});
    return made;
}

RuleBook::Rule RuleBook::any_number(Rule rule) {
    const auto [known, added] = repetitions_.try_emplace({rule, 2, 0}, 0);
    if (!added) {
        return known->second;
    }
    const Rule made = add(fmt::format("{}any", rules_[rule].name));
    repetitions_[{rule, 2, 0}] = made;
    choose(made, {item(rule), item(made)});
    choose(made, {});
    return made;
}

RuleBook::Sequence RuleBook::repeated(Rule rule, std::uint64_t least, std::optional<std::uint64_t> most) {
    Sequence sequence;
    if (least > 0) {
        sequence.push_back(item(least == 1 ? rule : exactly(rule, least)));
    }
    if (!most) {
        sequence.push_back(item(any_number(rule)));
    } else if (*most > least) {
        sequence.push_back(item(at_most(rule, *most - least)));
    }
    return sequence;
}

// ---- texts

RuleBook::Rule RuleBook::texts(const Language& language, Form form, std::string_view name) {
    const auto& states = language.states;
    std::vector<std::size_t> ways_in(states.size());
    for (const auto& state : states) {
        for (const auto& step : state.steps) {
            ++ways_in[step.to];
        }
    }
    std::vector<std::optional<Rule>> rules(states.size());
    std::vector<std::uint32_t> open;
    const auto rule_of = [&](std::uint32_t state) {
        if (!rules[state]) {
            rules[state] = add(name);
            open.push_back(state);
        }
        return *rules[state];
    };
    const Rule first = add(name);
    if (states.empty()) {
        return first;
    }
    rules[0] = first;
    open.push_back(0);
    // A state that leaves no choice needs no rule of its own.
    const auto go_on = [&](Sequence& sequence, std::uint32_t state) {
        while (true) {
            const auto& [steps, ends] = states[state];
            if (ends && steps.empty()) {
                return;
            }
            const bool no_choice = state != 0 && !ends && steps.size() == 1 && ways_in[state] == 1;
            auto ways = no_choice ? written(steps[0].on, form) : std::vector<Sequence>{};
            if (ways.size() != 1) {
                sequence.push_back(item(rule_of(state)));
                return;
            }
            std::ranges::move(ways.front(), std::back_inserter(sequence));
            state = steps[0].to;
        }
    };
    while (!open.empty() && !too_large()) {
        const auto state = open.back();
        open.pop_back();
        if (states[state].ends) {
            choose(*rules[state], {});
        }
        for (const auto& [on, to] : states[state].steps) {
            for (auto& way : written(on, form)) {
                go_on(way, to);
                choose(*rules[state], std::move(way));
            }
        }
    }
    return first;
}

// A tree of their beginnings: whatever comes, only one of the rules goes on.
RuleBook::Rule RuleBook::one_of(std::vector<std::u32string> texts, std::string_view name) {
    std::ranges::sort(texts);
    const auto doubled = std::ranges::unique(texts);
    texts.erase(doubled.begin(), doubled.end());
    struct Branch {
        Rule rule;
        std::size_t first;  // in texts, and behind the last
        std::size_t last;
        std::size_t depth;  // characters that all have in common
    };
    const Rule root = add(name);
    std::vector<Branch> open = {{root, 0, texts.size(), 0}};
    while (!open.empty()) {
        auto [rule, first, last, depth] = open.back();
        open.pop_back();
        if (first < last && texts[first].size() == depth) {
            choose(rule, {});
            ++first;
        }
        while (first < last) {
            std::size_t end = first + 1;
            while (end < last && texts[end][depth] == texts[first][depth]) {
                ++end;
            }
            // In order: what the first and the last have in common all between them have.
            const auto& low = texts[first];
            const auto& high = texts[end - 1];
            std::size_t common = depth;
            std::string text;
            while (common < low.size() && common < high.size() && low[common] == high[common]) {
                base::append_utf8(text, low[common++]);
            }
            Sequence sequence = {literal(text)};
            if (end - first > 1) {
                const Rule more = add(name);
                sequence.push_back(item(more));
                open.push_back({more, first, end, common});
            }
            choose(rule, std::move(sequence));
            first = end;
        }
    }
    return root;
}

// ---- the grammar's text

std::vector<bool> RuleBook::productive() const {
    struct Place {
        Rule rule;
        std::size_t alternative;
    };
    std::vector<bool> found(rules_.size());
    std::vector<std::vector<std::size_t>> missing(rules_.size());
    std::vector<std::vector<Place>> used_by(rules_.size());
    std::vector<Rule> open;
    const auto finish = [&](Rule rule) {
        if (!found[rule]) {
            found[rule] = true;
            open.push_back(rule);
        }
    };
    for (Rule rule = 0; rule < rules_.size(); ++rule) {
        const auto& alternatives = rules_[rule].alternatives;
        for (std::size_t index = 0; index < alternatives.size(); ++index) {
            std::size_t count = 0;
            for (const auto& item : alternatives[index]) {
                if (item.kind == Item::Kind::rule) {
                    used_by[item.rule].push_back({rule, index});
                    ++count;
                }
            }
            missing[rule].push_back(count);
            if (count == 0) {
                finish(rule);
            }
        }
    }
    while (!open.empty()) {
        const Rule rule = open.back();
        open.pop_back();
        for (const auto& [user, alternative] : used_by[rule]) {
            if (--missing[user][alternative] == 0) {
                finish(user);
            }
        }
    }
    return found;
}

std::optional<std::string> RuleBook::text(Rule root) const {
    const auto productive = this->productive();
    if (!productive[root]) {
        return std::nullopt;
    }
    const auto can_be_finished = [&](const Sequence& sequence) {
        return std::ranges::all_of(
            sequence, [&](const Item& item) { return item.kind != Item::Kind::rule || productive[item.rule]; });
    };
    std::string text;
    std::set<Rule> seen = {root};
    std::vector<Rule> open = {root};
    for (std::size_t at = 0; at < open.size(); ++at) {
        const auto& [name, alternatives] = rules_[open[at]];
        text += name + " ::= ";
        bool is_first = true;
        for (const auto& alternative : alternatives) {
            if (!can_be_finished(alternative)) {
                continue;
            }
            text += std::exchange(is_first, false) ? "" : " | ";
            std::string line;
            std::string pending;  // literals that follow each other
            const auto flush = [&] {
                if (!pending.empty()) {
                    line += (line.empty() ? "" : " ") + literal_notation(std::exchange(pending, {}));
                }
            };
            for (const auto& item : alternative) {
                if (item.kind == Item::Kind::literal) {
                    pending += item.text;
                    continue;
                }
                flush();
                const bool is_rule = item.kind == Item::Kind::rule;
                line += (line.empty() ? "" : " ") + (is_rule ? rules_[item.rule].name : item.text);
                if (is_rule && seen.insert(item.rule).second) {
                    open.push_back(item.rule);
                }
            }
            flush();
            text += line.empty() ? "\"\"" : line;
        }
        text += '\n';
    }
    return text;
}

}  // namespace worker::engine::llama::schema
