#pragma once

/// The work of `grammar_of`: schemas that apply together become rules, one for each such company, in the order in which
/// they are met.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "worker/engine/llama/schema/demands.hpp"
#include "worker/engine/llama/schema/document.hpp"
#include "worker/engine/llama/schema/grammar_of.hpp"
#include "worker/engine/llama/schema/judge.hpp"
#include "worker/engine/llama/schema/rule_book.hpp"
#include "worker/engine/llama/schema/texts.hpp"
#include "worker/engine/llama/schema/together.hpp"

namespace worker::engine::llama::schema {

class Converter {
public:
    Converter(const common_json& schema, Unenforceable unenforceable)
        : document_(schema), gathering_(document_), judge_(document_, texts_), unenforceable_(unenforceable) {}

    /// The grammar, or what is wrong.
    std::expected<std::string, Fault> convert();

private:
    using Rule = RuleBook::Rule;
    using Sequence = RuleBook::Sequence;
    using Parts = std::vector<Document::Part>;

    // converter.cpp
    Rule rule_for(Together together, const std::string& name);
    Rule rule_for(const Parts& parts, const std::string& name) { return rule_for(gathering_.of(parts), name); }
    void fill(Rule rule, const Together& together, const std::string& name);
    void choose_one(Rule rule, const Together& together, const Choice& choice, const std::string& name);
    std::vector<const common_json*> values_left(const std::vector<const common_json*>& values,
                                                const Together& together);
    void check_enforceable(const Together& together);
    /// The first fault of all counts. What cannot be enforced is one only where that is to be refused.
    void refuse(Fault fault);
    void cannot_enforce(Document::Part part, const char* keyword, const std::string& complaint);
    /// The same for the first of these keywords that there is.
    void cannot_enforce_any(const Together& together, std::initializer_list<const char*> keywords,
                            const std::string& complaint);
    bool refused() const { return fault_.has_value() || gathering_.fault().has_value(); }
    /// Whether more work went into the schema than one is worth.
    bool exhausted() const;
    /// Why no value is left, should that be so of the whole schema.
    void contradicts(const Together& together, const char* keyword, std::string complaint);

    // scalars.cpp
    void add_string(Rule rule, const Together& together, const std::string& name);
    void add_number(Rule rule, const Together& together, bool whole_only, const std::string& name);
    Rule space();
    Rule character();
    Rule any_string();
    Rule any_number(bool whole_only);
    std::optional<Expression> texts_demanded(const Together& together);

    // arrays.cpp
    struct Items {
        std::vector<Parts> first;  // of the places that have schemas of their own
        Parts rest;
        bool open = true;  // there may be more than the first
    };
    Items items_of(const Together& together);
    void add_array(Rule rule, const Together& together, const std::string& name);
    bool add_array_of_different(Rule rule, const Items& items, Counts size, const std::string& name);

    // objects.cpp
    struct Property {
        std::string name;
        Rule rule = 0;  // of its name and value
        bool required = false;
    };
    /// Other properties than the named ones.
    struct Others {
        bool allowed = false;
        Rule rule = 0;
    };
    Parts parts_of_property(const Together& together, const std::string& name);
    std::vector<Property> properties_of(const Together& together, const std::string& name);
    Others others_of(const Together& together, const std::vector<std::string>& named, const std::string& name);
    std::optional<Expression> names_demanded(const Together& together);
    Rule property_rule(const Sequence& key, const Parts& parts, const std::string& name);
    void add_object(Rule rule, const Together& together, const std::string& name);

    // apart.cpp
    bool all_apart(const Together& together, const Choice& choice);
    /// Whether no value that is written for the one satisfies the other.
    bool apart(const Together& written, const Together& other, int depth);
    bool objects_apart(const Together& written, const Together& other, int depth);

    Document document_;
    Gathering gathering_;
    Texts texts_;
    Judge judge_;
    RuleBook rules_;
    Unenforceable unenforceable_;

    struct Task {
        Rule rule;
        Together together;
        std::string name;
    };
    std::map<Together, Rule> known_;
    std::vector<Task> open_;
    std::set<Document::Part> checked_;
    std::optional<Rule> space_;
    std::optional<Rule> character_;
    std::optional<Rule> any_string_;
    std::map<bool, Rule> any_number_;
    std::size_t work_ = 0;
    std::size_t number_states_ = 0;  ///< that may still be explored
    std::optional<Fault> fault_;
    std::optional<Fault> contradiction_;
};

}  // namespace worker::engine::llama::schema
