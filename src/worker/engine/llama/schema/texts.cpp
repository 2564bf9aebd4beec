#include "worker/engine/llama/schema/texts.hpp"

#include "worker/engine/llama/schema/format.hpp"
#include "worker/engine/llama/schema/pattern.hpp"

namespace worker::engine::llama::schema {

base::Result<Expression> Texts::with_pattern(const std::string& pattern) {
    if (expressions_.exhausted()) {
        return base::fail(base::ErrorCode::unsupported, "the patterns of the schema are too complex");
    }
    auto known = patterns_.find(pattern);
    if (known == patterns_.end()) {
        known = patterns_.emplace(pattern, texts_with(expressions_, pattern)).first;
    }
    return known->second;
}

std::optional<Expression> Texts::of_format(const std::string& format) {
    const auto pattern = pattern_of_format(format);
    if (!pattern) {
        return std::nullopt;
    }
    const auto texts = with_pattern(std::string(*pattern));
    return texts ? std::optional(*texts) : std::nullopt;
}

Expression Texts::of_length(std::uint32_t least, std::optional<std::uint32_t> most) {
    return expressions_.repeated(expressions_.any_character(), least, most.value_or(Expressions::no_limit));
}

const Language* Texts::language(Expression expression) {
    if (expressions_.exhausted()) {
        return nullptr;
    }
    auto known = languages_.find(expression);
    if (known == languages_.end()) {
        known = languages_.emplace(expression, language_of(expressions_, expression)).first;
    }
    return known->second ? &*known->second : nullptr;
}

}  // namespace worker::engine::llama::schema
