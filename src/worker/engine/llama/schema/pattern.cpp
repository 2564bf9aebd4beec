#include "worker/engine/llama/schema/pattern.hpp"

#include <array>
#include <utility>

namespace worker::engine::llama::schema {
namespace {

// What cannot stand in a JSON string as it is, as the inside of a character class.
constexpr std::string_view needs_escape = R"("\\\x00-\x1F)";

// The inside of a class for \d, \w and \s; empty for other letters. In JSON only the space needs no escape.
std::string_view class_of(char letter) {
    switch (letter) {
        case 'd':
        case 'D': return "0-9";
        case 'w':
        case 'W': return "a-zA-Z0-9_";
        case 's':
        case 'S': return " ";
        default: return {};
    }
}

bool is_negated(char letter) {
    return letter == 'D' || letter == 'W' || letter == 'S';
}

std::string excluding(std::string_view inside) {
    return std::string("[^").append(inside).append(needs_escape).append("]");
}

bool in(std::string_view letters, char letter) {
    return letters.find(letter) != std::string_view::npos;
}

// Whether the last character is escaped: an odd number of backslashes stands before it.
bool last_is_escaped(std::string_view pattern) {
    std::size_t backslashes = 0;
    while (backslashes + 1 < pattern.size() && pattern[pattern.size() - 2 - backslashes] == '\\') {
        ++backslashes;
    }
    return backslashes % 2 == 1;
}

// A class from its bracket on; returns what follows it.
std::string_view take_class(std::string_view rest, std::string& out) {
    rest.remove_prefix(1);
    const bool negated = rest.starts_with('^');
    rest.remove_prefix(negated ? 1 : 0);
    std::string inside;
    while (!rest.empty() && rest.front() != ']') {
        if (rest.front() != '\\' || rest.size() == 1) {
            inside += rest.front() == '[' ? "\\[" : rest.front() == '"' ? "" : std::string{rest.front()};
            rest.remove_prefix(1);
            continue;
        }
        const char letter = rest[1];
        if (const auto known = class_of(letter); !known.empty() && !is_negated(letter)) {
            inside += known;
        } else if (in("xu[]-DWS", letter)) {
            inside += rest.substr(0, 2);
        } else if (!in("nrt\\\"", letter)) {  // these need an escape
            inside += letter;
        }
        rest.remove_prefix(2);
    }
    out += negated ? excluding(inside) : "[" + inside + "]";
    rest.remove_prefix(rest.empty() ? 0 : 1);
    return rest;
}

std::string_view take_escape(std::string_view rest, std::string& out) {
    if (rest.size() == 1) {
        out += rest;
        return {};
    }
    const char letter = rest[1];
    if (const auto known = class_of(letter); !known.empty()) {
        out += is_negated(letter) ? excluding(known) : std::string("[").append(known).append("]");
    } else if (in("/-@:,;'=<>!#%&_~` ", letter)) {
        out += letter;  // escaped without need
    } else if (in("nrt\"", letter)) {
        out.append("\\\\") += letter;  // as JSON has it
    } else if (letter == '\\') {
        out += "\\\\\\\\";
    } else {
        out += rest.substr(0, 2);
    }
    return rest.substr(2);
}

bool has_alternatives(std::string_view pattern) {
    int depth = 0;
    for (std::size_t position = 0; position < pattern.size(); ++position) {
        switch (pattern[position]) {
            case '\\': ++position; break;
            case '(': ++depth; break;
            case ')': --depth; break;
            case '[':
                while (position + 1 < pattern.size() && pattern[position] != ']') {
                    position += pattern[position] == '\\' ? 2 : 1;
                }
                break;
            case '|':
                if (depth == 0) {
                    return true;
                }
                break;
            default: break;
        }
    }
    return false;
}

}  // namespace

std::string plain_pattern(std::string_view pattern) {
    const bool several = has_alternatives(pattern);
    // In `^a|b$` each anchor belongs to one alternative; such patterns are rare, and then taken as a whole.
    const bool begins = pattern.starts_with('^');
    const bool ends = pattern.ends_with('$') && !last_is_escaped(pattern);
    std::string_view rest = pattern;
    rest.remove_prefix(begins ? 1 : 0);
    rest.remove_suffix(ends && !rest.empty() ? 1 : 0);

    std::string inner;
    while (!rest.empty()) {
        switch (rest.front()) {
            case '[': rest = take_class(rest, inner); break;
            case '\\': rest = take_escape(rest, inner); break;
            case '.':
                inner += excluding("");
                rest.remove_prefix(1);
                break;
            case '"':
                inner += "\\\\\"";
                rest.remove_prefix(1);
                break;
            default: inner += rest.front(); rest.remove_prefix(1);
        }
    }
    if (several && !(begins && ends)) {
        inner = "(" + inner + ")";
    }
    const std::string anything = excluding("") + "*";
    return "^" + (begins ? "" : anything) + inner + (ends ? "" : anything) + "$";
}

std::string_view pattern_of_format(std::string_view format) {
    static constexpr std::array patterns{
        std::pair{"email",
                  "^[a-zA-Z0-9][a-zA-Z0-9._+-]{0,62}@[a-zA-Z0-9-]{1,62}(\\.[a-zA-Z0-9-]{1,62}){0,3}\\."
                  "[a-zA-Z]{2,20}$"},
        std::pair{"hostname",
                  "^[a-zA-Z0-9]([a-zA-Z0-9-]{0,60}[a-zA-Z0-9])?(\\.[a-zA-Z0-9]([a-zA-Z0-9-]{0,60}"
                  "[a-zA-Z0-9])?){0,8}$"},
        std::pair{"ipv4",
                  "^((25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])\\.){3}(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|"
                  "[1-9]?[0-9])$"},
        std::pair{"ipv6", "^([0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}$"},
        std::pair{"uri", "^[a-z][a-z0-9+.-]{1,15}:[a-zA-Z0-9/][a-zA-Z0-9._~:/?#@!$&'()*+,;=-]*$"},
        std::pair{"duration", "^P([0-9]{1,4}[YMWD]|([0-9]{1,4}D)?T[0-9]{1,5}[HMS])$"},
    };
    for (const auto& [name, pattern] : patterns) {
        if (format == name) {
            return pattern;
        }
    }
    return {};
}

}  // namespace worker::engine::llama::schema
