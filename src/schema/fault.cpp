#include "schema/fault.hpp"

#include "schema/wording.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace schema {

std::string_view to_string(FaultKind kind) {
    switch (kind) {
        case FaultKind::syntax: return "syntax";
        case FaultKind::duplicate_key: return "duplicate_key";
        case FaultKind::too_deep: return "too_deep";
        case FaultKind::missing: return "missing";
        case FaultKind::wrong_type: return "wrong_type";
        case FaultKind::out_of_range: return "out_of_range";
        case FaultKind::not_allowed: return "not_allowed";
        case FaultKind::unknown_field: return "unknown_field";
        case FaultKind::rule: return "rule";
    }
    return "rule";
}

void append_key(std::string& path, std::string_view key) {
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    };
    if (key.empty() || key.size() > 64 || !std::ranges::all_of(key, plain))
        path += "[" + quoted(key, 64) + "]";
    else
        path += (path.empty() ? "" : ".") + std::string(key);
}

std::string to_string(const Fault& fault) {
    return fault.path.empty() ? fault.message : fmt::format("{}: {}", fault.path, fault.message);
}

base::Error to_error(const Faults& faults) {
    base::Error error{.code = base::ErrorCode::invalid, .message = {}, .param = {}, .retry_after = {}};
    if (faults.empty())
        return error;
    error.param = faults.front().path;
    if (faults.size() == 1) {
        error.message = to_string(faults.front());
        return error;
    }
    error.message = fmt::format("{} faults", faults.size());
    for (const Fault& fault : faults)
        error.message += (&fault == faults.data() ? ": " : "; ") + to_string(fault);
    return error;
}

}  // namespace schema
