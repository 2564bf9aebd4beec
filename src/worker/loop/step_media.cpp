/// Pictures and sound in the step loop.

#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "worker/loop/arrival.hpp"
#include "worker/loop/step_loop.hpp"

namespace worker::loop {

using engine::Decoded;

// One piece of media at a time, those of the oldest slot first, and of each a part: a picture must not be one long gap in
// the streams of others.
void StepLoop::take_media_on() {
    const auto found = std::ranges::find_if(running_, [](const RunPointer& run) { return run->at_media(); });
    if (found == running_.end()) {
        return;
    }
    Run& run = **found;
    const engine::MediaPiece piece = *run.next_media();
    cancellations_.step_begins({run.job->id});
    const auto encoded = engine_.encode(piece.media, run.salt(), time_beside_answers(), cancellations_.abort());
    cancellations_.step_ends();
    if (encoded == engine::Encoded::failed) {
        base::log::error("a piece of media could not be encoded", {{"job", run.job->id}});
        endings_.fail(*run.job, engine_failed());
    } else if (encoded == engine::Encoded::done && make_room_for_media(run, piece.tokens)) {
        evaluate_media(run, piece);
    }
    remove_finished();
}

// False when the run had to give up its slot.
bool StepLoop::make_room_for_media(const Run& run, std::size_t tokens) {
    while (!memory_.make_room(tokens)) {
        const bool is_youngest = running_.back().get() == &run;
        if (!preempt_youngest()) {
            return true;  // the engine will say so
        }
        if (is_youngest) {
            return false;
        }
    }
    return true;
}

void StepLoop::evaluate_media(Run& run, const engine::MediaPiece& piece) {
    const bool output = run.pending() == piece.tokens;
    engine_.use(run.job->adapters);
    cancellations_.step_begins({run.job->id});
    const auto decoded = engine_.decode_media(piece, *run.sequence, run.evaluated, output, cancellations_.abort());
    cancellations_.step_ends();
    if (decoded == Decoded::done) {
        failures_for_room_ = 0;
        note_evaluated(run, piece.tokens);
        if (output && !run.job->ended) {
            const Due due{.run = run, .first_output = 0};
            settle(run, std::move(choosing_.take_on_all({&due, 1}, engine_.limits().context_tokens).front()));
        }
        return;
    }
    run.evaluated = memory_.roll_back(*run.sequence, run.evaluated);
    if (decoded == Decoded::aborted || (decoded == Decoded::no_room && make_more_room())) {
        return;
    }
    base::log::error("evaluating a piece of media failed", {{"job", run.job->id}, {"tokens", piece.tokens}});
    endings_.fail(*run.job, engine_failed());
}

}  // namespace worker::loop
