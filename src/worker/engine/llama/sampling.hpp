#pragma once

/// From the contract's sampling settings to llama.cpp's.

#include <common.h>

#include "base/result.hpp"
#include "engine.pb.h"

namespace worker::engine::llama {

namespace contract = llm_gateway::engine::v1;

/// Settings without grammar and seed. `invalid` names a setting that llama.cpp could not work with.
base::Result<common_params_sampling> sampling_of(const contract::Sampling& sampling, const llama_vocab* vocab,
                                                 std::size_t context_tokens);

/// The seed of an answer, different for each choice of a job; never the one that llama.cpp takes for "draw one".
std::uint32_t seed_of_choice(std::uint32_t seed, std::uint32_t choice);

}  // namespace worker::engine::llama
