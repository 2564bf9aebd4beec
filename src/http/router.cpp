#include "http/router.hpp"

#include <algorithm>
#include <stdexcept>

namespace http {
namespace {

/// Without the leading slash; "/" has one empty segment.
std::vector<std::string_view> segments(std::string_view path) {
    std::vector<std::string_view> found;
    path.remove_prefix(1);
    while (true) {
        const auto slash = path.find('/');
        found.push_back(path.substr(0, slash));
        if (slash == std::string_view::npos) {
            return found;
        }
        path.remove_prefix(slash + 1);
    }
}

enum class Kind { fixed, one, rest };  // in the order of preference

struct Segment {
    Kind kind;
    std::string_view text;
};

Segment pattern_segment(std::string_view text) {
    if (!text.starts_with('{')) {
        return {Kind::fixed, text};
    }
    text = text.substr(1, text.size() - 2);
    if (text.ends_with("...")) {
        return {Kind::rest, text.substr(0, text.size() - 3)};
    }
    return {Kind::one, text};
}

struct Fit {
    std::vector<Kind> kinds;
    std::vector<std::pair<std::string, std::string>> parameters;
};

std::optional<Fit> fit(std::string_view pattern, std::string_view path) {
    Fit result;
    const auto wanted = segments(pattern);
    const auto given = segments(path);
    for (std::size_t at = 0; at < wanted.size(); ++at) {
        const auto [kind, text] = pattern_segment(wanted[at]);
        if (at >= given.size()) {
            return std::nullopt;
        }
        result.kinds.push_back(kind);
        if (kind == Kind::fixed) {
            if (percent_decoded(given[at]) != text) {
                return std::nullopt;
            }
            continue;
        }
        const auto value =
            kind == Kind::one ? given[at] : path.substr(static_cast<std::size_t>(given[at].data() - path.data()));
        auto decoded = percent_decoded(value);
        if (!decoded || decoded->empty()) {
            return std::nullopt;
        }
        result.parameters.emplace_back(std::string(text), *std::move(decoded));
        if (kind == Kind::rest) {
            return result;
        }
    }
    if (given.size() != wanted.size()) {
        return std::nullopt;
    }
    return result;
}

void check(std::string_view pattern) {
    if (!pattern.starts_with('/')) {
        throw std::invalid_argument("a route must begin with a slash: " + std::string(pattern));
    }
    const auto parts = segments(pattern);
    for (std::size_t at = 0; at < parts.size(); ++at) {
        const bool parameter = parts[at].starts_with('{') && parts[at].ends_with('}') && parts[at].size() > 2;
        if (!parameter && parts[at].find_first_of("{}") != std::string_view::npos) {
            throw std::invalid_argument("a route's parameter must be a whole segment: " + std::string(pattern));
        }
        if (parameter && pattern_segment(parts[at]).kind == Kind::rest && at + 1 != parts.size()) {
            throw std::invalid_argument("{name...} must come last: " + std::string(pattern));
        }
    }
}

bool answers(const Route& route, Method method) {
    return route.method == method || (route.method == Method::get && method == Method::head);
}

int hex_digit(char character) {
    if (character >= '0' && character <= '9') {
        return character - '0';
    }
    const char lower = static_cast<char>(character | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace

Router::Router(std::vector<Route> routes) : routes_(std::move(routes)) {
    for (std::size_t at = 0; at < routes_.size(); ++at) {
        check(routes_[at].pattern);
        for (std::size_t before = 0; before < at; ++before) {
            if (routes_[before].pattern == routes_[at].pattern && routes_[before].method == routes_[at].method) {
                throw std::invalid_argument("a route is given twice: " + routes_[at].pattern);
            }
        }
    }
}

Match Router::match(Method method, std::string_view raw_path) const {
    Match best;
    std::vector<Kind> best_kinds;
    bool named = false;
    if (!raw_path.starts_with('/')) {
        return best;
    }
    for (const Route& route : routes_) {
        auto found = fit(route.pattern, raw_path);
        if (!found) {
            continue;
        }
        const bool fixed = std::ranges::all_of(found->kinds, [](Kind kind) { return kind == Kind::fixed; });
        if (fixed && !named) {
            best = {};  // as OpenAPI has it: a path that is named is not meant by patterns
            best_kinds.clear();
            named = true;
        }
        if (named && !fixed) {
            continue;
        }
        best.allowed.push_back(route.method);
        if (route.method == Method::get) {
            best.allowed.push_back(Method::head);
        }
        if (answers(route, method) && (best.route == nullptr || found->kinds < best_kinds)) {
            best.route = &route;
            best.parameters = std::move(found->parameters);
            best_kinds = std::move(found->kinds);
        }
    }
    std::ranges::sort(best.allowed);
    best.allowed.erase(std::ranges::unique(best.allowed).begin(), best.allowed.end());
    return best;
}

std::optional<std::string> percent_decoded(std::string_view text) {
    std::string decoded;
    decoded.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '%') {
            decoded += text[at];
            continue;
        }
        const int high = at + 2 < text.size() ? hex_digit(text[at + 1]) : -1;
        const int low = at + 2 < text.size() ? hex_digit(text[at + 2]) : -1;
        if (high < 0 || low < 0) {
            return std::nullopt;
        }
        decoded += static_cast<char>(high * 16 + low);
        at += 2;
    }
    return decoded;
}

}  // namespace http
