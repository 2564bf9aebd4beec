#pragma once

/// A job in the loop, and its answers. An answer is a Run: tokens of which a part is evaluated. That is all its state:
/// a new prompt, a generating answer and one whose memory was taken away differ only in how many tokens are pending.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "worker/engine/engine.hpp"
#include "worker/loop/answer_stream.hpp"
#include "worker/rpc/job_runner.hpp"
#include "worker/speculation/draft.hpp"
#include "worker/speculation/drafter.hpp"

namespace worker::loop {

/// What the loop needs of a text job once it is prepared.
struct TextOrder {
    std::string id;
    std::int32_t priority = 0;
    /// Who pays, and how large a share that one has.
    std::string tenant;
    double weight = 1;
    /// When it is too late for an answer.
    base::TimePoint deadline = base::TimePoint::max();
    std::string salt;
    engine::AdapterSet adapters;
    std::optional<std::uint32_t> max_tokens;
    std::uint32_t min_tokens = 0;
    bool ignore_end = false;
    bool logprobs = false;
    std::uint32_t top_logprobs = 0;
    bool report_prompt_progress = false;
    engine::Prepared prepared;
    std::shared_ptr<rpc::EventSink> sink;
    base::TimePoint arrived;
};

/// What the answers of one job share.
struct JobInLoop {
    std::string id;
    std::int32_t priority = 0;
    std::string tenant;
    double weight = 1;
    base::TimePoint deadline = base::TimePoint::max();
    std::uint64_t order = 0;  // of arrival
    /// What else must be the same for evaluated tokens to be shared: the adapters are a part of it.
    std::string salt;
    engine::AdapterSet adapters;
    std::uint32_t max_tokens = 0;
    std::uint32_t min_tokens = 0;
    bool ignore_end = false;
    bool logprobs = false;
    std::uint32_t top_logprobs = 0;
    bool report_prompt_progress = false;
    std::size_t prompt_tokens = 0;
    std::vector<engine::MediaPiece> media;
    std::vector<engine::Token> prediction;
    std::uint32_t seed = 0;
    /// Where the prompt is to be echoed.
    std::optional<engine::Echo> echo;
    /// Echoed with log-probabilities: the first answer evaluates all of the prompt, under a salt of its own, so that
    /// nothing of it is taken from memory. Empty: not so.
    std::string scoring_salt;
    /// The tokens of the prompt so far.
    std::vector<rpc::contract::TokenInfo> scored;
    std::shared_ptr<rpc::EventSink> sink;

    std::size_t unfinished_answers = 0;
    bool ended = false;
    rpc::contract::Usage usage;
    base::TimePoint arrived;
    std::optional<base::TimePoint> started;
    std::optional<base::TimePoint> first_token;
    base::TimePoint last_token;
};

struct Run {
    std::shared_ptr<JobInLoop> job;
    std::uint32_t choice = 0;
    std::uint64_t turn = 0;  // its number in the line
    std::unique_ptr<engine::Answer> answer;
    AnswerStream stream;
    /// Prompt and answer so far.
    std::vector<engine::Token> tokens;
    /// Of `tokens`, from the start, in `sequence`.
    std::size_t evaluated = 0;
    /// Where evaluating the prompt pauses, and when it last did, for the state to be saved; 0: nowhere.
    std::size_t checkpoint = 0;
    std::size_t last_checkpoint = 0;
    /// Set while the run has a slot.
    std::optional<engine::Sequence> sequence;
    std::uint32_t generated = 0;
    /// Of `generated`, those of which no event has told yet; and their descriptions, as far as their text is out.
    std::uint32_t untold_tokens = 0;
    std::vector<AnswerStream::TokenInfo> untold_infos;
    /// Guesses; from the first one on.
    std::optional<speculation::Drafter> drafter;
    /// What this step evaluates behind the pending token.
    speculation::Draft draft;
    bool called_tools = false;
    bool finished = false;

    std::size_t pending() const { return tokens.size() - evaluated; }
    /// The first piece of media that is not evaluated; nullptr when there is none.
    const engine::MediaPiece* next_media() const;
    /// A piece of media comes next.
    bool at_media() const { return next_media() != nullptr && next_media()->begin == evaluated; }
    /// Of `pending`, those before the next piece of media.
    std::size_t pending_text() const;
    /// Its answer goes on with the next step.
    bool is_generating() const { return pending() == 1 && !at_media(); }
    bool scores_prompt() const { return choice == 0 && !job->scoring_salt.empty(); }
    /// It still does.
    bool is_scoring() const { return scores_prompt() && job->scored.size() < job->prompt_tokens; }
    const std::string& salt() const { return scores_prompt() ? job->scoring_salt : job->salt; }
};

inline const engine::MediaPiece* Run::next_media() const {
    const auto found = std::ranges::find_if(job->media, [&](const auto& piece) { return piece.begin >= evaluated; });
    return found == job->media.end() ? nullptr : &*found;
}

inline std::size_t Run::pending_text() const {
    return next_media() == nullptr ? pending() : next_media()->begin - evaluated;
}

}  // namespace worker::loop
