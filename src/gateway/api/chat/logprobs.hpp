#pragma once

#include "engine.pb.h"
#include "gateway/api/chat/answer.hpp"

namespace gateway::api::chat {

/// The described tokens of a delta in OpenAI's shape. A token that is only a part of a character is shown with its bytes as \xNN.
/// A probability of zero is -9999, as JSON has no infinity.
std::vector<TokenLogprob> to_logprobs(
    const google::protobuf::RepeatedPtrField<llm_gateway::engine::v1::TokenInfo>& tokens);

/// `bytes` as valid UTF-8, each byte that does not belong to a character as \xNN.
std::string visible_text(std::string_view bytes);

}  // namespace gateway::api::chat
