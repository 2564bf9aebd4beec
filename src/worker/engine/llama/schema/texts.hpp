#pragma once

/// What schemas say about strings, as languages.

#include <map>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "worker/engine/llama/schema/expression.hpp"
#include "worker/engine/llama/schema/language.hpp"

namespace worker::engine::llama::schema {

class Texts {
public:
    Expressions& expressions() { return expressions_; }

    /// As `texts_with`.
    base::Result<Expression> with_pattern(const std::string& pattern);
    /// Nothing for an unknown format.
    std::optional<Expression> of_format(const std::string& format);
    /// Those with `least` to `most` characters.
    Expression of_length(std::uint32_t least, std::optional<std::uint32_t> most);

    /// nullptr when it would be too large.
    const Language* language(Expression expression);

private:
    Expressions expressions_;
    std::map<std::string, base::Result<Expression>> patterns_;
    std::map<Expression, std::optional<Language>> languages_;
};

}  // namespace worker::engine::llama::schema
