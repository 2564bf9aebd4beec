#include "schema/json.hpp"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cmath>
#include <iterator>
#include <utility>

namespace schema {

namespace {

void write_string(std::string& out, std::string_view text) {
    static constexpr std::string_view hex = "0123456789abcdef";
    out += '"';
    for (const char c : text) {
        switch (c) {
            case '"': out += "\\\""; break;
            case '\\': out += "\\\\"; break;
            case '\n': out += "\\n"; break;
            case '\r': out += "\\r"; break;
            case '\t': out += "\\t"; break;
            case '\b': out += "\\b"; break;
            case '\f': out += "\\f"; break;
            default:
                if (static_cast<unsigned char>(c) < 0x20) {
                    out += "\\u00";
                    out += hex[static_cast<unsigned char>(c) >> 4];
                    out += hex[static_cast<unsigned char>(c) & 15];
                } else {
                    out += c;
                }
        }
    }
    out += '"';
}

/// `indent` < 0: compact.
void write(std::string& out, const boost::json::value& value, int indent) {
    const int inner = indent < 0 ? indent : indent + 2;
    const auto new_line = [&](int columns) {
        if (indent >= 0)
            out.append("\n").append(static_cast<std::size_t>(columns), ' ');
    };
    switch (value.kind()) {
        case boost::json::kind::null: out += "null"; break;
        case boost::json::kind::bool_: out += value.get_bool() ? "true" : "false"; break;
        case boost::json::kind::int64: fmt::format_to(std::back_inserter(out), "{}", value.get_int64()); break;
        case boost::json::kind::uint64: fmt::format_to(std::back_inserter(out), "{}", value.get_uint64()); break;
        case boost::json::kind::double_:
            // The library writes 1 as 1E0, which is valid but not what people expect to read.
            if (std::isfinite(value.get_double()))
                fmt::format_to(std::back_inserter(out), "{}", value.get_double());
            else
                out += "null";
            break;
        case boost::json::kind::string:
            write_string(out, {value.get_string().data(), value.get_string().size()});
            break;
        case boost::json::kind::array: {
            out += '[';
            bool first = true;
            for (const auto& element : value.get_array()) {
                if (!std::exchange(first, false))
                    out += ',';
                new_line(inner);
                write(out, element, inner);
            }
            if (!first)
                new_line(indent);
            out += ']';
            break;
        }
        case boost::json::kind::object: {
            out += '{';
            bool first = true;
            for (const auto& pair : value.get_object()) {
                if (!std::exchange(first, false))
                    out += ',';
                new_line(inner);
                write_string(out, {pair.key().data(), pair.key().size()});
                out += indent < 0 ? ":" : ": ";
                write(out, pair.value(), inner);
            }
            if (!first)
                new_line(indent);
            out += '}';
            break;
        }
    }
}

}  // namespace

std::string write_json(const boost::json::value& value) {
    std::string out;
    write(out, value, -1);
    return out;
}

std::string write_json_indented(const boost::json::value& value) {
    std::string out;
    write(out, value, 0);
    return out + '\n';
}

}  // namespace schema
