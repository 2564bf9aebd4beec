#include "worker/engine/llama/json_content.hpp"

namespace worker::engine::llama {
namespace {

constexpr std::string_view space = " \t\r\n";

}  // namespace

std::string JsonContent::read(std::string_view text) {
    std::string json;
    for (const char letter : text) {
        if (!began_) {
            const bool is_space = space.contains(letter);
            if (is_space && (waiting_.empty() || waiting_ == opening)) {
                continue;
            }
            if (opening.starts_with(waiting_ + letter)) {
                waiting_ += letter;
                continue;
            }
            began_ = true;
            waiting_.clear();
        }
        if (!in_string_ && (letter == '`' || space.contains(letter))) {
            waiting_ += letter;
            continue;
        }
        json += waiting_;
        json += letter;
        waiting_.clear();
        if (letter == '"' && !escaped_) {
            in_string_ = !in_string_;
        }
        escaped_ = in_string_ && letter == '\\' && !escaped_;
    }
    return json;
}

}  // namespace worker::engine::llama
