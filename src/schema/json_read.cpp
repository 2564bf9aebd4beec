#include "schema/json.hpp"
#include "schema/wording.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>
#include <charconv>
#include <vector>

namespace schema {

namespace {

using boost::json::error_code;
using boost::json::string_view;

/// Builds the value as the parser walks through the text, and remembers the keys of the objects it is in.
class Builder {
public:
    constexpr static std::size_t max_object_size = std::size_t(-1);
    constexpr static std::size_t max_array_size = std::size_t(-1);
    constexpr static std::size_t max_key_size = std::size_t(-1);
    constexpr static std::size_t max_string_size = std::size_t(-1);

    Builder() { stack_.reset(); }

    boost::json::value release() { return stack_.release(); }
    Faults take_duplicates() { return std::move(duplicates_); }

    bool on_document_begin(error_code&) { return true; }
    bool on_document_end(error_code&) { return true; }
    bool on_object_begin(error_code&) {
        open_.push_back({.is_object = true, .first_key = keys_.size()});
        return true;
    }
    bool on_object_end(std::size_t n, error_code&) {
        find_duplicates();
        keys_.resize(open_.back().first_key);
        open_.pop_back();
        stack_.push_object(n);
        return counted();
    }
    bool on_array_begin(error_code&) {
        open_.push_back({.is_object = false, .first_key = keys_.size()});
        return true;
    }
    bool on_array_end(std::size_t n, error_code&) {
        open_.pop_back();
        stack_.push_array(n);
        return counted();
    }
    bool on_key_part(string_view part, std::size_t, error_code&) {
        key_.append(part.data(), part.size());
        stack_.push_chars(part);
        return true;
    }
    bool on_key(string_view part, std::size_t, error_code&) {
        key_.append(part.data(), part.size());
        keys_.push_back(std::move(key_));
        key_.clear();
        stack_.push_key(part);
        return true;
    }
    bool on_string_part(string_view part, std::size_t, error_code&) {
        stack_.push_chars(part);
        return true;
    }
    bool on_string(string_view part, std::size_t, error_code&) {
        stack_.push_string(part);
        return counted();
    }
    bool on_number_part(string_view part, error_code&) {
        number_.append(part.data(), part.size());
        return true;
    }
    bool on_int64(std::int64_t number, string_view, error_code&) { return number_end(number); }
    bool on_uint64(std::uint64_t number, string_view, error_code&) { return number_end(number); }
    bool on_double(double number, string_view part, error_code&) {
        // The library's own conversion can be off by the last bit.
        number_.append(part.data(), part.size());
        double exact = 0;
        const auto [end, error] = std::from_chars(number_.data(), number_.data() + number_.size(), exact);
        return number_end(error == std::errc() && end == number_.data() + number_.size() ? exact : number);
    }
    bool on_bool(bool value, error_code&) {
        stack_.push_bool(value);
        return counted();
    }
    bool on_null(error_code&) {
        stack_.push_null();
        return counted();
    }
    bool on_comment_part(string_view, error_code&) { return true; }
    bool on_comment(string_view, error_code&) { return true; }

private:
    struct Open {
        bool is_object = false;
        /// In `keys_`, of an object.
        std::size_t first_key = 0;
        /// Of the element that is being read, of an array.
        std::size_t index = 0;
    };

    template <typename T>
    bool number_end(T number) {
        number_.clear();
        if constexpr (std::same_as<T, double>)
            stack_.push_double(number);
        else if constexpr (std::same_as<T, std::int64_t>)
            stack_.push_int64(number);
        else
            stack_.push_uint64(number);
        return counted();
    }

    bool counted() {
        if (!open_.empty())
            ++open_.back().index;
        return true;
    }

    void find_duplicates() {
        const auto begin = keys_.begin() + static_cast<std::ptrdiff_t>(open_.back().first_key);
        std::sort(begin, keys_.end());
        constexpr std::size_t most = 20;
        for (auto found = std::adjacent_find(begin, keys_.end()); found != keys_.end() && duplicates_.size() < most;) {
            duplicates_.push_back({FaultKind::duplicate_key, path_to(*found), "is there twice"});
            const std::string key = *found;
            found = std::adjacent_find(std::find_if(found, keys_.end(), [&](const auto& k) { return k != key; }),
                                       keys_.end());
        }
    }

    /// The path of `key` in the innermost object.
    std::string path_to(const std::string& key) const {
        std::string path;
        for (std::size_t i = 0; i + 1 < open_.size(); ++i) {
            if (open_[i].is_object)
                append_key(path, keys_[open_[i + 1].first_key - 1]);
            else
                path += fmt::format("[{}]", open_[i].index);
        }
        append_key(path, key);
        return path;
    }

    boost::json::value_stack stack_;
    std::vector<Open> open_;
    /// The keys so far of all open objects, outermost first.
    std::vector<std::string> keys_;
    std::string key_;
    std::string number_;
    Faults duplicates_;
};

/// "line 3, column 17", both from 1; columns count bytes.
std::string position(std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, offset);
    const std::size_t line_start = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
    return fmt::format("line {}, column {}", std::ranges::count(before, '\n') + 1, before.size() - line_start + 1);
}

Fault syntax_fault(error_code error, std::string_view text, std::size_t offset, std::size_t max_depth) {
    if (error == boost::json::error::too_deep)
        return {FaultKind::too_deep, "",
                fmt::format("is nested deeper than {} levels at {}", max_depth, position(text, offset))};
    if (text.find_first_not_of(" \t\r\n") == text.npos)
        return {FaultKind::syntax, "", "is empty where JSON is expected"};
    if (error == boost::json::error::incomplete)
        return {FaultKind::syntax, "", "is not complete JSON: it ends too early"};
    if (error == boost::json::error::extra_data)
        return {FaultKind::syntax, "", "has something after the JSON value at " + position(text, offset)};
    const bool in_bytes = offset < text.size() && static_cast<unsigned char>(text[offset]) >= 0x80;
    return {FaultKind::syntax, "",
            fmt::format("is not valid {} at {}", in_bytes ? "UTF-8 or JSON" : "JSON", position(text, offset))};
}

}  // namespace

std::expected<boost::json::value, Faults> read_json(std::string_view text, std::size_t max_depth) {
    boost::json::parse_options options;
    options.max_depth = max_depth;
    boost::json::basic_parser<Builder> parser(options);
    error_code error;
    const std::size_t taken = parser.write_some(false, text.data(), text.size(), error);
    if (!error && taken < text.size())
        error = boost::json::error::extra_data;
    if (error)
        return std::unexpected(Faults{syntax_fault(error, text, taken, max_depth)});
    if (Faults duplicates = parser.handler().take_duplicates(); !duplicates.empty())
        return std::unexpected(std::move(duplicates));
    return parser.handler().release();
}

}  // namespace schema
