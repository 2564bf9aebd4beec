#pragma once

/// A model's chat template with what llama.cpp finds out about it: how an answer is to be parsed and, with tools or a
/// schema, which grammar it follows. That depends on the tools and the format of the answer but not on what was said, and
/// takes many times longer than rendering: it is kept for the next request with the same ones.

#include <chat.h>

#include <memory>
#include <string>

#include "base/recent.hpp"
#include "engine.pb.h"

namespace worker::engine::llama {

/// What llama.cpp makes of a chat.
struct RenderedChat : common_chat_params {
    /// `parser`, read; nullptr when that is empty.
    std::shared_ptr<const common_peg_arena> answer_parser;
};

/// Makes `answer_parser` of a `parser` that is not read yet.
void read_parser(RenderedChat& chat);

/// Safe from any thread.
class ChatFormats {
public:
    /// `templates` must outlive this.
    explicit ChatFormats(const common_chat_templates* templates);

    /// As common_chat_templates_apply, and throws what it throws.
    RenderedChat apply(const common_chat_templates_inputs& inputs);
    /// The prompt alone, also with tools whose schemas llama.cpp cannot read: the template only writes them down.
    std::string prompt(const common_chat_templates_inputs& inputs) const;

    const common_chat_templates* templates() const { return templates_; }
    void report(llm_gateway::engine::v1::StatisticsReply& reply) const { known_.report("chat_format", reply); }

private:
    const common_chat_templates* templates_;
    /// Whether a prompt is nothing but what the template makes of the messages. For some models llama.cpp changes those.
    bool prompt_is_plain_;
    base::Recent<std::shared_ptr<const RenderedChat>> known_{std::size_t{32} << 20};
};

}  // namespace worker::engine::llama
