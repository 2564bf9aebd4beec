#pragma once

/// Identifiers that cannot be mixed up: `using ModelName = base::StrongId<struct ModelNameTag>;`

#include <compare>
#include <string>
#include <utility>

namespace base {

template <typename Tag>
class StrongId {
public:
    StrongId() = default;
    explicit StrongId(std::string value) : value_(std::move(value)) {}

    const std::string& value() const { return value_; }
    bool empty() const { return value_.empty(); }
    auto operator<=>(const StrongId&) const = default;

private:
    std::string value_;
};

}  // namespace base
