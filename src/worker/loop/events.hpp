#pragma once

/// Builds the events of text jobs.

#include <vector>

#include "worker/engine/engine.hpp"
#include "worker/loop/run.hpp"

namespace worker::loop {

rpc::Event queued(std::uint32_t position);
rpc::Event started(base::Duration waited);
rpc::Event prompt_progress(const Run& run);
/// `stop`: the stop text that ended it, or empty.
rpc::Event choice_finished(std::uint32_t choice, rpc::contract::FinishReason reason, std::string stop);
rpc::Event finished(const JobInLoop& job, base::TimePoint now);
rpc::Event embedding_result(std::uint32_t index, const std::vector<float>& values, std::uint32_t tokens);
/// Of a job that wants its prompt echoed.
rpc::Event prompt_echo(const JobInLoop& job);
rpc::Event tokens_result(engine::TokenTexts texts);
using rpc::failed;

/// One event for each part; `tokens` travel with the first one.
std::vector<rpc::Event> deltas(std::uint32_t choice, std::vector<engine::Part> parts,
                               std::vector<rpc::contract::TokenInfo> tokens);

}  // namespace worker::loop
