#pragma once

#include "engine.pb.h"
#include "gateway/api/tokens/types.hpp"

namespace gateway::api::tokens {

struct Form {
    bool pieces = false;
    bool strings = false;
    std::int64_t max_model_len = 0;
};

TokenizeResponse to_response(const llm_gateway::engine::v1::TokensResult& result, const Form& form);

}  // namespace gateway::api::tokens
