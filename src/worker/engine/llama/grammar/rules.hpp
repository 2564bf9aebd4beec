#pragma once

/// A grammar in llama.cpp's notation (GBNF), as flat rules.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"

struct llama_vocab;

namespace worker::engine::llama::grammar {

enum class Kind : std::uint8_t {
    end,                ///< of a rule
    alternative,        ///< begins another way to match the rule
    rule,               ///< value: the place of the rule's first element
    character,          ///< value: code point. With what follows of the next two, a set of characters
    not_character,      ///< as `character`: every other than the set
    range_end,          ///< the element before begins a range that ends here, inclusive
    another_character,  ///< one more of the set
    any_character,
    token,      ///< value: this one token
    not_token,  ///< value: any other
};

struct Element {
    Kind kind = Kind::end;
    std::uint32_t value = 0;
};

using Place = std::uint32_t;  ///< of an element

struct Rules {
    std::vector<Element> elements;
    Place root = 0;

    bool ends_at(Place place) const {
        return elements[place].kind == Kind::end || elements[place].kind == Kind::alternative;
    }
    /// The first elements of the alternatives of the rule that begins at `rule`.
    std::vector<Place> alternatives(Place rule) const;
    /// The element after the character set that begins at `place`.
    Place after_characters(Place place) const;
    bool has_character(Place place, std::uint32_t character) const;
    std::size_t bytes() const { return elements.size() * sizeof(Element); }
};

/// `invalid` when the text is no grammar with a rule `root`, or would recurse without an end (left recursion). `vocab` is
/// for `<token>` and may be null.
base::Result<Rules> parse_rules(const llama_vocab* vocab, const std::string& text);

}  // namespace worker::engine::llama::grammar
