#include "schema/shape.hpp"

#include "schema/wording.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <boost/json/object.hpp>
#include <regex>
#include <stdexcept>

namespace schema {

Pattern::Pattern(const char* text) : text_(text) {
    if (!text_.empty())
        compiled_ = std::make_shared<const std::regex>(text_, std::regex::ECMAScript | std::regex::optimize);
}

bool Pattern::found_in(std::string_view text) const {
    if (!compiled_)
        return true;
    return text.size() <= longest &&
           std::regex_search(text.begin(), text.end(), *static_cast<const std::regex*>(compiled_.get()));
}

Reading Reading::with(Findings& findings) const {
    Reading same = *this;
    same.findings_ = &findings;
    return same;
}

std::string Reading::path() const {
    if (!parent_)
        return {};
    std::string path = parent_->path();
    if (key_.data() == nullptr)
        return fmt::format("{}[{}]", path, index_);
    append_key(path, key_);
    return path;
}

void Reading::fault(FaultKind kind, std::string message) const {
    Findings& findings = *findings_;
    if (findings.full())
        return;
    if (findings.faults.size() == findings.options.max_faults)
        findings.faults.push_back({.kind = FaultKind::rule, .path = "", .message = "has more faults than are listed"});
    else
        findings.faults.push_back({.kind = kind, .path = path(), .message = std::move(message)});
}

void Reading::take(Findings&& other) const {
    for (Fault& fault : other.faults)
        if (!findings_->full())
            findings_->faults.push_back(std::move(fault));
    std::ranges::move(other.unknown, std::back_inserter(findings_->unknown));
    std::ranges::move(other.ignored, std::back_inserter(findings_->ignored));
}

const Value* Shape::constant_at(std::string_view) const {
    return nullptr;
}
std::vector<std::string> Shape::constant_keys() const {
    return {};
}
bool Shape::empty(const void*) const {
    return false;
}

boost::json::object Components::refer(const std::string& name, const void* identity,
                                      const std::function<boost::json::object()>& make) {
    const auto [entry, added] = entries_.try_emplace(name, Entry{identity, {}});
    if (added)
        entry->second.schema = make();  // may refer to itself: the entry is there already
    else if (entry->second.identity != identity)
        throw std::logic_error("two types are described under the name " + name);
    return {{"$ref", prefix_ + name}};
}

boost::json::object Components::schemas() const {
    boost::json::object schemas;
    for (const auto& [name, entry] : entries_)
        schemas[name] = entry.schema;
    return schemas;
}

}  // namespace schema
