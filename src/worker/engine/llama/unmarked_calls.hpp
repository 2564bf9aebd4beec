#pragma once

/// Calls without the tags that the template asks for. Small models know the JSON of a call better than what goes around
/// it: they begin an answer with `{"name": "f", "arguments": {`, bare or in a Markdown code fence. When `f` is a function
/// that was offered, that is a call.

#include <string>
#include <string_view>
#include <vector>

#include "worker/engine/llama/chat_formats.hpp"

namespace worker::engine::llama {

/// Where a format's calls are such JSON between `<tool_call>` tags, and may come or not: lets the grammar begin with the
/// JSON of an unmarked call too. Other formats are left as they are.
void expect_unmarked_calls(const common_chat_templates_inputs& inputs, RenderedChat& params);
/// The functions whose unmarked calls were let in: the text of the answer must go through `UnmarkedCalls` then. Mostly none.
std::vector<std::string> unmarked_tools_of(const RenderedChat& params, const llm_gateway::engine::v1::Chat& chat);

/// Puts the tags around the calls of an answer that begins with an unmarked one.
class UnmarkedCalls {
public:
    /// `tools` are the names of the functions on offer.
    explicit UnmarkedCalls(const std::vector<std::string>& tools);

    /// More of the answer; returns more of what its parser is to read.
    std::string read(std::string_view text);
    /// What was held back when the answer ends.
    std::string finish();

private:
    enum class Place { before_call, in_call, behind_call, elsewhere };

    std::string begin(std::string_view text);
    void follow(char letter);

    std::vector<std::string> names_;  // in quotes
    Place place_ = Place::before_call;
    std::string waiting_;  // before a call: what may become one
    // In a call:
    int depth_ = 0;
    bool in_string_ = false;
    bool escaped_ = false;
};

}  // namespace worker::engine::llama
