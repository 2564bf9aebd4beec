#pragma once

/// Tools for models whose chat template knows none: described in the system message, called and answered in text between
/// tags, in the manner of models that were trained for it.

#include <chat.h>

namespace worker::engine::llama {

/// Turns earlier calls and their results into text of the assistant and the user, and describes `inputs.tools`, if there
/// are any, in the system message. Neighbouring messages that become the user's are joined, as many templates want user
/// and assistant to take turns.
void write_tools_as_text(common_chat_templates_inputs& inputs);

/// After the template was applied: the grammar, its trigger and the parser for calls of `inputs.tools`, none of which
/// the template has seen. With a required call there is no text before it. Of several calls there are at most four.
void expect_calls_in_text(const common_chat_templates_inputs& inputs, common_chat_params& params);

}  // namespace worker::engine::llama
