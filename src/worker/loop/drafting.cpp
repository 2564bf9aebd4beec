#include "worker/loop/drafting.hpp"

#include <algorithm>
#include <utility>

#include "worker/engine/media_tokens.hpp"
#include "worker/loop/step_budget.hpp"
#include "worker/speculation/draft_lengths.hpp"
#include "worker/speculation/drafter.hpp"

namespace worker::loop {

using speculation::Draft;
using speculation::Source;

namespace {

double expected(const Draft& draft) {
    double all_right = 1;
    double sum = 0;
    for (const double chance : draft.chances) {
        all_right *= chance;
        sum += all_right;
    }
    return sum;
}

// An answer ends with its end token: nothing follows a guess of it, and to guess it gains nothing. No answer says what
// stands for media in its prompt.
void cut_at_end(std::vector<engine::Token>& tokens, const engine::Answer& answer) {
    const auto ends = [&](engine::Token token) { return engine::is_media(token) || answer.is_end(token); };
    tokens.erase(std::ranges::find_if(tokens, ends), tokens.end());
}

}  // namespace

Drafting::Drafting(engine::TextEngine& engine, const cost::StepCost& cost, Speculation speculation, GapTarget gap,
                   const base::Clock& clock)
    : engine_(engine),
      cost_(cost),
      on_(speculation == Speculation::automatic && engine.limits().shares_prefixes),
      gap_(gap),
      model_(engine, clock) {}

base::Duration Drafting::draft(std::span<const std::unique_ptr<Run>> runs, std::span<const std::size_t> plan) {
    if (!on_) {
        return {};
    }
    const auto step = shape_of(runs, plan);
    const auto& limits = engine_.limits();
    speculation::DraftRoom room{.most = std::min(limits.batch_tokens - step.generating,
                                                 limits.outputs - std::min(limits.outputs, step.generating))};
    if (room.most == 0 || step.generating == 0 || step.prompt_tokens > 0) {
        return {};
    }
    if (std::ranges::count_if(runs, [](const auto& run) { return run->is_generating(); }) > 1) {
        // One answer's guesses are gaps in the streams of the others, also of those who use other adapters.
        room.longest_seconds = std::max(base::seconds(gap_.gap), gap_.ratio * cost_.seconds(step));
    }
    std::vector<Draft> guesses(plan.size());
    std::vector<std::size_t> most(plan.size());
    for (std::size_t slot = 0; slot < plan.size(); ++slot) {
        Run& run = *runs[slot];
        if (plan[slot] == 1 && run.is_generating()) {
            const std::size_t by_context = limits.context_tokens - std::min(limits.context_tokens, run.tokens.size());
            const std::size_t by_length = run.job->max_tokens - std::min(run.job->max_tokens, run.generated + 1);
            most[slot] = std::min({longest_draft, by_context, by_length});
            guesses[slot] = guess(run, most[slot]);
        }
    }
    model_.plan(runs, guesses, most, {.step = step, .room = room, .cost = cost_});
    std::vector<const Draft*> views(guesses.size());
    std::ranges::transform(guesses, views.begin(), [](const Draft& each) { return &each; });
    const auto lengths = speculation::draft_lengths(views, step, room, cost_);
    model_.make(runs, guesses, lengths);
    for (std::size_t slot = 0; slot < plan.size(); ++slot) {
        if (guesses[slot].source == Source::model) {
            cut_at_end(guesses[slot].tokens, *runs[slot]->answer);
        }
        guesses[slot].tokens.resize(std::min(lengths[slot], guesses[slot].tokens.size()));
        runs[slot]->draft = std::move(guesses[slot]);
    }
    return model_.took();
}

Draft Drafting::guess(Run& run, std::size_t most) {
    if (!run.drafter) {
        run.drafter.emplace(run.job->prediction, run.job->prompt_tokens, &usual_);
    }
    run.drafter->follow(run.tokens);
    if (most == 0) {
        return {};
    }
    Draft best = run.drafter->draft(most);
    if (auto [tokens, certain] = run.answer->forced(most); !tokens.empty()) {
        Draft draft = run.drafter->draft_of(Source::format, std::move(tokens), certain);
        if (expected(draft) > expected(best)) {
            best = std::move(draft);
        }
    }
    cut_at_end(best.tokens, *run.answer);
    return best;
}

void Drafting::count(const Run& run, std::size_t accepted) {
    const std::size_t drafted = run.draft.tokens.size();
    if (drafted == 0) {
        return;
    }
    auto& count = counts_[static_cast<std::size_t>(run.draft.source)];
    count.drafted += drafted;
    count.accepted += accepted;
    auto& usage = run.job->usage;
    usage.set_drafted_tokens(usage.drafted_tokens() + static_cast<std::uint32_t>(drafted));
    usage.set_accepted_tokens(usage.accepted_tokens() + static_cast<std::uint32_t>(accepted));
    if (run.draft.source == Source::prediction) {
        usage.set_accepted_prediction_tokens(usage.accepted_prediction_tokens() + static_cast<std::uint32_t>(accepted));
        usage.set_rejected_prediction_tokens(usage.rejected_prediction_tokens() +
                                             static_cast<std::uint32_t>(drafted - accepted));
    }
}

void Drafting::report(rpc::contract::StatisticsReply& reply) const {
    for (std::size_t source = 0; source < speculation::sources; ++source) {
        auto& drafts = *reply.add_drafts();
        drafts.set_source(std::string(speculation::source_names[source]));
        drafts.set_drafted(counts_[source].drafted);
        drafts.set_accepted(counts_[source].accepted);
    }
}

}  // namespace worker::loop
