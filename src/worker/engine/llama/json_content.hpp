#pragma once

/// Finds the JSON in an answer that is nothing else, but may stand in a Markdown code fence, as it comes.

#include <string>
#include <string_view>

namespace worker::engine::llama {

class JsonContent {
public:
    /// More of the answer. Returns more of the JSON: without space around it and without the fence.
    std::string read(std::string_view text);

private:
    static constexpr std::string_view opening = "```json";

    bool began_ = false;  // behind space and fence
    bool in_string_ = false;
    bool escaped_ = false;
    std::string waiting_;  // what may belong to the fence, or be space at the end
};

}  // namespace worker::engine::llama
