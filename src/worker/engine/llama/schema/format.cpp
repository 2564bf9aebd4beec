#include "worker/engine/llama/schema/format.hpp"

#include <array>
#include <map>
#include <string>

namespace worker::engine::llama::schema {
namespace {

using Patterns = std::map<std::string, std::string, std::less<>>;

Patterns all_patterns() {
    // Years from 1 on; the 29th of February in leap years alone.
    const std::string date =
        "(?!0000)(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|"
        "02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
        "-02-29)";
    const std::string time =
        "(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,6})?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])";
    const std::string label = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,30}[A-Za-z0-9])?";
    const std::string host = label + "(?:\\." + label + "){0,5}";
    const std::string email =
        "[A-Za-z0-9_+-]{1,20}(?:\\.[A-Za-z0-9_+-]{1,20}){0,2}@" + label + "(?:\\." + label + "){0,4}\\.[A-Za-z]{2,12}";
    const std::string octet = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
    const std::string group = "[0-9A-Fa-f]{1,4}";
    const std::string in_path = "(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})";
    const std::string after_path = "(?:\\?(?:" + in_path + "|[/?])*)?(?:#(?:" + in_path + "|[/?])*)?";
    const std::string after_host = "(?::[0-9]{1,5})?(?:/" + in_path + "*)*" + after_path;
    const std::string rootless = in_path + "+(?:/" + in_path + "*)*" + after_path;
    const std::string uri = "[A-Za-z][A-Za-z0-9+.-]*:(?://" + host + after_host + "|" + rootless + ")";
    const std::string reference = "(?:/" + rootless + "|" + after_path + ")";
    const std::string uuid = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}";
    const std::string pointer = "(?:/(?:[^~/]|~[01])*)*";

    std::string ipv6 = "(?:" + group + ":){7}" + group;
    for (int before = 0; before <= 6; ++before) {  // groups before and after the two colons
        const std::string first = before == 0 ? "" : group + "(?::" + group + "){" + std::to_string(before - 1) + "}";
        const std::string more = before == 6 ? "" : "(?::" + group + "){0," + std::to_string(5 - before) + "}";
        ipv6.append("|").append(first).append("::(?:").append(group).append(more).append(")?");
    }

    // As RFC 3339 has it: no unit between two others is left out.
    const std::string of_time =
        "T(?:[0-9]{1,4}H(?:[0-9]{1,4}M(?:[0-9]{1,4}S)?)?|[0-9]{1,4}M(?:[0-9]{1,4}S)?|[0-9]{1,4}S)";
    const std::string of_days = "[0-9]{1,4}Y(?:[0-9]{1,4}M(?:[0-9]{1,4}D)?)?|[0-9]{1,4}M(?:[0-9]{1,4}D)?|[0-9]{1,4}D";
    const std::string duration = "P(?:[0-9]{1,4}W|(?:" + of_days + ")(?:" + of_time + ")?|" + of_time + ")";

    Patterns patterns{
        {"date", date},
        {"time", time},
        {"date-time", date + "T" + time},
        {"duration", duration},
        {"uuid", uuid},
        {"email", email},
        {"idn-email", email},
        {"hostname", host},
        {"idn-hostname", host},
        {"ipv4", octet + "(?:\\." + octet + "){3}"},
        {"ipv6", ipv6},
        {"uri", uri},
        {"iri", uri},
        {"url", "https?://" + host + after_host},
        {"uri-reference", uri + "|" + reference},
        {"iri-reference", uri + "|" + reference},
        {"json-pointer", pointer},
        {"relative-json-pointer", "(?:0|[1-9][0-9]{0,3})(?:#|" + pointer + ")"},
        {"byte", "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?"},
    };
    for (auto& [name, pattern] : patterns) {
        pattern = "^(?:" + pattern + ")$";
    }
    for (int version = 1; version <= 8; ++version) {
        patterns["uuid" + std::to_string(version)] = "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-" + std::to_string(version) +
                                                     "[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$";
    }
    // What these say is about the meaning of a text, or its display.
    for (const char* name : {"password", "binary", "text", "multiline", "textarea", "markdown", "html"}) {
        patterns[name] = "";
    }
    return patterns;
}

struct Range {
    std::string_view name;
    const char* least = nullptr;
    const char* most = nullptr;  // none: above all that is written
};

constexpr std::array ranges{
    Range{"int8", "-128", "127"},
    Range{"int16", "-32768", "32767"},
    Range{"int32", "-2147483648", "2147483647"},
    Range{"uint8", "0", "255"},
    Range{"uint16", "0", "65535"},
    Range{"uint32", "0", "4294967295"},
    Range{"uint64", "0"},
    Range{"uint", "0"},
};

}  // namespace

std::optional<std::string_view> pattern_of_format(std::string_view format) {
    static const Patterns patterns = all_patterns();
    const auto found = patterns.find(format);
    return found == patterns.end() ? std::nullopt : std::optional<std::string_view>(found->second);
}

std::optional<Numbers> numbers_of_format(std::string_view format) {
    const auto bound = [](const char* text) {
        return text == nullptr ? std::nullopt : std::optional(Bound{.value = *decimal_of(text)});
    };
    for (const auto& [name, least, most] : ranges) {
        if (name == format) {
            return Numbers{.plain = true, .least = bound(least), .most = bound(most)};
        }
    }
    return std::nullopt;
}

}  // namespace worker::engine::llama::schema
